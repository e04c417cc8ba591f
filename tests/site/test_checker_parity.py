"""The checker in the page says of every message what `acpspec validate` says, in the same words."""

import copy
import json
import random
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acp_v2.message_validation import MessageValidator
from acp_v2.schema_files import load_schema_file
from acp_v2.wire import WireError, read_json
from generator import site
from tests.instances import places
from tests.site.serving import REPOSITORY

EXAMPLES = load_schema_file("examples.json")["examples"]
CORPUS = load_schema_file("corpus.json")["instances"]
METHODS = load_schema_file("methods.json")["methods"]

WRONG: list[Any] = [
    None, True, 0, -1, 1.5, 1.0, 2**53, 2**64, -(2**70), "", "x", "y" * 300, "\U0001fa90" * 255, "\U0001fa90" * 256,
    [], {}, [None], {"type": "text"}, {"type": "tex"}, {"type": "_x"}, {"x": 1}, "2.0", "session/prompts",
    {"\U0001fa90ext": 1, "tex": 2, "\ufffd": 3}, {"__proto__": 1}, {"type": "constructor"}, "a'b", "a'\"b", "a\\b",
    "\u2028\x7f", "session/new" * 50, "session/\U0001fa90new", 10**400,
]  # fmt: skip

TEXTS = [
    "", "{", '{"a":1,}', "[1,2", '{"a":1,"a":2}', "NaN", "-Infinity", "Infinity", r'"\ud800"', r'"\uD83D\uDE00"',
    "\ufeff{}", "[" * 300 + "]" * 300, "[" * 200 + "]" * 200, "[" * 201 + "]" * 201, '{"a" 1}', "{a:1}", "tru", "01",
    "1 2", '"a\nb"', r'"\x"', '"abc', '{"__proto__": 1, "jsonrpc": "2.0"}', "1e999", r'"\u12"', "nul", "-", "1.", ".5",
    "+1", "{'a':1}", "[]", '""', "5", "9" * 4300, "9" * 4301, '{"a": -1e400}', "1e-999", '\n\n  {"a": }', '{"🪐": x}',
    r'{"a":{"b":[1,{"c":"\ud800x"}]}}', "[1,]", '{"a":1,,}', '{"a":[}', "[1 2]", '"\t"', "\u00a0{}", "{}\x00", "truex",
    '"abc\\', '["\\ud800",', '"\\ud800" x', '["\\ud800", 1e400]', '{"\\ud800":1,"\\ud800":1}',
    '{"a\u2028\x7f":1,"a\u2028\x7f":2}', '{"K":1,"K":1}'.replace("K", "\U0001fa90" * 80),
]  # fmt: skip


Case = dict[str, Any]


@pytest.fixture(scope="module", autouse=True)
def packages() -> None:
    """Ajv, where npm can be reached."""
    try:
        site.install(REPOSITORY)
    except site.SiteError as error:
        pytest.skip(f"the checker cannot be run: {error}")


def asked_of_javascript(cases: list[Case]) -> list[Any]:
    program = Path(__file__).with_name("verdicts.mjs")
    lines = "\n".join(map(json.dumps, cases))
    done = subprocess.run(["node", str(program)], input=lines, capture_output=True, text=True, check=True)
    found = [json.loads(line) for line in done.stdout.split("\n")[:-1]]
    assert len(found) == len(cases)
    return found


def asked_of_python(cases: list[Case]) -> Iterator[Any]:
    validator = MessageValidator()
    for case in cases:
        try:
            verdict = validator.check(read_json(case["text"]), sender=case["sender"], method=case["method"])
        except WireError as error:
            yield {"code": error.code, "text": str(error)}
        else:
            problems = [{"pointer": p.pointer, "text": p.text, "lenient": p.lenient} for p in verdict.problems]
            yield {
                "kind": verdict.kind,
                "method": verdict.method,
                "sender": verdict.sender,
                "retryClass": verdict.retry_class,
                # The page has a field for the method and no option.
                "problems": [
                    {**p, "text": p["text"].replace("say which with --method", "say which it answers")}
                    for p in problems
                ],
                "notes": list(verdict.notes),
            }


def case(text: str, sender: str | None = None, method: str | None = None) -> Case:
    return {"text": text, "sender": sender, "method": method}


Exchange = list[tuple[dict[str, Any], str]]
"""The messages of an example, each with its method."""


def exchange(example: Any) -> Exchange:
    identity = {"id": 0} if example["kind"] == "request" else {}
    call = {"jsonrpc": "2.0", **identity, "method": example["method"], "params": example["params"]}
    answers = ({"jsonrpc": "2.0", "id": 0, part: example[part]} for part in ("result", "error") if part in example)
    return [(message, example["method"]) for message in (call, *answers)]


def prompt(instance: Any) -> Exchange:
    """A prompt with what an instance of the corpus tries."""
    value = instance["value"]
    params = {"sessionId": "s", "prompt": [], "idempotencyKey": value} if instance["type"] != "PromptRequest" else value
    return [({"jsonrpc": "2.0", "id": 0, "method": "session/prompt", "params": params}, "session/prompt")]


