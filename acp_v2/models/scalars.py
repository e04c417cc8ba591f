# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal, TypeAlias

from acp_v2.wire_types import (
    FirstThatFits,
    Integral,
    OpenString,
)

AbsolutePath: TypeAlias = str
"""A full file system path, written the way the agent's machine writes paths: `/srv/app`, `C:\\work\\app` or
`\\\\host\\share\\app`. It is never a URI.
"""


AuthMethodId: TypeAlias = str
"""Names one of an agent's authentication methods. The agent chooses it and keeps it unique; a client sends it
back in `auth/login`.
"""


AuthState: TypeAlias = Annotated[
    Literal["authenticated", "unauthenticated", "not_required", "unknown"] | str, OpenString()
]
"""Unstable: may change or go without a new protocol version.

Where the agent as a whole stands, over all its accounts.
"""


class KnownAuthState:
    """The listed values of `AuthState`."""

    AUTHENTICATED: Final = "authenticated"
    """There are credentials, though they may still turn out to be invalid."""
    UNAUTHENTICATED: Final = "unauthenticated"
    """The user has to sign in, for example because credentials are missing, have expired or are known to fail."""
    NOT_REQUIRED: Final = "not_required"
    """The agent works without a login, as one with a local model does."""
    UNKNOWN: Final = "unknown"
    """At present the agent cannot tell."""


CompactionId: TypeAlias = str
"""Names one compaction among those of its session. The agent chooses it."""


CompactionStatus: TypeAlias = Annotated[Literal["in_progress", "completed", "failed", "cancelled"] | str, OpenString()]
"""How far a compaction of the context has come."""


class KnownCompactionStatus:
    """The listed values of `CompactionStatus`."""

    IN_PROGRESS: Final = "in_progress"
    """Started and still under way."""
    COMPLETED: Final = "completed"
    """Over, with success."""
    FAILED: Final = "failed"
    """Over, without success."""
    CANCELLED: Final = "cancelled"
    """Called off before it was done."""


DiffFileType: TypeAlias = Annotated[Literal["text", "binary", "directory", "symlink"] | str, OpenString()]
"""What sort of thing stands at a path, so that a client can choose how to show the change."""


class KnownDiffFileType:
    """The listed values of `DiffFileType`."""

    TEXT: Final = "text"
    """A file that can be read as text."""
    BINARY: Final = "binary"
    """A file whose content is not text."""
    DIRECTORY: Final = "directory"
    """A folder, which has no content of its own to compare."""
    SYMLINK: Final = "symlink"
    """A symbolic link."""


DiffPatchFormat: TypeAlias = Annotated[Literal["git_patch"] | str, OpenString()]
"""The notation of a patch."""


class KnownDiffPatchFormat:
    """The listed values of `DiffPatchFormat`."""

    GIT_PATCH: Final = "git_patch"
    """What `git diff --patch` prints: one `diff --git` section or several, with two differences. Every path must
    be absolute, the ones after `rename from`, `rename to`, `copy from` and `copy to` included, and must not
    begin with `a/`, `b/` or any other prefix. The rest is Git's way: `/dev/null` stands for the side that does
    not exist in the `---` and `+++` lines of an added or deleted file, and unusual characters are quoted.
    Without its quoting a path is character for character the native one in `changes`. Commit metadata and mail
    headers around the sections must be left out.
    """


ElicitationContentValue: TypeAlias = Any
"""The value of one input. Agents check it against the schema they asked with."""


ElicitationId: TypeAlias = str
"""Ties a URL question to the notice of its completion. The agent chooses it, unique among those still open on
the connection; to the client it is opaque.
"""


ElicitationSchemaType: TypeAlias = Literal["object"]
"""The type of a form's schema, of which there is just one."""


class KnownElicitationSchemaType:
    """The listed values of `ElicitationSchemaType`."""

    OBJECT: Final = "object"
    """A form is an object with its inputs as properties."""


ErrorCode: TypeAlias = Annotated[
    Literal[-32700, -32600, -32601, -32602, -32603, -32800, -32000, -32002, -32022] | int, Integral()
]
"""Codes from `-32700` to `-32600` have the meaning JSON-RPC 2.0 gives them. ACP's own are taken from the range
that JSON-RPC leaves to servers, `-32099` to `-32000`. The code for cancelling, `-32800`, lies in `-32899`
to `-32800`, which LSP keeps for itself.
"""


