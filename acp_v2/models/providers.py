# Generated from spec/ by `acpspec build`. Do not edit.

"""The classes of one topic; `acp_v2` has those of all."""

from __future__ import annotations

from typing import Annotated

from pydantic import FailFast, Field

from acp_v2.wire_model import Extensible
from acp_v2.wire_types import (
    OrEmpty,
    SkipInvalidItems,
)

from . import scalars


class DisableProviderRequest(Extensible):
    """Unstable: may change or go without a new protocol version.

    Switches one provider off. Clients must not send it for a provider that is `required`.
    """

    provider_id: scalars.ProviderId
    """The provider to switch off, as named in `providers/list`."""


class DisableProviderResponse(Extensible):
    """Unstable: may change or go without a new protocol version.

    Confirms that the provider is off.
    """


class ListProvidersRequest(Extensible):
    """Unstable: may change or go without a new protocol version.

    Asks which LLM providers the client can configure and how each is set up at the moment.
    """


class ListProvidersResponse(Extensible):
    """Unstable: may change or go without a new protocol version.

    The providers a client can configure. Headers, which may hold secrets, are not part of it.
    """

    providers: Annotated[list[ProviderInfo], FailFast()]
    """One entry for each configurable provider, with its current routing in a form that a user interface can show."""


class ProviderCurrentConfig(Extensible):
    """Unstable: may change or go without a new protocol version.

    The routing of a provider as it is in effect, limited to what is not secret; headers are therefore missing.
    """

    api_type: scalars.LlmProtocol
    """The API in use for this provider."""

    base_url: str
    """The URL to which the provider's requests go."""


class ProviderInfo(Extensible):
    """Unstable: may change or go without a new protocol version.

    What a client needs to know of one provider to show it and to configure it.
    """

    provider_id: scalars.ProviderId
    """The value by which `providers/set` and `providers/disable` refer to this provider."""

    supported: Annotated[list[scalars.LlmProtocol], FailFast(), SkipInvalidItems(), OrEmpty()]
    """The APIs this provider can be set to."""

    required: bool
    """If `true`, the agent cannot do without this provider, and clients must not call `providers/disable` for it."""

    current: ProviderCurrentConfig | None = None
    """The routing in effect, without secrets. Absent or `null`: the provider is disabled."""


class SetProviderRequest(Extensible):
    """Unstable: may change or go without a new protocol version.

    Configures one provider. What it had before is replaced as a whole, not merged.
    """

    provider_id: scalars.ProviderId
    """The provider to configure, as named in `providers/list`."""

    api_type: scalars.LlmProtocol
    """The API spoken at `baseUrl`. `ProviderInfo.supported` lists those the provider can use."""

    base_url: str
    """The URL under which the agent makes the requests of this provider."""

    headers: dict[str, str] = Field(default_factory=dict)
    """The complete set of headers, credentials and routing headers among them. Earlier headers are not kept, so
    leaving the field out leaves the provider with none.
    """


class SetProviderResponse(Extensible):
    """Unstable: may change or go without a new protocol version.

    Confirms that the new configuration is in place of the old.
    """
