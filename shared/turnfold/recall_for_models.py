"""Recall as a tool of the model: what a summary left out costs a look-up, not its loss."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from turnfold.agent.tool import FunctionTool
from turnfold.errors import NotFound
from turnfold.operations.recall import search
from turnfold.recall.findable import TOOL_NAME
from turnfold.recall.recalled import NOTHING, told_hits, told_messages
from turnfold.service import TurnfoldService
from turnfold.wiring import Turnfold

RESULTS = 5
# So many messages before and after the one that is named.
AROUND = 3
LAST_POSITION = 2**53

DESCRIPTION = """\
Search the earlier messages of this conversation, also those that a summary has replaced. Use it when a detail that \
was said before (a name, number, date, id, wish, result) is missing in what you see, before you say that you don't \
know it or ask for it again."""


def recall_tool(session_id: str, *, turnfold: TurnfoldService | None = None, results: int = RESULTS) -> FunctionTool:
    """A tool by which a model looks up what was said in a session.

    Give its `schema` to the model beside your other tools, and answer a call with `await tool.call(arguments)`; or
    give it to an `Agent`.

    Args:
        session_id: the only session that the tool reads.
        turnfold: where it is; the settings of the environment, if not given.
        results: how many messages a search tells of.
    """

    async def recall_earlier_messages(query: str = "", around: int | None = None) -> str:
        """
        Args:
            query: What to look for: the words that were probably used. Leave it out to read on around a position.
            around: Position of a message from an earlier result, to read the messages before and after it.
        """
        async with _opened(turnfold) as service:
            try:
                if around is not None:
                    return await _read_on(service, session_id, around)
                return told_hits(await search(service, session_id, query, limit=results)) if query.strip() else NOTHING
            except NotFound:
                return NOTHING

    return FunctionTool(recall_earlier_messages, name=TOOL_NAME, description=DESCRIPTION)


async def _read_on(service: TurnfoldService, session_id: str, position: int) -> str:
    position = max(1, min(position, LAST_POSITION))
    first = max(1, position - AROUND)
    entries = await service.store.read_entries(service.key(session_id), range(first, position + AROUND + 1))
    return told_messages(entries[one] for one in sorted(entries))


@asynccontextmanager
async def _opened(given: TurnfoldService | None) -> AsyncGenerator[TurnfoldService]:
    """The service given; or one of the environment, for this call: a tool may outlive an event loop."""
    if given is not None:
        yield given
        return
    service = Turnfold.from_env()
    try:
        yield service
    finally:
        await service.close()
