# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import FailFast, Field

from acp_v2.wire_model import Extensible, WireModel
from acp_v2.wire_types import (
    NullAsAbsent,
    OpenUnion,
    OrAbsent,
    SkipInvalidItems,
    UnlistedTag,
)

from . import scalars


class AuthAccount(Extensible):
    """Unstable: may change or go without a new protocol version.

    An account or credential set up in the agent: the user's login, say, or an API key. All of it is for
    display. Clients must not rely on any field to recognise an account again, and should not write it to logs
    or pass it on, for example as telemetry.
    """

    label: str
    """Text that can stand for the account by itself, for example `OpenAI API key`."""

    active: Annotated[bool | None, OrAbsent()] = None
    """Whether this is an account the agent uses by default at present. There may be more than one, say one for
    each provider. Absent or `null`: the agent does not say.
    """

    name: Annotated[str | None, OrAbsent()] = None
    """The user behind the account, by user name or full name. Absent or `null`: not reported."""

    email: Annotated[str | None, OrAbsent()] = None
    """The user's email address. Absent or `null`: not reported."""

    organization: Annotated[str | None, OrAbsent()] = None
    """Organisation, team or workspace on whose behalf the account is used, by its display name. Absent or `null`:
    not reported.
    """


class AuthMethodAgent(Extensible):
    """A login that the agent carries out itself once the client calls `auth/login`."""

    __tags__ = ("type",)

    type: Literal["agent"] = "agent"

    method_id: scalars.AuthMethodId
    """Tells the method apart from the others in `authMethods`; the value to send in `auth/login`."""

    name: str
    """Label for people, as on a button that starts the login."""

    description: Annotated[str | None, OrAbsent()] = None
    """Explains the method to people in more words than `name`. Absent or `null`: no explanation."""


class AuthMethodTerminal(Extensible):
    """A login in a terminal. The client starts the program it has configured for this agent as a separate
    interactive process, with the arguments and variables given here added, and lets the user complete the login
    there. The method never supplies a command of its own. Exit status zero means success, any other end means
    failure; after a success the client reconnects, initialises again and retries what needed the login.

    Agents must offer this type only to a client that set `auth.terminal` in its capabilities. Clients must not
    call `auth/login` with it.
    """

    __tags__ = ("type",)

    type: Literal["terminal"] = "terminal"

    method_id: scalars.AuthMethodId
    """Tells the method apart from the others in `authMethods`. It must not be sent in `auth/login`."""

    name: str
    """Label for people, as in a list of ways to sign in."""

    description: Annotated[str | None, OrAbsent()] = None
    """Explains the method to people in more words than `name`. Absent or `null`: no explanation."""

    args: Annotated[list[str], FailFast(), NullAsAbsent()] = Field(default_factory=list)
    """Arguments to put after those the agent is normally started with. They should lead straight into a login that
    exits once it is done. Absent or `null`: nothing to append.
    """

    env: Annotated[list[EnvVariable], FailFast(), NullAsAbsent()] = Field(default_factory=list)
    """Variables to set on top of those the agent is normally started with; on a clash of names, the value given
    here wins. No name must occur twice. Absent or `null`: nothing to set.
    """


class AuthStatusRequest(Extensible):
    """Unstable: may change or go without a new protocol version.

    Asks for the current authentication state and leaves it as it is. It must never be rejected with `-32000`,
    since clients call it to learn if a login is needed.
    """


class AuthStatusResponse(Extensible):
    """Unstable: may change or go without a new protocol version.

    The state as the agent sees it now, with the accounts behind it.
    """

    state: scalars.AuthState
    """Whether a session can be started before the user has signed in. Nothing else in the response should guide
    what a client does; a value it does not recognise it must treat as `unknown`.
    """

    accounts: Annotated[list[AuthAccount], FailFast(), SkipInvalidItems(), OrAbsent()] = Field(default_factory=list)
    """Accounts set up in the agent, to be shown to the user. An agent with credentials for more than one account
    or provider should list all of them and set `active` on those in effect. Absent or empty: none reported.
    """


class AuthStatusUpdateNotification(Extensible):
    """Unstable: may change or go without a new protocol version.

    Tells the client about a change of authentication status, with the same content as a response to
    `auth/status`. An agent that advertises `auth.status` may send it at any moment after `initialize`, and
    should do so only if its status is no longer the one it last sent on this connection.
    """

    state: scalars.AuthState
    """Whether a session can now be started before the user has signed in. The one field a client should base its
    behaviour on; a value it does not recognise it must treat as `unknown`.
    """

    accounts: Annotated[list[AuthAccount], FailFast(), SkipInvalidItems(), OrAbsent()] = Field(default_factory=list)
    """Accounts now set up in the agent, to be shown to the user. If it has credentials for several accounts or
    providers, it should list all of them and set `active` on those in effect. Absent or empty: none reported.
    """


class EnvVariable(Extensible):
    """One variable in the environment of a process that is about to be launched, such as an MCP server or a login
    in a terminal.
    """

    name: str
    """The variable to set."""

    value: str
    """What to set it to; numbers and the like are written as text."""


class LoginAuthRequest(Extensible):
    """Starts a login with one of the advertised methods. An agent whose `authMethods` has entries must support it;
    if the list was empty or left out, the client must not call it.
    """

    method_id: scalars.AuthMethodId
    """The method to sign in with. It must come from the `authMethods` of this agent, and must not be of type
    `terminal`.
    """


class LoginAuthResponse(Extensible):
    """The login succeeded: requests that were refused for lack of it can now go through. A failed login is an
    error instead.
    """


class LogoutAuthRequest(Extensible):
    """Ends the signed-in state. As with `auth/login`, an agent must support it if its `authMethods` has entries,
    and the client must not call it if the list was empty or left out.
    """


class LogoutAuthResponse(Extensible):
    """The user is signed out; requests that need authentication will need a new login. What becomes of running
    sessions is up to the agent: it may end them, let them run, or answer further requests with `-32000`.
    Clients should be prepared for the last.
    """


class UnknownAuthMethod(WireModel):
    """Any value that is not listed. Names that start with `_` are for private extensions; all others are kept for
    later versions of the protocol. A client should keep the payload as received wherever it stores, replays or
    passes on initialisation data. Apart from that it should leave the method out or list it in a generic way.
    """

    type: Annotated[str, UnlistedTag(frozenset({"terminal", "agent"}))]

    method_id: scalars.AuthMethodId
    """Tells the method apart from the others in `authMethods`, even if its type is not understood."""

    name: str
    """Label for people, which also serves to list a method whose type is not understood."""


AuthMethod: TypeAlias = Annotated[AuthMethodTerminal | AuthMethodAgent | UnknownAuthMethod, OpenUnion("type", "type")]
"""One way to sign in, listed by the agent in `authMethods`. Its `type` says who does the work: the agent, when
told to with `auth/login`, or the client, by starting a program for the user.
"""
