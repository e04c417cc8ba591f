"""What a store remembers of claims that were lost."""

import pytest

from acp_v2.idempotency import lost_claims
from acp_v2.idempotency.lost_claims import KEPT_SECONDS, LostClaims


class Clock:
    now = 0.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(lost_claims, "time", clock)
    return clock


def test_each_loss_is_remembered_once_and_in_order():
    lost: LostClaims[str] = LostClaims()
    for place, claim in (("k", "first"), ("other", "third"), ("k", "second")):
        lost.add(place, claim)

    assert [lost.take("k") for _ in range(3)] == ["first", "second", None]
    assert lost.take("other") == "third"
    assert lost.take("unheard of") is None


def test_what_nobody_comes_back_for_is_forgotten(clock: Clock):
    lost: LostClaims[str] = LostClaims()
    lost.add("k", "forgotten")
    clock.now = 1.0
    lost.add("k", "remembered")
    lost.add("taken", "taken")
    assert lost.take("taken") == "taken"

    clock.now = KEPT_SECONDS + 0.5
    lost.add("j", "new")

    assert [lost.take("k") for _ in range(2)] == ["remembered", None]
    clock.now = 3 * KEPT_SECONDS
    lost.add("j", "newer")
    assert len(lost._by_age) == len(lost._by_place) == 1