class KnownErrorCode:
    """The listed values of `ErrorCode`."""

    PARSE_ERROR: Final = -32700
    """The text received is not JSON. The response has the id `null` if none could be made out."""
    INVALID_REQUEST: Final = -32600
    """The message is JSON but no proper request, for example a batch, which this version does not have. The
    response has the id `null` if none could be made out.
    """
    METHOD_NOT_FOUND: Final = -32601
    """The receiver has no such method, or does not make it available."""
    INVALID_PARAMS: Final = -32602
    """The method exists, but the receiver does not accept these parameters."""
    INTERNAL_ERROR: Final = -32603
    """Something failed inside the receiver."""
    REQUEST_CANCELLED: Final = -32800
    """The work was broken off: the caller cancelled it, resources ran short, or the receiver is shutting down."""
    AUTH_REQUIRED: Final = -32000
    """The user has to sign in before the agent can do this."""
    RESOURCE_NOT_FOUND: Final = -32002
    """Something the request refers to does not exist. If it is a session, `data` says which."""
    UNSUPPORTED_PROTOCOL_VERSION: Final = -32022
    """The answer to `initialize` if all versions the agent supports are newer than the one requested. `data` lists
    them.
    """


ExtNotification: TypeAlias = Any
"""Parameters of a one-way message whose method name starts with `_`, an extension that either side may send.
Receivers should ignore one they do not know.
"""


ExtRequest: TypeAlias = Any
"""Parameters of a request whose method name starts with `_`, which makes it an extension outside ACP; whoever
defines the method decides what they look like. A receiver that does not know the method should answer with
`-32601`.
"""


ExtResponse: TypeAlias = Any
"""The result of an extension request, as defined by whoever added the method; ACP leaves its form open."""


IconTheme: TypeAlias = Annotated[Literal["light", "dark"] | str, OpenString()]
"""The background that an icon is drawn for."""


class KnownIconTheme:
    """The listed values of `IconTheme`."""

    LIGHT: Final = "light"
    """Goes on a light background."""
    DARK: Final = "dark"
    """Goes on a dark background."""


LlmProtocol: TypeAlias = Annotated[Literal["anthropic", "openai", "azure", "vertex", "bedrock"] | str, OpenString()]
"""Unstable: may change or go without a new protocol version.

The API that an LLM endpoint speaks. The names below are well known; agents and clients must cope gracefully
with others.
"""


class KnownLlmProtocol:
    """The listed values of `LlmProtocol`."""

    ANTHROPIC: Final = "anthropic"
    """The API that Anthropic offers for its models."""
    OPENAI: Final = "openai"
    """The API that OpenAI offers for its models."""
    AZURE: Final = "azure"
    """The API of Azure OpenAI."""
    VERTEX: Final = "vertex"
    """The API of Vertex AI on Google Cloud."""
    BEDROCK: Final = "bedrock"
    """The API of Bedrock on AWS."""


McpRequestId: TypeAlias = str
"""Unstable: may change or go without a new protocol version.

Names an MCP request while it is active at a server on this connection. The caller makes it and proxies pass
it on unchanged; it is unrelated to the JSON-RPC id of the ACP request around it.
"""


McpServerAcpId: TypeAlias = str
"""Unstable: may change or go without a new protocol version.

Names an MCP server that is reached through ACP. It is opaque; the component that provides the server makes
it, and `mcp/message` finds its way to that component by it.
"""


MediaType: TypeAlias = str
"""An Internet media type, such as `image/png`, which names the format of some content."""


MessageId: TypeAlias = str
"""Names a message within a session. User messages, agent messages and agent thoughts each have ids of their
own, so two messages of different types can share one and are still two.
"""


NoticeSeverity: TypeAlias = Annotated[Literal["info", "warning", "error"] | str, OpenString()]
"""How serious a notice is. This is only a hint for its presentation; even `error` fails no request and ends no
work.
"""


class KnownNoticeSeverity:
    """The listed values of `NoticeSeverity`."""

    INFO: Final = "info"
    """For the user's information."""
    WARNING: Final = "warning"
    """The user is warned of something."""
    ERROR: Final = "error"
    """The user is told of an error."""


PermissionOptionId: TypeAlias = str
"""Names an option within its request. The agent chooses it and gets it back."""


PermissionOptionKind: TypeAlias = Annotated[
    Literal["allow_once", "allow_always", "reject_once", "reject_always"] | str, OpenString()
]
"""What an option amounts to, so that a client can pick a fitting icon and style for it."""


