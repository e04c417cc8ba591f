"""What `make test` tries of a long list, while `make soak` tries all of it."""

from collections.abc import Iterable
from typing import Any

import pytest


def sampled(values: Iterable[Any], *, every: int) -> list[Any]:
    """Params of which the first and each `every`-th after it run in `make test`, and the others in `make soak`."""
    return [
        value if number % every == 0 else pytest.param(value, marks=pytest.mark.soak)
        for number, value in enumerate(values)
    ]
