"""`acpspec prompt`: send one prompt to an agent, and show what it does until it is done."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import signal
import sys
from pathlib import Path
from typing import Any

from acp_v2.acp_error import AcpError
from acp_v2.cli import FAULTY, INTERRUPTED, OK, UsageError
from acp_v2.cli.console import say
from acp_v2.cli.session_view import SessionView
from acp_v2.client import Client, KeptPrompt, Outbox, OutboxError, OutcomeUnknown, PromptHeld, Session, Submission
from acp_v2.models import RequestPermissionRequest
from acp_v2.transports import MessageRefused, TransportClosed

_PATIENCE = 60.0
"""For how many seconds a lost connection is tried again."""


def run(arguments: argparse.Namespace) -> int:
    """Send the prompt. Exit code 0: it was inserted; 1: it was not, or that is not known."""
    logging.basicConfig(level=logging.ERROR, format="acpspec prompt: %(message)s")
    if bool(arguments.command) == bool(arguments.url):
        raise UsageError("an agent is either a command after --, or --url")
    if arguments.pending and (arguments.text is not None or arguments.outbox is None):
        raise UsageError("--pending sends what --outbox has, and no other prompt")
    if not arguments.pending and arguments.text is None:
        raise UsageError("a prompt is needed: a text, or - for standard input")
    text = sys.stdin.read() if arguments.text == "-" else arguments.text
    try:
        return asyncio.run(_Run(arguments, text).run())
    except (OutboxError, ValueError, TypeError) as error:
        raise UsageError(str(error)) from None


class _Run:
    """One run of the command."""

    def __init__(self, arguments: argparse.Namespace, text: str | None) -> None:
        self._arguments = arguments
        self._text = text
        self._view = SessionView()
        self._session: Session | None = None
        self._interrupts = 0

    async def run(self) -> int:
        outbox = await Outbox.open(self._arguments.outbox or ":memory:")
        work = asyncio.create_task(self._over(outbox))
        with contextlib.suppress(NotImplementedError):  # On Windows the process just ends.
            asyncio.get_running_loop().add_signal_handler(signal.SIGINT, self._interrupt, work)
        try:
            return await work
        except asyncio.CancelledError:
            return INTERRUPTED
        except (TransportClosed, AcpError, OutcomeUnknown, MessageRefused) as error:
            say((f"acpspec: {error}", "red"), stderr=True)
            return FAULTY
        finally:
            await outbox.close()

    async def _over(self, outbox: Outbox) -> int:
        options: dict[str, Any] = {
            "outbox": outbox,
            "login": self._arguments.login,
            "on_permission": self._permit,
            "patience": _PATIENCE,
        }
        if self._arguments.url:
            client = Client.to(self._arguments.url, token=self._arguments.token, **options)
        else:
            client = Client.spawn(self._arguments.command, cwd=self._arguments.cwd, **options)
        async with client:
            if self._arguments.pending:
                return await self._send_pending(client)
            session = await self._open(client)
            submission = await session.prompt(self._text or "", key=self._arguments.key)
            code = await self._show(session, submission)
            if self._arguments.resend and code == OK:
                await self._send_again(client, submission)
            return code

    async def _open(self, client: Client) -> Session:
        cwd = Path(self._arguments.cwd or ".").resolve()
        if self._arguments.session is None:
            self._session = await client.new_session(cwd)
            say((f"session {self._session.id}", "dim"), stderr=True)
        else:
            self._session = await client.resume_session(self._arguments.session, cwd)
        return self._session

    async def _send_pending(self, client: Client) -> int:
        cwd = Path(self._arguments.cwd or ".").resolve()
        left = await client.outbox.left_behind()
        if not left:
            say("nothing is pending", stderr=True)
        code = OK
        for session_id in dict.fromkeys(prompt.session_id for prompt in left):
            say((f"session {session_id}", "dim"), stderr=True)
            try:
                self._session = await client.resume_session(session_id, cwd)
            except AcpError as error:
                say((f"acpspec: {error}", "red"), stderr=True)
                for prompt in left:
                    if prompt.session_id == session_id:
                        # With its session its text may be gone, too, and the user has it from here alone.
                        say(f"not sent: {_text_of(prompt)}", stderr=True)
                code = FAULTY
                continue
            for submission in client.outbox.pending(session_id):
                code = max(code, await self._show(self._session, submission))
        return code

    async def _show(self, session: Session, submission: Submission) -> int:
        """Show events until the work for a prompt is done."""
        self._view.follow(submission)
        async for event in session.events():
            self._view.show(event)
            if self._view.is_done:
                break
        self._view.end()
        try:
            message_id = await submission
        except (AcpError, OutcomeUnknown, PromptHeld, MessageRefused) as error:
            say((f"acpspec: the prompt was not inserted: {error}", "red"), stderr=True)
            return FAULTY
        say((f"message {message_id}, {_times(submission.attempts)}", "dim"), stderr=True)
        return OK

    async def _send_again(self, client: Client, submission: Submission) -> None:
        """The same prompt with the same key, as a client does whose response was lost."""
        params = {"sessionId": submission.session_id, **submission.params, "idempotencyKey": str(submission.key)}
        answer = await client.request("session/prompt", params)
        if answer.message_id == submission.message_id:
            say(("sent again with the same key: the same message, inserted once", "green"), stderr=True)
        else:
            say((f"sent again with the same key: ANOTHER message, {answer.message_id}", "red"), stderr=True)

    async def _permit(self, request: RequestPermissionRequest) -> str | None:
        self._view.end()
        say((f"? {request.title}", "bold"), stderr=True)
        if request.description:
            say(f"  {request.description}", stderr=True)
        if self._arguments.allow:
            allowed = next((o for o in request.options if str(o.kind).startswith("allow")), None)
            say((f"  {allowed.name if allowed else 'nothing to allow'}", "dim"), stderr=True)
            return allowed.option_id if allowed else None
        if not sys.stdin.isatty():
            say(("  not answered; --allow would", "dim"), stderr=True)
            return None
        for number, option in enumerate(request.options, 1):
            say(f"  {number} {option.name}", stderr=True)
        chosen = (await asyncio.to_thread(input, "  ")).strip()
        is_one = chosen.isascii() and chosen.isdigit() and 1 <= int(chosen) <= len(request.options)
        return request.options[int(chosen) - 1].option_id if is_one else None

    def _interrupt(self, work: asyncio.Task[int]) -> None:
        """Ctrl-C breaks off the agent's work; a second one ends this at once."""
        self._interrupts += 1
        if self._interrupts > 1 or self._session is None:
            work.cancel()
        else:
            self._cancelling = asyncio.create_task(self._session.cancel())


def _text_of(prompt: KeptPrompt) -> str:
    blocks = (prompt.params or {}).get("prompt", [])
    return "\n".join(block.get("text") or f"[{block.get('type')}]" for block in blocks)


def _times(attempts: int) -> str:
    return "sent once" if attempts == 1 else f"sent {attempts} times"
