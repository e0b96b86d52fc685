"""What all requests of an application share."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import cast

from fastapi import Request

from turnfold.allowed_models import allowed_models
from turnfold.errors import Unavailable
from turnfold.service import TurnfoldService
from turnfold.settings import Settings
from turnfold_api.api_keys import ApiKeys
from turnfold_api.http_metrics import HttpMetrics
from turnfold_api.key_ring import KeyRing
from turnfold_api.proxy.upstream import Upstream


@dataclass
class Parts:
    """
    Attributes:
        keys: those of the settings.
        requires_key: calls need one, even where none is known: other machines can reach the server.
        service: the one that all tenants' services are made from; None until the application has started.
        allowed_models: those that a session's policy or a rebuild may name.
        upstream: the model's server behind `/v1/chat/completions`; None where none is set.
        http_metrics: counts of the requests.
        closing: set when the server begins to shut down: whoever waits answers with what there is.
    """

    settings: Settings
    keys: ApiKeys
    requires_key: bool = False
    service: TurnfoldService | None = None
    upstream: Upstream | None = None
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    http_metrics: HttpMetrics = field(default_factory=HttpMetrics)
    _tenants: dict[str, TurnfoldService] = field(default_factory=dict[str, TurnfoldService])

    def __post_init__(self) -> None:
        self.allowed_models = allowed_models(self.settings)
        self.ring = KeyRing(self.keys, lambda: self.base_service.store, required=self.requires_key)

    @property
    def base_service(self) -> TurnfoldService:
        """
        Raises:
            Unavailable: the application has not started.
        """
        if self.service is None:
            raise Unavailable("the application has not started")
        return self.service

    def service_of(self, tenant: str) -> TurnfoldService:
        """A tenant's service, the same each time: it keeps track of what it has on the way to the queue."""
        if tenant not in self._tenants:
            self._tenants[tenant] = self.base_service.for_tenant(tenant)
        return self._tenants[tenant]


def parts_of(request: Request) -> Parts:
    """The parts of the application that serves the request."""
    return cast(Parts, request.app.state.parts)