class KnownPermissionOptionKind:
    """The listed values of `PermissionOptionKind`."""

    ALLOW_ONCE: Final = "allow_once"
    """Yes, this time."""
    ALLOW_ALWAYS: Final = "allow_always"
    """Yes, and the answer is to be remembered."""
    REJECT_ONCE: Final = "reject_once"
    """No, this time."""
    REJECT_ALWAYS: Final = "reject_always"
    """No, and the answer is to be remembered."""


PlanEntryPriority: TypeAlias = Annotated[Literal["high", "medium", "low"] | str, OpenString()]
"""How much a task matters compared with the others in its plan."""


class KnownPlanEntryPriority:
    """The listed values of `PlanEntryPriority`."""

    HIGH: Final = "high"
    """The goal depends on it."""
    MEDIUM: Final = "medium"
    """It matters, but the goal does not stand or fall with it."""
    LOW: Final = "low"
    """It would be welcome and can be left out."""


PlanEntryStatus: TypeAlias = Annotated[Literal["pending", "in_progress", "completed", "cancelled"] | str, OpenString()]
"""Where a task stands between being planned and being finished."""


class KnownPlanEntryStatus:
    """The listed values of `PlanEntryStatus`."""

    PENDING: Final = "pending"
    """Not begun."""
    IN_PROGRESS: Final = "in_progress"
    """Being worked on now."""
    COMPLETED: Final = "completed"
    """Finished, with success."""
    CANCELLED: Final = "cancelled"
    """Given up before it was finished."""


PlanId: TypeAlias = str
"""Names a plan within its session. An agent that works on several at once tells them apart by it."""


ProtocolVersion: TypeAlias = Annotated[int, Integral(ge=0, le=65535)]
"""A single whole number, `2` for this protocol. It is raised only when a change breaks compatibility; any
other change should come in as a capability.
"""


ProviderId: TypeAlias = str
"""Unstable: may change or go without a new protocol version.

Names one LLM provider of the agent, for example `main` or `openai`. No two providers share one.
"""


ProxySuccessorResponse: TypeAlias = Any
"""Unstable: may change or go without a new protocol version.

What the request inside returned, as the same JSON value.
"""


RequestId: TypeAlias = Annotated[int | str, FirstThatFits()]
"""Ties a response to its request. It must not be `null`, which plain JSON-RPC would allow, and the receiver
must return it unchanged. Each side picks the ids of the requests it sends, so both may have one with the
same id under way; a sender must not use an id again until the request that has it is answered.
"""


Role: TypeAlias = Annotated[Literal["assistant", "user"] | str, OpenString()]
"""One side of a conversation, as the sender or the recipient of something."""


class KnownRole:
    """The listed values of `Role`."""

    ASSISTANT: Final = "assistant"
    """The side that the agent and its model are on."""
    USER: Final = "user"
    """The side that the user is on."""


SessionArchiveFilter: TypeAlias = Annotated[Literal["exclude", "include", "only"] | str, OpenString()]
"""Unstable: may change or go without a new protocol version.

Which sessions `session/list` returns, judged by whether they are archived.
"""


class KnownSessionArchiveFilter:
    """The listed values of `SessionArchiveFilter`."""

    EXCLUDE: Final = "exclude"
    """Leave archived sessions out; also what an absent filter means."""
    INCLUDE: Final = "include"
    """List every session, archived or not."""
    ONLY: Final = "only"
    """List nothing but archived sessions."""


SessionConfigGroupId: TypeAlias = str
"""Names one group of values in a `select` option."""


SessionConfigId: TypeAlias = str
"""Names one config option of a session. The agent chooses it; `session/set_config_option` takes it."""


SessionConfigOptionCategory: TypeAlias = Annotated[
    Literal["mode", "model", "model_config", "thought_level"] | str, OpenString()
]
"""A hint at what an option is for, so that a client can give the model or mode selector of any agent the same
icon, shortcut or place. Nothing must need it to work correctly, and clients must cope with one that is
missing or unknown.
"""


class KnownSessionConfigOptionCategory:
    """The listed values of `SessionConfigOptionCategory`."""

    MODE: Final = "mode"
    """The option selects the session's mode."""
    MODEL: Final = "model"
    """The option selects the model."""
    MODEL_CONFIG: Final = "model_config"
    """The option tunes the model, for instance its context size. Clients should show it near the `model` option."""
    THOUGHT_LEVEL: Final = "thought_level"
    """The option sets how much the model reasons."""


SessionConfigValueId: TypeAlias = str
"""Names one value of a `select` option; no two values of that option share it."""


