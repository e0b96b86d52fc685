"""Who calls, and the service of their tenant: what every resource under /v1 depends on."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from turnfold.service import TurnfoldService
from turnfold_api.api_keys import DEFAULT_TENANT, Caller
from turnfold_api.errors import ReadOnlyKey, Unauthorized
from turnfold_api.parts import parts_of

_bearer = HTTPBearer(auto_error=False, scheme_name="ApiKey", description="A key of TURNFOLD_API_KEYS.")


async def caller(
    request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)] = None
) -> Caller:
    """
    Raises:
        Unauthorized: there are keys, and none of them was given.
    """
    ring = parts_of(request).ring
    await ring.refresh()
    # Headers are read as Latin-1: this gives back the bytes that were sent.
    found = ring.caller_of(given.credentials.encode("latin-1")) if given else None
    if ring.is_required and found is None:
        raise Unauthorized
    who = found or Caller(DEFAULT_TENANT)
    request.state.tenant = who.tenant
    return who


async def writer(who: Annotated[Caller, Depends(caller)]) -> Caller:
    """
    Raises:
        ReadOnlyKey: the key may read only.
    """
    if not who.may_write:
        raise ReadOnlyKey
    return who


async def _service(request: Request, who: Annotated[Caller, Depends(caller)]) -> TurnfoldService:
    return parts_of(request).service_of(who.tenant)


async def _service_to_write(request: Request, who: Annotated[Caller, Depends(writer)]) -> TurnfoldService:
    return parts_of(request).service_of(who.tenant)


AnyCaller = Depends(caller)
Service = Annotated[TurnfoldService, Depends(_service)]
ServiceToWrite = Annotated[TurnfoldService, Depends(_service_to_write)]
