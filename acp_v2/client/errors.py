"""What can go wrong on the client's side, beyond the errors that an agent answers with."""

from __future__ import annotations


class OutboxError(Exception):
    """The outbox cannot be opened or written; what was submitted was not sent. The message says why."""


class KeyReused(ValueError):  # noqa: N818  # as the exceptions of the protocol are named
    """An application passed one key with two prompts, which a client must not send (rule SUB-08)."""


class OutcomeUnknown(Exception):  # noqa: N818  # as above
    """A request may or may not have taken effect, and sending it again could do it twice.

    The message says what the application can do to find out, or to live with either.
    """


class PromptHeld(Exception):  # noqa: N818  # as above
    """A prompt was not sent, because it is for the user to say whether it still should be (rule AGAIN-03).

    It stays in the outbox until the application calls `Submission.resend` or `Submission.discard`.
    """
