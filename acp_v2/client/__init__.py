"""A client of ACP v2 agents that loses no prompt and sends none twice under two keys.

    async with Client.spawn(["my-agent"], outbox=await Outbox.open("outbox.sqlite3")) as client:
        session = await client.new_session("/home/user/project")
        submission = await session.prompt("Hello")
        message_id = await submission

It needs the extra `client`, and `remote` for agents on a socket.
"""

from acp_v2.client.client import Client, OnElicitation, OnPermission
from acp_v2.client.errors import KeyReused, OutboxError, OutcomeUnknown, PromptHeld
from acp_v2.client.events import Disconnected, Event, Resumed, Settled, Updated
from acp_v2.client.outbox import Outbox, Prompt
from acp_v2.client.pending_prompts import KeptPrompt
from acp_v2.client.session import Session
from acp_v2.client.submission import Submission

__all__ = [
    "Client",
    "Disconnected",
    "Event",
    "KeptPrompt",
    "KeyReused",
    "OnElicitation",
    "OnPermission",
    "Outbox",
    "OutboxError",
    "OutcomeUnknown",
    "Prompt",
    "PromptHeld",
    "Resumed",
    "Session",
    "Settled",
    "Submission",
    "Updated",
]
