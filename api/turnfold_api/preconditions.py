"""`ETag` and `If-Match`: the session's revision."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from fastapi import Depends, Header

from turnfold.errors import BadInput, NotFound, RevisionMismatch
from turnfold.service import TurnfoldService

ANY: Literal["*"] = "*"
NO_REVISION = -1
_TAG = re.compile(r'(?:W/)?"[^"]*"')
_REVISION = re.compile(r'"?([0-9]{1,15})"?')


def etag(revision: int) -> str:
    """The revision as an entity tag."""
    return f'"{revision}"'


async def if_match(
    header: Annotated[
        str | None, Header(alias="If-Match", description="The revision that the request is made for.")
    ] = None,
) -> int | Literal["*"] | None:
    """The revision that is asked for; a tag that is none of ours matches nothing.

    Raises:
        BadInput: it is no entity tag, or several.
    """
    if header is None:
        return None
    if header.strip() == ANY:
        return ANY
    if revision := _REVISION.fullmatch(header.strip()):
        return int(revision[1])
    if _TAG.fullmatch(header.strip()):
        return NO_REVISION
    raise BadInput("If-Match", 'must be one entity tag, such as "3", or *')


async def revision_to_match(wanted: int | Literal["*"] | None, service: TurnfoldService, session_id: str) -> int | None:
    """What the library shall compare: `*` asks only that the session exists.

    Raises:
        RevisionMismatch: `*`, and there is no such session.
    """
    if wanted != ANY:
        return wanted
    try:
        await service.session(session_id)
    except NotFound:
        raise RevisionMismatch("If-Match: * asks for a session that exists") from None
    return None


IfMatch = Annotated[int | Literal["*"] | None, Depends(if_match)]
