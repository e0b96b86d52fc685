"""Makes the application."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from importlib.metadata import version

from fastapi import FastAPI

from turnfold.service import TurnfoldService
from turnfold.settings import Settings
from turnfold.wiring import build_service
from turnfold_api.api_keys import ApiKeys
from turnfold_api.documented import add_document
from turnfold_api.head_requests import HeadRequests
from turnfold_api.host_check import HostCheck
from turnfold_api.parts import Parts
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
    probes,
    sessions,
)

RESOURCES = (sessions, messages, context, groups, compactions, jobs, compact, chat_completions, probes)


def create_app(settings: Settings, *, service: TurnfoldService | None = None) -> FastAPI:
    """
    Args:
        settings: keys, bounds, and where the store is.
        service: in place of the one of the settings; whoever made it closes it.

    Raises:
        BadInput: the keys that are set can't be read.
    """
    parts = Parts(settings, ApiKeys.parse(settings.api_keys.get_secret_value()), service)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncGenerator[None]:
        async with open_upstream(settings, has_keys=bool(parts.keys)) as parts.upstream:
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
    if not parts.keys:
        app.add_middleware(HostCheck)
    app.add_middleware(RequestLog)  # the outermost: it sees what the others do
    return app


@asynccontextmanager
async def open_upstream(settings: Settings, *, has_keys: bool) -> AsyncGenerator[Upstream | None]:
    """The model's server of the settings; closed when what it still has to store is stored."""
    if not settings.upstream_base_url:
        yield None
        return
    key = settings.upstream_api_key
    upstream = Upstream(
        settings.upstream_base_url, api_key=key.get_secret_value() if key else None, passes_keys=not has_keys
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
    try:
        yield service
    finally:
        await service.close()
