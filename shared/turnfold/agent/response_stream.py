"""A run whose reply is read as it comes."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator
from dataclasses import dataclass

from turnfold.agent.chat_response import TextPiece
from turnfold.agent.run import Run
from turnfold.history.agent_response import AgentResponse
from turnfold.messages import Message


@dataclass(frozen=True, slots=True)
class AgentResponseUpdate:
    """A piece of text, or a message that is whole now: a call, a result, a reply."""

    text: str = ""
    message: Message | None = None

    def __str__(self) -> str:
        return self.text


class ResponseStream:
    """The updates of a run, once. Left before its end, the run stores nothing.

    async for update in agent.run("…", session=session, stream=True):
        print(update.text, end="")
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        self._updates = self._all()

    def __aiter__(self) -> AsyncIterator[AgentResponseUpdate]:
        return self._updates

    async def get_final_response(self) -> AgentResponse:
        """The whole response, once the rest of the updates has come."""
        async for _ in self._updates:
            pass
        return self._run.response

    async def aclose(self) -> None:
        """Ends the run where it is."""
        await self._updates.aclose()

    async def _all(self) -> AsyncGenerator[AgentResponseUpdate]:
        steps = self._run.steps(streaming=True)
        try:
            async for step in steps:
                yield (
                    AgentResponseUpdate(text=step.text)
                    if isinstance(step, TextPiece)
                    else AgentResponseUpdate("", step)
                )
        finally:
            await steps.aclose()
