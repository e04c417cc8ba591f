# Generated from spec/ by `acpspec build`. Do not edit.

"""The retry classes: what a sender may do when the response to a request was lost."""

from __future__ import annotations

from enum import StrEnum


class RetryClass(StrEnum):
    """The retry class of a message."""

    SAFE = "safe"
    """A repeat adds nothing to what the first attempt did. Where somebody else may have acted in between, the
    method says what the repeat then does.

    Send the same request again, as it is, under a new `id`.
    """

    KEYED = "keyed"
    """Requests of one session that carry the same key are one submission, and its message is inserted at most once
    for as long as the key lasts. That is said of the insertion, not of the work that follows it.

    Send the same params with the same key again, under a new `id`. A request that carried no key is treated as
    duplicating.
    """

    DUPLICATING = "duplicating"
    """Each attempt makes something new.

    An SDK does not resend it on its own. The application decides whether a possible duplicate is worse than a
    possible loss.
    """

    CONNECTION_BOUND = "connection_bound"
    """The message belongs to the connection that it was sent on, or is a notification, which has no response that
    could be lost.

    Do not resend it. On a new connection the sender starts over if it still needs what it asked for.
    """
