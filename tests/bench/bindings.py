"""Speed and size of the Python bindings, beside the official Python SDK's in the same run.

That SDK has models of ACP v1, so each message is one that both protocols have in the same form. Only a state update is
unknown to v1; there the peer is the mean of the two v1 updates that have as many fields and hardly more bytes.
"""

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from acp.schema import SessionNotification

from acp_v2 import UpdateSessionNotification
from tests.bench.measure import Figure, Interpreters, in_turns, interpreters, medians, microseconds_each, ratio

TURNS = 101
STARTS = 9
SMAPS = Path("/proc/self/smaps_rollup")

Messages = dict[str, bytes]


def figures() -> Iterator[Figure]:
    """Each with the limit that it has to keep to."""
    yield from _decoding()
    yield from _encoding()
    with interpreters() as fresh:
        yield from _importing(fresh)
        yield _starting(fresh)
        if SMAPS.exists():
            yield _memory(fresh)
        yield from _regenerating(fresh)


# Messages


def _notification(update: str, /, **fields: Any) -> bytes:
    params = {"sessionId": "sess_0123456789abcdef", "update": {"sessionUpdate": update, **fields}}
    return json.dumps(params, separators=(",", ":")).encode()


_TEXT = {"type": "text", "text": "The mirror is aligned; the next step is to calibrate it."}

_SHARED: Messages = {
    "agent_message_chunk": _notification("agent_message_chunk", messageId="msg_01", content=_TEXT),
    "tool_call_update": _notification(
        "tool_call_update",
        toolCallId="call_01",
        title="Reading orbit.py",
        kind="read",
        status="completed",
        content=[{"type": "content", "content": _TEXT}],
        locations=[{"path": "/home/user/orbit.py", "line": 42}],
        rawInput={"path": "/home/user/orbit.py"},
    ),
    "plan_update": _notification(
        "plan_update",
        plan={
            "type": "items",
            "planId": "plan_01",
            "entries": [{"content": f"Step {n}", "priority": "high", "status": "pending"} for n in range(4)],
        },
    ),
}

_STATE = _notification("state_update", state="running")

_NEAR_STATE: Messages = {
    "session_info_update": _notification("session_info_update", title="Orbit"),
    "current_mode_update": _notification("current_mode_update", currentModeId="code"),
}

_PAIRS: dict[str, tuple[bytes, Messages]] = {
    **{kind: (text, {kind: text}) for kind, text in _SHARED.items()},
    "state_update": (_STATE, _NEAR_STATE),
}
"""Our message and the official SDK's, by the kind of update."""


# Throughput


def _decoding() -> Iterator[Figure]:
    for kind, (text, official) in _PAIRS.items():
        yield _throughput(
            f"decoding {kind}",
            lambda text=text: UpdateSessionNotification.from_json(text),
            {k: lambda t=t: SessionNotification.model_validate_json(t) for k, t in official.items()},
            # What the SDK does with a line that it receives: acp/_transport.py and acp/router.py.
            {k: lambda t=t: SessionNotification.model_validate(json.loads(t)) for k, t in official.items()},
        )


def _encoding() -> Iterator[Figure]:
    for kind, (text, official) in _PAIRS.items():
        ours = UpdateSessionNotification.from_json(text)
        theirs = {k: SessionNotification.model_validate_json(t) for k, t in official.items()}
        if ours.to_wire() != json.loads(text) or any(_dumped(theirs[k]) != json.loads(t) for k, t in official.items()):
            raise RuntimeError(f"{kind} is not sent as it came, so that it is not the message that was meant")
        yield _throughput(
            f"encoding {kind}",
            ours.to_json,
            {k: lambda m=m: m.model_dump_json(by_alias=True, exclude_unset=True) for k, m in theirs.items()},
            {k: lambda m=m: _as_sent(m) for k, m in theirs.items()},
        )


def _dumped(model: SessionNotification) -> Any:
    return json.loads(model.model_dump_json(by_alias=True, exclude_unset=True))


def _as_sent(model: SessionNotification) -> bytes:
    """What the SDK does when it sends params: acp/utils.py and acp/task/sender.py."""
    params = model.model_dump(mode="json", by_alias=True, exclude_none=True, exclude_defaults=True)
    return json.dumps(params, separators=(",", ":")).encode()


Actions = dict[str, Callable[[], object]]


