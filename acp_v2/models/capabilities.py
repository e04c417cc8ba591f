# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated

from acp_v2.wire_model import Extensible
from acp_v2.wire_types import (
    OrAbsent,
)


class AgentAuthCapabilities(Extensible):
    """Additions to authentication that the agent supports. Whether the client can call `auth/login` and
    `auth/logout` is not told here but by `authMethods` in the `initialize` response, if it has any entries.
    """

    status: Annotated[AuthStatusCapabilities | None, OrAbsent()] = None
    """Unstable: may change or go without a new protocol version.

    Present, the client can ask for the authentication state with `auth/status`. Absent or `null`: not
    supported.
    """


class AgentCapabilities(Extensible):
    """What the agent offers, stated in its `initialize` response. From it the client learns which methods it can
    call and which kinds of content it can send.
    """

    session: Annotated[SessionCapabilities | None, OrAbsent()] = None
    """The agent has sessions. Being present, even as `{}`, promises the baseline: `session/new`, `session/list`,
    `session/resume`, `session/close`, `session/prompt`, `session/cancel` and `session/update`. Absent or
    `null`: there are no `session/*` methods to call.
    """

    auth: Annotated[AgentAuthCapabilities | None, OrAbsent()] = None
    """Extensions to authentication. It says nothing about `auth/login` and `auth/logout`, which are announced by a
    non-empty `authMethods` in the same response. Absent or `null`: no extensions.
    """

    providers: Annotated[ProvidersCapabilities | None, OrAbsent()] = None
    """Unstable: may change or go without a new protocol version.

    Present, the client can inspect and change the agent's LLM providers through `providers/*`. Absent or
    `null`: not supported.
    """


class AuthStatusCapabilities(Extensible):
    """Unstable: may change or go without a new protocol version.

    Marker without fields of its own: `auth/status` is available, and the agent may report later changes with a
    notification.
    """


class ClientAuthCapabilities(Extensible):
    """Opt-in for types of authentication method that do not work without help from the client. A type that needs
    no such help has no entry.
    """

    terminal: Annotated[TerminalAuthCapabilities | None, OrAbsent()] = None
    """Present, the agent may offer `terminal` methods; absent or `null`, it must not. A client should set it only
    if it can start the agent as configured once more, in a terminal the user can type into.
    """


class ClientCapabilities(Extensible):
    """What the client offers, stated in its `initialize` request. The agent goes by it when it chooses which
    authentication methods to advertise and whether it can ask the user for input.
    """

    auth: Annotated[ClientAuthCapabilities | None, OrAbsent()] = None
    """Types of authentication method that the client can carry out and the agent may therefore list in its
    `initialize` response. Absent or `null`: none of those a client has to opt in to.
    """

    elicitation: Annotated[ElicitationCapabilities | None, OrAbsent()] = None
    """Ways in which the client can ask the user something for the agent; the agent picks its elicitation mode from
    them. Absent or `null`: elicitation is not supported.
    """


class ElicitationCapabilities(Extensible):
    """Modes of `elicitation/create` that the client can handle. A mode is supported only if its own field is
    present and not `null`; unlike in MCP, an empty object does not stand for forms.
    """

    form: Annotated[ElicitationFormCapabilities | None, OrAbsent()] = None
    """Present, the client can show a form made from a schema. Absent or `null`: forms are not advertised."""

    url: Annotated[ElicitationUrlCapabilities | None, OrAbsent()] = None
    """Present, the client can send the user to a URL. Absent or `null`: not supported."""


class ElicitationFormCapabilities(Extensible):
    """Marker without fields of its own: the agent may ask for input in `form` mode."""


class ElicitationUrlCapabilities(Extensible):
    """Where it is present, the agent may send the user to a URL with the `url` mode."""


class McpAcpCapabilities(Extensible):
    """Unstable: may change or go without a new protocol version.

    Marker without fields of its own: the agent can talk to MCP servers that are tunnelled through the ACP
    channel.
    """