EXCHANGES = [*map(exchange, EXAMPLES), *map(prompt, CORPUS)]


def mutated(message: dict[str, Any], chance: random.Random) -> dict[str, Any]:
    """The message with one to three slips in it."""
    message = copy.deepcopy(message)
    for _ in range(chance.randint(1, 3)):
        place = chance.choice([p for p in places(message) if p])
        holder: Any = message
        for key in place[:-1]:
            holder = holder[key]
        key, kind = place[-1], chance.random()
        if isinstance(holder, dict) and kind < 0.3 and len(message) > 1:
            del holder[key]
        elif isinstance(holder, dict) and kind < 0.5 and len(key) > 2:
            holder[key[:-1] if chance.random() < 0.5 else key.swapcase()] = holder.pop(key)
        elif isinstance(holder[key], str) and kind < 0.6:
            holder[key] = holder[key][:-1]
        else:
            holder[key] = copy.deepcopy(chance.choice(WRONG))
    return message


def mutations(count: int, seed: int) -> list[Case]:
    """The messages of that many exchanges in one conversation, most of them with slips."""
    chance = random.Random(seed)  # noqa: S311  # nothing is secret here
    cases: list[Case] = []
    for number in range(count):
        for given, method in chance.choice(EXCHANGES):
            message = {**given, "id": number} if "id" in given else given
            if chance.random() < 0.8:
                message = mutated(message, chance)
            text = json.dumps(message, ensure_ascii=chance.random() < 0.5)
            sender = chance.choice([None, None, "client", "agent", "proxy", "conductor"])
            named = chance.choice([None, None, None, method, method, "session/cancel", "_x", "nope"])
            cases.append(case(text, sender, named if "method" not in message else None))
    return cases


def differences(cases: list[Case]) -> list[str]:
    both = zip(cases, asked_of_python(cases), asked_of_javascript(cases), strict=True)
    return [
        f"{given}\n  Python:     {json.dumps(python)}\n  JavaScript: {json.dumps(javascript)}"
        for given, python, javascript in both
        if python != javascript
    ]


def test_they_agree_about_every_example_and_the_corpus():
    messages = [given for exchange in EXCHANGES for given in exchange]
    cases = [case(json.dumps(m), method=None if "method" in m else method) for m, method in messages]

    assert len(cases) > 300
    assert differences(cases) == []


def test_they_agree_about_what_is_no_json():
    assert differences([case(text) for text in TEXTS]) == []


def test_there_may_be_more_problems_than_a_call_takes_arguments():
    params = {"sessionId": "s", "prompt": [0] * 150_000}
    (found,) = asked_of_javascript(
        [case(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "session/prompt", "params": params}))]
    )

    assert len(found["problems"]) == 150_000
    assert found["problems"][-1]["pointer"] == "/params/prompt/149999"


def test_they_agree_about_names_as_long_as_a_message():
    name = "session/new" * 100_000

    assert differences([case(json.dumps({"jsonrpc": "2.0", "id": 1, "method": name}))]) == []


def test_they_agree_about_conversations_in_which_ids_come_again():
    numbered = [(number % 3, message) for number, exchange in enumerate(EXCHANGES) for message, _ in exchange]
    cases = [case(json.dumps({**m, "id": number} if "id" in m else m)) for number, m in numbered]

    assert differences(cases) == []


def test_they_agree_about_broken_text():
    chance = random.Random(1)  # noqa: S311
    texts: list[str] = []
    for _ in range(600):
        (message, _), *_ = chance.choice(EXCHANGES)
        text = json.dumps(message, ensure_ascii=False, indent=chance.choice([None, 1]))
        at = chance.randrange(len(text))
        texts.append(
            text[:at]
            + chance.choice(["", *'{}[],:"\\x0-', "\U0001fa90", "\n", "\x01"])
            + text[at + chance.randint(0, 2) :]
        )

    assert differences([case(text) for text in texts]) == []


def test_they_agree_about_mutated_messages():
    assert differences(mutations(1_000, seed=1)) == []


@pytest.mark.soak
@pytest.mark.parametrize("seed", [2, 3, 4])
def test_they_agree_about_very_many_mutated_messages(seed: int):
    assert differences(mutations(20_000, seed)) == []


def values(cases: list[Case]) -> Iterator[tuple[str, Any]]:
    """The params in the messages, each with its type."""
    for given in cases:
        message = json.loads(given["text"])
        method = METHODS.get(message.get("method")) if isinstance(message.get("method"), str) else None
        if method and "params" in message:
            yield method["messages"][0]["params"], message["params"]


@pytest.mark.parametrize("count", [600, pytest.param(20_000, marks=pytest.mark.soak)])
def test_ajv_and_the_explainer_agree_about_validity(count: int):
    asked = [{"definition": d, "value": v} for d, v in values(mutations(count, seed=5)) if d != "any"]

    found = asked_of_javascript(asked)

    assert {answer["ajv"] for answer in found} == {True, False}
    assert [given for given, answer in zip(asked, found, strict=True) if answer["ajv"] != answer["explainer"]] == []
