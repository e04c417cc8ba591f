"""The idempotency keys of a run: made here or by a client, looked for in what comes, and masked in what is shown."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable, Iterator
from typing import Any, Final, cast

_FIELD: Final = "idempotencyKey"
_LEAST_CHARACTERS: Final = 8
"""A client's key that is shorter is masked in its own field alone: elsewhere the same characters need not be it."""


class Keys:
    """Every key that was sent, well formed or not.

    Each that is made here has a UUID of its own in it, its marker, so that it is found wherever it turns up, also cut
    off or with its case changed. Those of a client are known as they came.
    """

    def __init__(self) -> None:
        self._labels: dict[str, str] = {}
        self._markers: dict[str, str] = {}
        self._clients: dict[str, str] = {}

    def new(self, make: Callable[[str], str] = str) -> str:
        """A key that was never used. `make` builds it around the marker; by default it is the marker."""
        marker = str(uuid.uuid4())
        self._markers[marker] = self._next_label()
        return self.add(make(marker))

    def add(self, key: str) -> str:
        """Know another key that has the marker of a known one in it."""
        marker = next(m for m in self._markers if m in key.lower())
        label = self._markers[marker]
        others = sum(1 for known in self._labels.values() if known.startswith(label[:-1]))
        self._labels.setdefault(key, f"{label[:-1]}{'abcdefghijklmnopqrstuvwxyz'[others] if others else ''}]")
        return key

    def learn(self, message: Any) -> None:
        """Know the key that a client made, where one stands in its message."""
        params: Any = cast("dict[str, Any]", message).get("params") if isinstance(message, dict) else None
        key: Any = cast("dict[str, Any]", params).get(_FIELD) if isinstance(params, dict) else None
        if isinstance(key, str) and key and not self._is_marked(key) and key not in self._clients:
            self._clients[key] = self._next_label()

    def are_in(self, value: Any) -> bool:
        """Whether one that was made here is anywhere in a JSON value."""
        return any(self._is_marked(text) for text in _texts(value))

    def mask(self, value: Any) -> Any:
        """A JSON value with a label in the place of each key."""
        match value:
            case str():
                return self.mask_text(value)
            case list():
                return [self.mask(item) for item in cast("list[Any]", value)]
            case dict():
                items = cast("dict[str, Any]", value).items()
                return {self.mask_text(name): self._mask_field(name, item) for name, item in items}
            case _:
                return value

    def _mask_field(self, name: str, value: Any) -> Any:
        is_key = name == _FIELD and isinstance(value, str) and value in self._clients
        return self._clients[value] if is_key else self.mask(value)

    def mask_text(self, text: str) -> str:
        """A text with a label in the place of each key, and of what is recognised as a part of one."""
        for key in sorted(self._clients, key=len, reverse=True):
            if len(key) >= _LEAST_CHARACTERS:
                text = text.replace(key, self._clients[key])
        if not self._is_marked(text):
            return text
        for key in sorted(self._labels, key=len, reverse=True):
            text = text.replace(key, self._labels[key])
        for marker, label in self._markers.items():
            text = re.sub(re.escape(marker), label, text, flags=re.IGNORECASE)
        return text

    def mask_message(self, text: str, value: Any) -> str:
        """A message's text, masked; as it is where no key is in it."""
        if not self._clients and not self.are_in(value):
            return text
        masked = self.mask(value)
        return text if masked == value else json.dumps(masked, ensure_ascii=False, separators=(",", ":"))

    def _next_label(self) -> str:
        return f"[key {len(self._markers) + len(self._clients) + 1}]"

    def _is_marked(self, text: str) -> bool:
        if len(text) < 36:
            return False
        lowered = text.lower()
        return any(marker in lowered for marker in self._markers)


def _texts(value: Any) -> Iterator[str]:
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, list):
            waiting += cast("list[Any]", item)
        elif isinstance(item, dict):
            fields = cast("dict[str, Any]", item)
            waiting += fields.keys()
            waiting += fields.values()