class McpCapabilities(Extensible):
    """MCP transports that session lifecycle requests can use, one field each. An agent must reject a request that
    names a server over any other, with `-32602`.
    """

    stdio: Annotated[McpStdioCapabilities | None, OrAbsent()] = None
    """Present, clients may pass `stdio` servers, which the agent launches as processes. Absent or `null`: not
    supported.
    """

    http: Annotated[McpHttpCapabilities | None, OrAbsent()] = None
    """Present, clients may pass `http` servers, which the agent reaches at a URL. Absent or `null`: not supported."""

    acp: Annotated[McpAcpCapabilities | None, OrAbsent()] = None
    """Unstable: may change or go without a new protocol version.

    Present, clients may pass `acp` servers: an ACP component provides them, and `mcp/message` carries the
    traffic over the ACP channel. Absent or `null`: not supported.
    """


class McpHttpCapabilities(Extensible):
    """Sent as `{}` by an agent that can connect to MCP servers over HTTP."""


class McpStdioCapabilities(Extensible):
    """Marker without fields of its own, promising that the agent can run an MCP server as a process and talk to it
    over stdio.
    """


class PromptAudioCapabilities(Extensible):
    """Promises, simply by being there, that prompts can include audio."""


class PromptCapabilities(Extensible):
    """Which content blocks an agent can process in a `session/prompt`. `text` and `resource_link` belong to the
    baseline and have no entry; for any other kind the agent must opt in with a field here. Clients must fit
    their interface to this, and an agent must reject a prompt with a kind of block it does not support, with
    `-32602`.
    """

    image: Annotated[PromptImageCapabilities | None, OrAbsent()] = None
    """Present, prompts may contain `image` blocks. Absent or `null`: not supported."""

    audio: Annotated[PromptAudioCapabilities | None, OrAbsent()] = None
    """Present, prompts may contain `audio` blocks. Absent or `null`: not supported."""

    embedded_context: Annotated[PromptEmbeddedContextCapabilities | None, OrAbsent()] = None
    """Present, prompts may contain `resource` blocks, which carry the material a message refers to instead of a
    link to it. Absent or `null`: not supported.
    """


class PromptEmbeddedContextCapabilities(Extensible):
    """Sent as `{}` by an agent that reads context embedded in the prompt as `resource` blocks."""


class PromptImageCapabilities(Extensible):
    """Marker without fields of its own: once it is there, the agent takes images as part of a prompt."""


class ProvidersCapabilities(Extensible):
    """Unstable: may change or go without a new protocol version.

    Stands for the three methods `providers/list`, `providers/set` and `providers/disable`.
    """


class SessionAdditionalDirectoriesCapabilities(Extensible):
    """Where it is present, sessions can have workspace roots besides `cwd`, set with `additionalDirectories` in
    the session lifecycle requests that have it. In `session/list` the agent may report each session's extra
    roots, and then as one complete list in order.
    """


class SessionArchiveCapabilities(Extensible):
    """Unstable: may change or go without a new protocol version.

    Covers archiving as a whole and has no settings for its parts: the methods `session/archive` and
    `session/unarchive`, the `archived` filter when listing, and the `archived` field of each listed session.
    """


