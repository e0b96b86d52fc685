"""Makes the application."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI

from turnfold.operations.sweeping import announce_policy
from turnfold.service import TurnfoldService
from turnfold.settings import Settings
from turnfold.wiring import build_service
from turnfold_api.api_keys import ApiKeys
from turnfold_api.documented import add_document
from turnfold_api.head_requests import HeadRequests
from turnfold_api.host_check import HostCheck
from turnfold_api.key_ring import KeyRing
from turnfold_api.parts import Parts
from turnfold_api.path_check import PathCheck
from turnfold_api.problem_handlers import add_problem_handlers
from turnfold_api.proxy.upstream import Upstream
from turnfold_api.request_log import RequestLog
from turnfold_api.resources import (
    chat_completions,
    compact,
    compactions,
    context,
    groups,
    jobs,
    messages,
    metrics,
    originals,
    probes,
    rebuilds,
    search,
    sessions,
    summaries,
    sweeps,
    usage,
)

RESOURCES = (
    sessions, messages, search, context, groups, summaries, originals, compactions, rebuilds, jobs, compact,
    chat_completions, sweeps, usage, probes, metrics,
)  # fmt: skip


def create_app(
    settings: Settings,
    *,
    service: TurnfoldService | None = None,
    host: str = "localhost",
    requires_key: bool = False,
) -> FastAPI:
    """
    Args:
        settings: keys, bounds, and where the store is.
        service: in place of the one of the settings; whoever made it closes it.
        host: the name or address that is listened on.
        requires_key: calls need a key, even where none is known: for servers that other machines can reach.

    Raises:
        BadInput: the keys that are set can't be read.
    """
    keys = ApiKeys.parse(settings.api_keys.get_secret_value())
    parts = Parts(settings, keys, requires_key=requires_key, service=service)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        async with open_upstream(settings, parts.ring) as parts.upstream:
            if service is not None:
                yield
                return
            async with open_service(settings) as parts.service:
                yield

    app = FastAPI(
        title="turnfold",
        version=version("turnfold"),
        description="Folds old turns of a conversation into summaries ahead of the next turn.",
        lifespan=lifespan,
        # A path has one form; and the usual pages of documentation load scripts from other servers.
        redirect_slashes=False,
        docs_url=None,
        redoc_url=None,
    )
    app.state.parts = parts
    for resource in RESOURCES:
        app.include_router(resource.router)
    add_problem_handlers(app)
    add_document(app)
    app.add_middleware(HeadRequests)
    app.add_middleware(PathCheck)
    if not parts.keys:
        app.add_middleware(HostCheck, hosts=[host, *settings.allowed_hosts.split(",")], ring=parts.ring)
    app.add_middleware(RequestLog, metrics=parts.http_metrics)  # the outermost: it sees what the others do
    return app


@asynccontextmanager
async def open_upstream(settings: Settings, ring: KeyRing) -> AsyncGenerator[Upstream | None]:
    """The model's server of the settings; closed when what it still has to store is stored."""
    if not settings.upstream_base_url:
        yield None
        return
    key = settings.upstream_api_key
    upstream = Upstream(
        settings.upstream_base_url,
        api_key=key.get_secret_value() if key else None,
        passes_keys=lambda: not ring.is_required,
    )
    try:
        yield upstream
    finally:
        await upstream.close()


@asynccontextmanager
async def open_service(settings: Settings) -> AsyncGenerator[TurnfoldService]:
    """The service of the settings, on the running loop, closed at the end.

    Raises:
        BadInput: naming the setting that is missing or wrong.
    """
    service = build_service(settings)
    telling = asyncio.create_task(announce_policy(service))  # beside: a store that hangs keeps no server from starting
    try:
        yield service
    finally:
        telling.cancel()
        await asyncio.gather(telling, return_exceptions=True)
        await service.close()