def _throughput(name: str, ours: Callable[[], object], official: Actions, as_it_does: Actions) -> Figure:
    """How often ours is done in the time that the official SDK's needs for one; the limit is to be no slower."""
    measures = {
        "acp_v2": ours,
        **{f"official SDK, {k}": action for k, action in official.items()},
        **{f"  as it does itself, {k}": action for k, action in as_it_does.items()},
    }
    found = in_turns({k: lambda a=a: microseconds_each(a) for k, a in measures.items()}, TURNS)
    peer = [sum(turn) / len(turn) for turn in zip(*(found[f"official SDK, {k}"] for k in official), strict=True)]
    value = ratio(peer, found["acp_v2"])
    return Figure(name, value, "x", 1.0, medians(found), at_least=True, parts_unit="µs")


# Fresh interpreters

_PYDANTIC = """
from pydantic import BaseModel
class Model(BaseModel):
    field: str
"""
"""`import pydantic` imports next to nothing; the first model brings what every model needs."""

_EVERY_CLASS = """
from acp_v2 import models
for name in models.__all__:
    kind = getattr(models, name)
    if isinstance(kind, type) and issubclass(kind, BaseModel):
        kind.model_rebuild()
"""
"""Each class with its validator and serializer; the official SDK's classes are built when they are imported."""

_TIMED = _PYDANTIC + "import time\nstarted = time.perf_counter()\n{}\nprint(time.perf_counter() - started)"

_USS = (
    _PYDANTIC
    + """
import gc
def private():
    gc.collect()
    return sum(int(line.split()[1]) for line in open("/proc/self/smaps_rollup") if line.startswith("Private_"))
before = private()
{}
print((private() - before) / 1024)
"""
)

_PROMPT = '{"sessionId":"sess_01","prompt":[{"type":"text","text":"Fix the orbit"}]}'


def _compared(measure: Callable[[str], float], programs: dict[str, str]) -> dict[str, list[float]]:
    for program in programs.values():
        measure(program)  # compiles what it imports
    return in_turns({name: lambda p=program: measure(p) for name, program in programs.items()}, STARTS)


def _importing(fresh: Interpreters) -> Iterator[Figure]:
    programs = {
        "import acp_v2": "import acp_v2",
        "every class of acp_v2, built": _EVERY_CLASS,
        "import acp.schema": "import acp.schema",
    }
    found = _compared(fresh.value, {name: _TIMED.format(code) for name, code in programs.items()})
    ours, built, official = found.values()
    parts = medians(found)
    yield Figure("import acp_v2, of import acp.schema", ratio(ours, official), "x", 0.25, parts, parts_unit="s")
    yield Figure("every class built, of import acp.schema", ratio(built, official), "x", 0.75)


def _starting(fresh: Interpreters) -> Figure:
    programs = {
        "from acp_v2 import PromptRequest, and parse one": (
            f"from acp_v2 import PromptRequest; PromptRequest.from_json({_PROMPT!r})"
        ),
        "pydantic and a model with one field": _PYDANTIC,
        "from pydantic import BaseModel": "from pydantic import BaseModel",
        "import pydantic": "import pydantic",
        "official SDK, parsing a PromptRequest": (
            f"from acp.schema import PromptRequest; PromptRequest.model_validate_json({_PROMPT!r})"
        ),
    }
    found = _compared(fresh.seconds, programs)
    ours, pydantic, *_ = found.values()
    name = "start to a parsed PromptRequest, of pydantic's"
    return Figure(name, ratio(ours, pydantic), "x", 1.6, medians(found), parts_unit="s")


def _memory(fresh: Interpreters) -> Figure:
    programs = {"acp_v2": _EVERY_CLASS, "official SDK": "import acp.schema"}
    found = _compared(fresh.value, {name: _USS.format(code) for name, code in programs.items()})
    value = ratio(*found.values())
    return Figure("memory with every class built, of the SDK's", value, "x", 1.0, medians(found), parts_unit="MiB")


_EMIT = """
import sys, time
from pathlib import Path
from generator import memo
from generator.emit import python
from generator.load import load
memo.HOME = Path(sys.argv[1])
protocol = load(Path(python.__file__).parents[2])
started = time.perf_counter()
python.emit(protocol)
print(time.perf_counter() - started)
"""


def _regenerating(fresh: Interpreters) -> Iterator[Figure]:
    with tempfile.TemporaryDirectory() as cached:
        fresh.value(_EMIT, cached)  # compiles what it imports, and fills the cache

        def anew() -> float:
            with tempfile.TemporaryDirectory() as empty:
                return fresh.value(_EMIT, empty)

        found = medians(in_turns({"anew": anew, "cached": lambda: fresh.value(_EMIT, cached)}))
    yield Figure("regenerating the bindings", found["anew"], "s", 3.0)
    yield Figure("regenerating the bindings, nothing changed", found["cached"], "s", 1.0)