class SessionCapabilities(Extensible):
    """What the agent can do with sessions. An empty object covers the baseline: `session/new`, `session/list`,
    `session/resume`, `session/close`, `session/prompt`, `session/cancel` and `session/update`. The agent must
    then also honour an `idempotencyKey` on a prompt, for which there is no capability of its own.

    Each field announces something further that an agent may support: more session methods, more kinds of prompt
    content, MCP transports.
    """

    prompt: Annotated[PromptCapabilities | None, OrAbsent()] = None
    """Kinds of content accepted in `session/prompt` on top of text and resource links, which every agent with
    sessions must accept. Absent or `null`: no further kinds.
    """

    mcp: Annotated[McpCapabilities | None, OrAbsent()] = None
    """Transports over which the agent can reach the MCP servers that a session lifecycle request, such as
    `session/new`, names. Absent or `null`: none.
    """

    delete: Annotated[SessionDeleteCapabilities | None, OrAbsent()] = None
    """Present, the client can remove sessions from `session/list` by calling `session/delete`. Absent or `null`:
    not supported.
    """

    additional_directories: Annotated[SessionAdditionalDirectoriesCapabilities | None, OrAbsent()] = None
    """Present, session lifecycle requests that have the field may set `additionalDirectories`. The agent may then
    also report the extra roots of a listed session, complete and in order, in
    `SessionInfo.additionalDirectories`. Absent or `null`: not supported.
    """

    system_prompt: Annotated[SessionSystemPromptCapabilities | None, OrAbsent()] = None
    """Unstable: may change or go without a new protocol version.

    Present, session lifecycle requests may carry a `systemPrompt`, at least in `append` mode. Absent or `null`:
    not supported, and clients must not send one.
    """

    fork: Annotated[SessionForkCapabilities | None, OrAbsent()] = None
    """Unstable: may change or go without a new protocol version.

    Present, the client can branch off a new session from an existing one with `session/fork`. Absent or `null`:
    not supported.
    """

    archive: Annotated[SessionArchiveCapabilities | None, OrAbsent()] = None
    """Unstable: may change or go without a new protocol version.

    Present, four things work: `session/archive`, `session/unarchive`, the `archived` filter of `session/list`,
    and `SessionInfo.archived`. Absent or `null`: none of them is advertised.
    """

    status: Annotated[SessionStatusCapabilities | None, OrAbsent()] = None
    """Unstable: may change or go without a new protocol version.

    Present, the client can look up how a session is doing with `session/status`, which leaves the session
    untouched. Absent or `null`: not supported.
    """

    title: Annotated[SessionTitleCapabilities | None, OrAbsent()] = None
    """Unstable: may change or go without a new protocol version.

    Present, the client can rename a session with `session/set_title`. The agent reports titles in
    `session/list` and `session_info_update` with or without it. Absent or `null`: setting titles is not
    supported.
    """


class SessionDeleteCapabilities(Extensible):
    """Stands for `session/delete`: clients can have sessions removed from what `session/list` returns. It has no
    settings.
    """


class SessionForkCapabilities(Extensible):
    """Unstable: may change or go without a new protocol version.

    Sent as `{}` by an agent that supports forking sessions with `session/fork`.
    """


class SessionStatusCapabilities(Extensible):
    """Unstable: may change or go without a new protocol version.

    Promises, simply by being there, that the agent answers `session/status`.
    """


class SessionSystemPromptCapabilities(Extensible):
    """Unstable: may change or go without a new protocol version.

    Says that the client can supply system-level instructions in session lifecycle requests. Even an empty
    object promises the `append` mode.
    """

    mode: Annotated[SessionSystemPromptModeCapabilities | None, OrAbsent()] = None
    """Ways of applying the client's instructions other than `append`. Absent or `null`: `append` is the only one."""


class SessionSystemPromptModeCapabilities(Extensible):
    """Unstable: may change or go without a new protocol version.

    One field for each optional mode. There is none for `append`, since every agent with `session.systemPrompt`
    supports it.
    """

    override: Annotated[SessionSystemPromptOverrideCapabilities | None, OrAbsent()] = None
    """Present, a client may use `override`, which puts its text in place of the instructions built into the agent.
    Absent or `null`: not supported, and the client must not use that mode.
    """


class SessionSystemPromptOverrideCapabilities(Extensible):
    """Unstable: may change or go without a new protocol version.

    Marker without fields of its own: the agent can give up its default instructions in favour of the client's.
    """


class SessionTitleCapabilities(Extensible):
    """Unstable: may change or go without a new protocol version.

    Marker without fields of its own: `session/set_title` is available. It has no bearing on the titles an agent
    reports in `session/list` and `session_info_update`, which need no capability.
    """


class TerminalAuthCapabilities(Extensible):
    """Promises support for `terminal` authentication: the client can start the agent with its configured command
    in an interactive terminal.
    """
