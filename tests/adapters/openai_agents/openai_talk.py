"""A conversation through openai-agents, kept in an SQLite session."""

from __future__ import annotations

from contextlib import closing
from typing import Any

from agents import Agent, RunConfig, Runner, SQLiteSession, StreamEvent, function_tool
from agents.memory import Session
from agents.testing import ModelCall, ModelStep, ScriptedModel, assistant_message, function_call

from tests.adapters.talk import LOST, Call, Talk, Told, looked_up
from turnfold.adapters.openai_agents import CompactingSession


@function_tool
def lookup(key: str) -> str:
    """Finds a crate."""
    return looked_up(key)


class OpenAITalk(Talk):
    async def say(self, text: str) -> str:
        with closing(self._kept()) as kept:
            result = await Runner.run(self._agent(), text, session=self._session(kept), run_config=_QUIET)
        return str(result.final_output)

    async def stream(self, text: str) -> str:
        with closing(self._kept()) as kept:
            run = Runner.run_streamed(self._agent(), text, session=self._session(kept), run_config=_QUIET)
            deltas = [_delta(event) async for event in run.stream_events()]
        return "".join(deltas)

    async def stored(self) -> list[Told]:
        with closing(self._kept()) as kept:
            return told_by(await kept.get_items())

    async def plant_result_without_call(self) -> None:
        with closing(self._kept()) as kept:
            await kept.add_items([{"type": "function_call_output", "call_id": "lost", "output": LOST}])

    def _kept(self) -> SQLiteSession:
        return SQLiteSession(self.name, self.folder / "chats.db")

    def _session(self, kept: SQLiteSession) -> Session:
        return kept if self.turnfold is None else CompactingSession(kept, turnfold=self.turnfold)

    def _agent(self) -> Agent[Any]:
        model = ScriptedModel([ModelStep.respond(self._respond) for _ in range(2)])
        return Agent(name="helper", model=model, tools=[lookup])

    def _respond(self, call: ModelCall) -> ModelStep:
        step = self.step(told_by(call.input))
        if isinstance(step, str):
            return ModelStep(output=[assistant_message(step)])
        return ModelStep(output=[_call(one) for one in step])


_QUIET = RunConfig(tracing_disabled=True)


def _delta(event: StreamEvent) -> str:
    if event.type == "raw_response_event" and event.data.type == "response.output_text.delta":
        return event.data.delta
    return ""


def _call(call: Call) -> Any:
    return function_call("lookup", {"key": call.key}, call_id=call.id)


def told_by(items: Any) -> list[Told]:
    """Items as what was told."""
    return [_told(item) for item in items]


def _told(item: Any) -> Told:
    if item.get("type") == "function_call":
        return Told("call", item["arguments"].split('"')[3], item["call_id"])
    if item.get("type") == "function_call_output":
        return Told("result", item["output"], item["call_id"])
    content = item["content"]
    return Told(item["role"], content if isinstance(content, str) else content[0]["text"])