SessionId: TypeAlias = str
"""Names one conversation with an agent, which keeps context, history and state apart for each of its sessions.
The agent hands it out when a session is created or forked.
"""


SessionListCursor: TypeAlias = str
"""A position in the `session/list` results that only the agent can read. Clients must treat it as opaque and
must not parse, change or store it.
"""


SessionStatus: TypeAlias = Annotated[Literal["open", "saved"] | str, OpenString()]
"""Unstable: may change or go without a new protocol version.

Whether a session is in the memory of the agent, as far as `session/status` can tell.
"""


class KnownSessionStatus:
    """The listed values of `SessionStatus`."""

    OPEN: Final = "open"
    """In memory, for whichever connection. Unless the asking client created or resumed it over its own connection,
    it must still send `session/resume` before it prompts or counts on updates.
    """
    SAVED: Final = "saved"
    """Known and resumable, but not in memory; `session/resume` starts it."""


StringFormat: TypeAlias = Annotated[Literal["email", "uri", "date", "date-time"] | str, OpenString()]
"""What a text has to be apart from being text."""


class KnownStringFormat:
    """The listed values of `StringFormat`."""

    EMAIL: Final = "email"
    """An email address."""
    URI: Final = "uri"
    """An address such as a web page has, complete with its scheme."""
    DATE: Final = "date"
    """A day, as `YYYY-MM-DD`."""
    DATE_TIME: Final = "date-time"
    """A point in time as RFC 3339 writes it."""


SystemPromptMode: TypeAlias = Annotated[Literal["append", "override"] | str, OpenString()]
"""Unstable: may change or go without a new protocol version.

What becomes of the agent's own instructions when the client brings a system prompt.
"""


class KnownSystemPromptMode:
    """The listed values of `SystemPromptMode`."""

    APPEND: Final = "append"
    """The content is added to the agent's own instructions; every agent that advertises `session.systemPrompt`
    supports this. It should get system-level precedence, for example in the system prompt and not in a user
    turn. Where it goes and how it is formatted is up to the agent.
    """
    OVERRIDE: Final = "override"
    """The content takes the place of the agent's built-in instructions. Tools, MCP servers, permissions and
    configuration stay as they are, and the agent may go on adding context it draws from workspace or
    environment. A client must only use it if `session.systemPrompt.mode.override` is advertised, and then
    answers for any tool guidance or safety instructions it has displaced.
    """


TerminalId: TypeAlias = str
"""Names a terminal within its session. The agent chooses it and must not give it to another terminal later. It
has nothing to do with tool call ids, even where two strings happen to be equal.
"""


ToolCallId: TypeAlias = str
"""Names one tool call among those of its session."""


ToolCallStatus: TypeAlias = Annotated[
    Literal["pending", "in_progress", "paused", "completed", "failed", "cancelled"] | str, OpenString()
]
"""Where a tool call stands between being asked for and being over."""


class KnownToolCallStatus:
    """The listed values of `ToolCallStatus`."""

    PENDING: Final = "pending"
    """Not started yet: the input may still be streaming in, approval may be missing, or a later time may be set."""
    IN_PROGRESS: Final = "in_progress"
    """Running at this moment."""
    PAUSED: Final = "paused"
    """Started, but at a standstill until something resumes it. There is no limit on how often it may go back to
    `in_progress`.
    """
    COMPLETED: Final = "completed"
    """Over, with success."""
    FAILED: Final = "failed"
    """Over, with an error."""
    CANCELLED: Final = "cancelled"
    """Called off before it was complete."""


ToolKind: TypeAlias = Annotated[
    Literal["read", "edit", "delete", "move", "search", "execute", "think", "fetch", "switch_mode", "other"] | str,
    OpenString(),
]
"""What sort of tool is being used, from which a client can choose an icon and a way to show progress."""


class KnownToolKind:
    """The listed values of `ToolKind`."""

    READ: Final = "read"
    """Reads files or other data."""
    EDIT: Final = "edit"
    """Changes files or other content."""
    DELETE: Final = "delete"
    """Deletes files or other data."""
    MOVE: Final = "move"
    """Moves files or gives them another name."""
    SEARCH: Final = "search"
    """Looks for information."""
    EXECUTE: Final = "execute"
    """Runs code or a command."""
    THINK: Final = "think"
    """Reasons or makes plans internally."""
    FETCH: Final = "fetch"
    """Gets data from outside."""
    SWITCH_MODE: Final = "switch_mode"
    """Changes the mode of the session, which is a config option of the category `mode`."""
    OTHER: Final = "other"
    """Anything else, and the default."""
