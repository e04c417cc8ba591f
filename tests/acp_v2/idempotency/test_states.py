"""The machine does what the proposal says, whatever happens in whatever order."""

from collections.abc import Iterable
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from acp_v2 import IdempotencyKey, InternalError
from acp_v2.idempotency.states import Answer, AskHolder, Begin, Effect, Leave, PromptStates, Refuse, Withdraw

PLACES = [(session, IdempotencyKey(key)) for session in ("s", "t") for key in ("k", "K")]


class Proposal(RuleBasedStateMachine):
    """The proposal's rules as a model: what is inserted, what waits, and what each attempt must be answered with."""

    def __init__(self) -> None:
        super().__init__()
        self.states = PromptStates()
        self.inserted: dict[Any, tuple[str, bool]] = {}  # message ids by place, and whether the store has a record
        self.waiting: dict[Any, list[int]] = {}  # attempts by place
        self.stage: dict[Any, str] = {}  # of places where something waits
        self.unwanted: set[Any] = set()
        self.attempts = 0
        self.messages = 0

    def pending(self, *stages: str) -> list[Any]:
        return [place for place, stage in self.stage.items() if stage in stages]

    def expect(self, effects: Iterable[Effect], *expected: Any) -> None:
        def plain(effect: Effect) -> tuple[Any, ...]:
            match effect:
                case Answer(attempt, message_id):
                    return ("answer", attempt, message_id)
                case Refuse(attempt, error):
                    return ("refuse", attempt, error.code)
                case Withdraw(place, is_dropped):
                    return ("drop" if is_dropped else "withdraw", place)
                case Begin(place) | AskHolder(place) | Leave(place):
                    return (type(effect).__name__, place)

        assert [plain(effect) for effect in effects] == list(expected)

    def settle(self, place: Any) -> list[int]:
        self.unwanted.discard(place)
        del self.stage[place]
        return self.waiting.pop(place)

    @rule(place=st.sampled_from(PLACES))
    def a_request_comes(self, place: Any) -> None:
        self.attempts += 1
        effects = self.states.submitted(place, self.attempts, None)
        message_id, is_retained = self.inserted.get(place, ("", True))
        if place in self.waiting:
            if not self.waiting[place]:
                self.unwanted.discard(place)
            self.waiting[place].append(self.attempts)
            self.expect(effects)
        elif not is_retained:
            self.expect(effects, ("answer", self.attempts, message_id))
        else:
            self.waiting[place], self.stage[place] = [self.attempts], "looking"
            self.expect(effects, ("Begin", place))

    @precondition(lambda self: self.pending("looking"))
    @rule(data=st.data())
    def the_store_is_asked(self, data: st.DataObject) -> None:
        place = data.draw(st.sampled_from(self.pending("looking")))
        if place in self.inserted:
            message_id, _ = self.inserted[place]
            effects = self.states.found(place, message_id)
            self.expect(effects, *[("answer", a, message_id) for a in self.settle(place)])
            return
        is_elsewhere = data.draw(st.booleans())
        self.stage[place] = "elsewhere" if is_elsewhere else "held"
        effects = self.states.elsewhere(place) if is_elsewhere else self.states.held(place)
        if place in self.unwanted:
            self.expect(effects, *self.withdrawal(place))
        else:
            self.expect(effects, *self.drop_where_nobody_waits(place))

    @precondition(lambda self: self.pending("held"))
    @rule(data=st.data())
    def a_prompt_may_be_inserted(self, data: st.DataObject) -> None:
        place = data.draw(st.sampled_from(self.pending("held")))
        self.states.inserting(place)
        self.stage[place] = "inserting"

    @precondition(lambda self: self.pending("inserting"))
    @rule(data=st.data(), is_retained=st.booleans())
    def it_is_inserted(self, data: st.DataObject, *, is_retained: bool) -> None:
        place = data.draw(st.sampled_from(self.pending("inserting")))
        assert place not in self.inserted, "a second message for one key"
        self.messages += 1
        message_id = f"msg-{self.messages}"
        self.inserted[place] = message_id, is_retained
        effects = self.states.inserted(place, message_id, is_retained=is_retained)
        self.expect(effects, *[("answer", a, message_id) for a in self.settle(place)])

    @precondition(lambda self: self.pending("held"))
    @rule(data=st.data())
    def another_node_inserts_what_is_held_here(self, data: st.DataObject) -> None:
        place = data.draw(st.sampled_from(self.pending("held")))
        self.messages += 1
        message_id = f"msg-{self.messages}"
        self.inserted[place] = message_id, True
        effects = self.states.found(place, message_id)
        self.expect(effects, ("drop", place), *[("answer", a, message_id) for a in self.settle(place)])

    @precondition(lambda self: self.pending("inserting"))
    @rule(data=st.data())
    def what_is_being_inserted_is_found(self, data: st.DataObject) -> None:
        place = data.draw(st.sampled_from(self.pending("inserting")))
        self.expect(self.states.found(place, "told by whoever inserts it"))

    @precondition(lambda self: self.pending("held", "elsewhere", "inserting"))
    @rule(data=st.data())
    def it_fails(self, data: st.DataObject) -> None:
        place = data.draw(st.sampled_from(self.pending("held", "elsewhere", "inserting")))
        effects = self.states.failed(place, InternalError())
        self.expect(effects, *[("refuse", a, -32603) for a in self.settle(place)])

    @precondition(lambda self: self.pending("elsewhere"))
    @rule(data=st.data())
    def the_holder_elsewhere_ends(self, data: st.DataObject) -> None:
        place = data.draw(st.sampled_from(self.pending("elsewhere")))
        if data.draw(st.booleans()):
            self.messages += 1
            self.inserted[place] = f"msg-{self.messages}", True
        self.states.looking(place)
        self.stage[place] = "looking"

    def withdrawal(self, place: Any) -> list[Any]:
        match self.stage.get(place):
            case "looking":
                self.unwanted.add(place)
                return []
            case "elsewhere":
                self.unwanted.add(place)
                return [("AskHolder", place)]
            case "held":
                return [("withdraw", place), *[("refuse", a, -32800) for a in self.settle(place)]]
            case _:
                return []

    @precondition(lambda self: self.attempts)
    @rule(data=st.data())
    def an_attempt_is_cancelled(self, data: st.DataObject) -> None:
        attempt = data.draw(st.integers(1, self.attempts))
        place = next((p for p, attempts in self.waiting.items() if attempt in attempts), None)
        self.expect(self.states.cancelled(attempt), *self.withdrawal(place))

    def drop_where_nobody_waits(self, place: Any) -> list[Any]:
        if self.stage[place] != "held" or self.waiting[place]:
            return []
        self.settle(place)
        return [("drop", place)]

    @precondition(lambda self: self.attempts)
    @rule(data=st.data())
    def an_attempt_is_abandoned(self, data: st.DataObject) -> None:
        attempt = data.draw(st.integers(1, self.attempts))
        place = next((p for p, attempts in self.waiting.items() if attempt in attempts), None)
        effects = self.states.abandoned(attempt)
        if place is not None:
            self.waiting[place].remove(attempt)
        self.expect(effects, *(self.drop_where_nobody_waits(place) if place else ()))

    @rule(session=st.sampled_from(["s", "t"]))
    def a_session_is_cancelled(self, session: str) -> None:
        expected = [effect for p in list(self.stage) if p[0] == session for effect in self.withdrawal(p)]
        self.expect(self.states.session_cancelled(session), *expected)

    @rule(session=st.sampled_from(["s", "t"]))
    def a_session_is_active_no_more(self, session: str) -> None:
        self.states.session_inactive(session)
        for place in [p for p, (_, is_retained) in self.inserted.items() if p[0] == session and not is_retained]:
            del self.inserted[place]

    @invariant()
    def nothing_waits_for_what_is_settled(self) -> None:
        assert set(self.waiting) == set(self.stage)


TestProposal = Proposal.TestCase
TestProposal.settings = settings(max_examples=150, stateful_step_count=40, deadline=None)
