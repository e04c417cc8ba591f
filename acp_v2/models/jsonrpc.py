# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from acp_v2.wire_model import Extensible

from . import scalars


class CancelRequestNotification(Extensible):
    """Asks the other side to stop work on a request. The receiver may do so, with everything the request set off,
    and must still answer that request, once: as usual if it finished or is not cancelled, otherwise with what
    its method defines for being cancelled or with the error `-32800`. An id that is unknown or answered must be
    ignored.
    """

    request_id: scalars.RequestId
    """The request to cancel, one that the sender of the notification made itself. The receiver looks only among
    the requests it got from that sender, never among its own.
    """
