"""Long runs of openai-agents."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("agents", reason="openai-agents is not installed here: `make adapters` runs this")

from agents import Agent, RunConfig, Runner, function_tool
from agents.testing import ModelCall, ModelStep, ScriptedModel, assistant_message, function_call

from tests.support.sessions import LONG
from turnfold.adapters.openai_agents import model_input_filter
from turnfold.adapters.openai_agents.items import messages_of
from turnfold.index import MessageIndex

ROUNDS = 20


@function_tool
def look() -> str:
    """Looks."""
    return LONG


async def _run(policy: Any) -> list[Any]:
    """The input of each call of a long run."""
    seen: list[Any] = []

    def step(number: int) -> Any:
        def respond(call: ModelCall) -> ModelStep:
            seen.append(call.input)
            if number == ROUNDS:
                return ModelStep(output=[assistant_message("Done.")])
            return ModelStep(output=[function_call("look", {}, call_id=f"c{number}")])

        return ModelStep.respond(respond)

    model = ScriptedModel([step(number) for number in range(ROUNDS + 1)])
    config = RunConfig(tracing_disabled=True, call_model_input_filter=model_input_filter(policy))
    result = await Runner.run(Agent(name="helper", model=model, tools=[look]), "Look.", run_config=config, max_turns=50)
    assert result.final_output == "Done."
    assert len(result.to_input_list()) == 2 * ROUNDS + 2  # what the run has is whole
    return seen


async def test_in_a_long_run_old_results_are_collapsed_before_each_call() -> None:
    seen = await _run({"strategy": "tool_result", "trigger": {"messages_exceed": 8}, "keep_last_tool_call_groups": 2})
    last = seen[-1]
    results = [item for item in last if item.get("type") == "function_call_output"]
    assert len(results) < 6
    assert any("[Tool results" in str(item.get("content")) for item in last)
    for given in seen:
        messages = messages_of(given)
        assert len(MessageIndex(messages).projection()) == len(messages)


async def test_by_the_default_policy_a_short_run_stays_as_it_is() -> None:
    seen = await _run(None)
    assert [len(given) for given in seen] == [2 * number + 1 for number in range(ROUNDS + 1)]
