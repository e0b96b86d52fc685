"""What became of each group of a session."""

from __future__ import annotations

from collections.abc import Sequence

from fastapi import APIRouter, Response

from turnfold.groups import MessageGroup
from turnfold_api import schemas
from turnfold_api.access import Service
from turnfold_api.cursors import decode_cursor, encode_cursor
from turnfold_api.documented import answers
from turnfold_api.json_response import ExactJSON
from turnfold_api.query import DEFAULT_LIMIT, Cursor, Limit

router = APIRouter(prefix="/v1/sessions/{session_id}/groups", tags=["context"])


@router.get("", operation_id="listGroups", responses=answers(200, schemas.GroupList, 404))
async def list_groups(session_id: str, service: Service, cursor: Cursor = None, limit: Limit = None) -> Response:
    """Groups in the order of the log, with what hides them and what they were folded into."""
    behind = decode_cursor(cursor)
    _, index = await service.history(session_id)
    start = _start(index.groups, behind) if behind else 0
    end = start + (limit or DEFAULT_LIMIT)
    page = index.groups[start:end]
    following = encode_cursor(page[-1].place, page[-1].id) if end < len(index.groups) else None
    return ExactJSON({"groups": [group.report() for group in page], "next": following})


def _start(groups: Sequence[MessageGroup], behind: tuple[int, str]) -> int:
    """The first group behind that one; where it is gone, the first that stands later in the log."""
    place, group_id = behind
    for number, group in enumerate(groups):
        if group.id == group_id:
            return number + 1
    return next((number for number, group in enumerate(groups) if group.place > place), len(groups))
