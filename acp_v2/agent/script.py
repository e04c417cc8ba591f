"""What a prompt tells the reference agent to do: it follows a small script where others ask a model."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from acp_v2.errors import InvalidParams
from acp_v2.models import ResourceLink, TextContent

MOST_CHUNKS: Final = 50
"""In how many chunks a text is echoed at most; a short one is echoed word by word."""


@dataclass(frozen=True, slots=True)
class Sleep:
    """`/sleep S`: be busy for S seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Fail:
    """`/fail N`: refuse to insert this text in this session N times, then insert it."""

    times: int


@dataclass(frozen=True, slots=True)
class Local:
    """`/local`: a command whose message is shown while the session is active and not kept."""


@dataclass(frozen=True, slots=True)
class Echo:
    """Anything else: repeat it."""


Script = Sleep | Fail | Local | Echo


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as it is inserted: its content as JSON, and what it says to do."""

    content: list[dict[str, Any]]
    script: Script

    @property
    def is_retained(self) -> bool:
        """Whether its message becomes a part of the session's history."""
        return not isinstance(self.script, Local)


def read_prompt(blocks: Sequence[Any]) -> Prompt:
    """Read what `session/prompt` brings.

    Raises:
        InvalidParams: a block is of a kind that the agent does not support.
    """
    for number, block in enumerate(blocks):
        if not isinstance(block, TextContent | ResourceLink):
            data = {"pointer": f"/params/prompt/{number}"}
            raise InvalidParams("This agent takes content blocks of the types text and resource_link", data)
    texts = [block.text for block in blocks if isinstance(block, TextContent)]
    script = _read_script(texts[0].strip()) if len(texts) == len(blocks) == 1 else Echo()
    return Prompt([block.to_wire() for block in blocks], script)


def _read_script(text: str) -> Script:
    if match := re.fullmatch(r"/sleep (\d{1,6}(?:\.\d{1,6})?)", text, re.ASCII):
        return Sleep(float(match[1]))
    if match := re.fullmatch(r"/fail (\d{1,6})", text, re.ASCII):
        return Fail(int(match[1]))
    return Local() if text == "/local" else Echo()


def reply_to(prompt: Prompt) -> list[dict[str, Any]]:
    """The content blocks of the answer, in the chunks in which it is sent."""
    match prompt.script:
        case Sleep(seconds):
            return [{"type": "text", "text": f"Slept for {seconds:g} s."}]
        case Local():
            return [{"type": "text", "text": "Handled without a model; this is not kept."}]
        case _:
            return [chunk for block in prompt.content for chunk in _chunks(block)]


def _chunks(block: dict[str, Any]) -> list[dict[str, Any]]:
    if block["type"] != "text":
        return [block]
    words = re.findall(r"\s*\S+(?:\s+\Z)?|\s+\Z", block["text"])
    size = -(-len(words) // MOST_CHUNKS)
    return [{"type": "text", "text": "".join(words[at : at + size])} for at in range(0, len(words), max(size, 1))]


def joined(chunks: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Chunks as the content of one message: texts that follow one another become one."""
    content: list[dict[str, Any]] = []
    for chunk in chunks:
        if content and content[-1]["type"] == chunk["type"] == "text":
            content[-1] = {"type": "text", "text": content[-1]["text"] + chunk["text"]}
        else:
            content.append(chunk)
    return content
