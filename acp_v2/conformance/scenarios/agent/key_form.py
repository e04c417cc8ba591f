"""What is a key and what is none: malformed ones, absent ones, ones in other places, and their characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

from acp_v2.conformance.agent_under_test import AgentUnderTest
from acp_v2.conformance.keys import Keys
from acp_v2.conformance.run import Run
from acp_v2.conformance.scenarios import scenario
from acp_v2.conformance.session import ABSENT
from acp_v2.conformance.troubles import described_error
from acp_v2.errors import ErrorCode

LONGEST = 255
"""How many code points a key may have."""

_BEYOND_BMP = "\U0001f511"
"""A character that UTF-16 writes as two units, and UTF-8 as four bytes."""


def _padded(length: int, with_: str) -> Callable[[str], str]:
    return lambda marker: marker + with_ * (length - len(marker))


def _malformed(keys: Keys) -> dict[str, Any]:
    return {
        "an empty string": "",
        "256 characters": keys.new(_padded(LONGEST + 1, "k")),
        "256 characters outside the basic plane": keys.new(_padded(LONGEST + 1, _BEYOND_BMP)),
        "a number": 5,
        "a boolean": True,
        "an array": [keys.new()],
        "an object": {"key": keys.new()},
    }


@scenario("malformed-keys")
async def malformed_keys(run: Run, agent: AgentUnderTest) -> None:
    """A prompt with each kind of malformed key."""
    session = await agent.new_session()
    other = await session.turn(agent.options.prompt, agent.keys.new())
    for what, key in _malformed(agent.keys).items():
        mark = session.mark()
        attempt = await (await session.ask(agent.options.prompt, key)).answered()
        run.check(
            "KEY-04",
            attempt.code == ErrorCode.INVALID_PARAMS,
            expected=f"-32602 for {what} as a key",
            came="a result" if attempt.error is None else described_error(attempt.error),
        )
        if attempt.error is None:
            await session.work_ended(mark)
    await session.barrier()
    messages = [m for m in await session.user_messages() if m != other]
    run.check(
        "KEY-05",
        not messages,
        expected="no message is inserted for a prompt with a malformed key",
        came=f"{len(messages)} user messages",
    )


@scenario("no-key")
async def no_key(run: Run, agent: AgentUnderTest) -> None:
    """Two equal prompts without a key, and two with `null`."""
    session = await agent.new_session()
    ids: list[str] = []
    for key in (ABSENT, ABSENT, None, None):
        with run.blaming("KEY-03", expected="a prompt without a key is accepted, and one with null is the same"):
            ids.append(await session.turn(agent.options.prompt, key))
    messages = await session.user_messages()
    run.check(
        "KEY-03",
        len(set(ids)) == len(ids) and messages == ids,
        expected="a message for each of four equal prompts, two without a key and two with null",
        came=f"{len(set(ids))} ids and {len(messages)} user messages",
    )


@scenario("key-characters")
async def key_characters(run: Run, agent: AgentUnderTest) -> None:
    """Keys that are nearly the same, and keys as long as they may be."""
    session = await agent.new_session()
    await session.turn(agent.options.prompt, agent.keys.new())
    for what, first, second in _near(agent.keys):
        ids: list[str] = []
        for key in (first, second):
            with run.blaming("KEY-06", expected=f"keys that differ {what} are accepted"):
                ids.append(await session.turn(agent.options.prompt, key))
        run.check(
            "KEY-06",
            ids[0] != ids[1],
            expected=f"two submissions for keys that differ {what}",
            came="one: the second key was taken for the first",
        )


def _near(keys: Keys) -> list[tuple[str, str, str]]:
    """What two keys differ in, and the two."""
    plain = keys.new(lambda marker: f"{marker}-key")
    accent = keys.new(lambda marker: f"{marker}-\u00e9")
    longest = keys.new(_padded(LONGEST, _BEYOND_BMP))
    return [
        ("in case", plain, keys.add(plain.upper())),
        ("in a space at the end", plain + "2", keys.add(f"{plain}2 ")),
        ("in how an accent is written", accent, keys.add(unicodedata.normalize("NFD", accent))),
        ("in the last of 255 characters outside the basic plane", longest, keys.add(f"{longest[:-1]}\U0001f512")),
    ]


@scenario("key-elsewhere")
async def key_elsewhere(run: Run, agent: AgentUnderTest) -> None:
    """A key in `_meta`, and one on `session/new`."""
    session, key = await agent.new_session(), agent.keys.new()
    text = agent.options.prompt
    meta = {"_meta": {"idempotencyKey": key}}
    with run.blaming("KEY-07", expected="a key in _meta has no effect"):
        ids = [await session.turn(text, **meta), await session.turn(text, **meta)]
    ids.append(await session.turn(text, key))
    run.check(
        "KEY-07",
        len(set(ids)) == len(ids),
        expected="three messages: for two prompts with the key in _meta, and for one with it in its place",
        came=f"{len(set(ids))}",
    )
    with run.blaming("KEY-07", expected="a key on session/new has no effect"):
        sessions = {(await agent.new_session(idempotencyKey=key)).id for _ in range(2)}
    run.check(
        "KEY-07",
        len(sessions) == 2,
        expected="two sessions for two session/new with the same key",
        came="one: the key had an effect",
    )
