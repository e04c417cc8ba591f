"""The agent that is tested: connections to it, sessions in it, and its restarts."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from acp_v2 import __version__
from acp_v2.conformance.keys import Keys
from acp_v2.conformance.options import Options
from acp_v2.conformance.peer import Peer
from acp_v2.conformance.session import Session, resume_params
from acp_v2.conformance.targets import Target
from acp_v2.conformance.troubles import ConnectionEnded, NoConnection, Refused, Trouble
from acp_v2.conformance.witness import Witness
from acp_v2.errors import ErrorCode
from acp_v2.methods import PROTOCOL_VERSION
from acp_v2.transports import TransportClosed

_SECONDS_BETWEEN_ATTEMPTS = 0.05

T = TypeVar("T")


class AgentUnderTest:
    """Opens connections to a target, one after another where that will do.

    Args:
        target: how the agent is reached.
        options: how long to wait, and for what.
        keys: where new keys come from.
        witness: told of everything on the wire.
    """

    def __init__(self, target: Target, options: Options, keys: Keys, witness: Witness) -> None:
        self.target = target
        self.options = options
        self.keys = keys
        self._witness = witness
        self._peers: list[Peer] = []
        self._connections = 0

    async def begin(self) -> None:
        """Another scenario begins. The connection is kept, where it is fit for use."""
        for peer in self._peers[1:]:
            await peer.close()
        self._peers = [peer for peer in self._peers[:1] if not peer.has_ended]
        for peer in self._peers:
            peer.begin()

    async def abandon(self) -> None:
        """Something went wrong: let go of every connection, and of what the suite has started."""
        await self.target.end()
        for peer in self._peers:
            await peer.close()
        self._peers.clear()

    async def end(self) -> None:
        """End every connection in good order, and then what the suite has started."""
        for peer in self._peers:
            await peer.close()
        self._peers.clear()
        await self.target.end()

    # Connections

    @property
    def leaks(self) -> set[str]:
        """Where keys stood in this scenario."""
        return {leak for peer in self._peers for leak in peer.leaks}

    async def connect(self) -> Peer:
        """A connection, that of before where there is one.

        Raises:
            NoConnection: there is none to be had.
        """
        if self._peers and not self._peers[0].has_ended:
            return self._peers[0]
        self._peers.clear()
        return await self.connect_anew()

    async def connect_anew(self) -> Peer:
        """One connection more. Over stdio, that is another process.

        Raises:
            NoConnection: there is none to be had.
        """
        # A server that was just started takes a moment before it listens.
        deadline = asyncio.get_running_loop().time() + self.options.patience
        while True:
            try:
                peer = await self._open()
                break
            except (TransportClosed, ConnectionEnded) as error:
                if not self.target.is_remote or asyncio.get_running_loop().time() > deadline:
                    raise NoConnection(f"no connection: {error}") from None
                await asyncio.sleep(_SECONDS_BETWEEN_ATTEMPTS)
        self._peers.append(peer)
        return peer

    async def reconnect(self, peer: Peer) -> Peer:
        """End a connection and open another.

        Raises:
            NoConnection: there is none to be had.
        """
        await peer.close()
        if peer in self._peers:
            self._peers.remove(peer)
        return await self.connect_anew()

    async def restart(self) -> Peer:
        """Kill the agent, and connect to the one that takes its place.

        Raises:
            NoConnection: there is none to be had.
        """
        await self.target.restart()
        for peer in self._peers:
            await peer.close()
        self._peers.clear()
        return await self.connect_anew()

    async def _open(self) -> Peer:
        transport = await self.target.open()
        self._connections += 1
        peer = Peer(transport, self._connections, self._witness, patience=self.options.patience)
        try:
            info = {"name": "acpspec-conform", "title": "acpspec conform", "version": __version__}
            peer.initialized = await peer.call("initialize", {"protocolVersion": PROTOCOL_VERSION, "info": info})
        except ConnectionEnded:
            await peer.close()
            raise
        except Trouble as error:
            await self.target.end()
            await peer.close()
            raise NoConnection(str(error)) from None
        version = peer.initialized.get("protocolVersion")
        if version != PROTOCOL_VERSION:
            await peer.close()
            raise NoConnection(f"the agent speaks version {version} of ACP, and this is about {PROTOCOL_VERSION}")
        return peer

    # Sessions

    async def new_session(self, peer: Peer | None = None, **more: Any) -> Session:
        """A new session, active on the connection.

        Raises:
            Trouble: there is none.
        """
        peer = peer or await self.connect()
        params = {"cwd": self.options.cwd, **more}
        result = await self._logged_in(peer, lambda: peer.call("session/new", params))
        return Session(peer, str(result.get("sessionId")), self.options.cwd)

    async def resume(self, peer: Peer, session: Session) -> Session:
        """A session of an earlier connection, active on this one.

        Raises:
            Refused: it cannot be resumed.
            Trouble: something else happened.
        """
        params = resume_params(session.id, session.cwd)
        await self._logged_in(peer, lambda: peer.call("session/resume", params))
        return Session(peer, session.id, session.cwd)

    async def _logged_in(self, peer: Peer, act: Callable[[], Awaitable[T]]) -> T:
        """Do something, after logging in where that is asked for."""
        try:
            return await act()
        except Refused as error:
            if error.code != ErrorCode.AUTH_REQUIRED:
                raise
            if self.options.login is None:
                raise NoConnection("the agent asks for a login; --login METHOD says with which method") from None
            await peer.call("auth/login", {"methodId": self.options.login})
            return await act()
