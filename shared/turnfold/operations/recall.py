"""Finding what was said: by words, around a place, and under a summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from turnfold.errors import BadInput, NotFound
from turnfold.provenance import Owner
from turnfold.recall.hit import Hit
from turnfold.recall.searching import search_session
from turnfold.service import TurnfoldService
from turnfold.sessions.chain import chain_under, positions_under
from turnfold.sessions.entry import Entry

DEFAULT_LIMIT = 10
MAX_LIMIT = 1000
MAX_QUERY_CHARS = 2000


async def search(service: TurnfoldService, session_id: str, query: str, *, limit: int = DEFAULT_LIMIT) -> list[Hit]:
    """The original messages that match, best first: folded and hidden ones too, and those not yet in the index.

    Raises:
        NotFound: there is no such session.
        BadInput: the query is empty or too long, or the limit is out of its range.
    """
    if not query.strip():
        raise BadInput("q", "must say what to look for")
    if len(query) > MAX_QUERY_CHARS:
        raise BadInput("q", f"must be {MAX_QUERY_CHARS} characters at most")
    if not 1 <= limit <= MAX_LIMIT:
        raise BadInput("limit", f"must be 1 to {MAX_LIMIT}, not {limit}")
    found = await search_session(service.store, service.key(session_id), query, limit=limit)
    if found is None:
        raise NotFound(f"there is no session {session_id!r}")
    return found


@dataclass(frozen=True, slots=True)
class Originals:
    """What a summary stands for.

    Attributes:
        record: of the summary, as it is stored.
        owner: whose it is: what its signature is checked for.
        chain: ids of it and of the earlier summaries under it.
        positions: of all messages under it.
        entries: some of these messages, in order.
    """

    record: Mapping[str, Any]
    owner: Owner
    chain: Sequence[str]
    positions: Sequence[int]
    entries: Sequence[Entry]


async def originals(
    service: TurnfoldService, session_id: str, summary_id: str, *, after: int = 0, limit: int = DEFAULT_LIMIT
) -> Originals:
    """The messages that a summary was made from, down to those under earlier summaries; behind position `after`.

    Raises:
        NotFound: there is no such session, or no such summary in it.
    """
    key = service.key(session_id)
    head = await service.session(session_id)
    records = await service.store.summaries(key)
    if summary_id not in records:
        raise NotFound(f"there is no summary {summary_id!r} in session {session_id!r}")
    positions = positions_under(records, [summary_id])
    wanted = [position for position in positions if position > after][:limit]
    entries = await service.store.read_entries(key, wanted)
    return Originals(
        record=records[summary_id],
        owner=Owner(key.tenant, key.id, head.incarnation),
        chain=chain_under(records, [summary_id]),
        positions=positions,
        entries=[entries[position] for position in wanted if position in entries],
    )
