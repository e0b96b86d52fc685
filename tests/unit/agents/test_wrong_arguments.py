"""What could not work is refused where it is given, by its name, and not in the middle of a run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.agents import Model
from turnfold import (
    Agent,
    CompactionProvider,
    OpenAIChatClient,
    PipelineCompactionStrategy,
    SlidingWindowStrategy,
    TokenBudgetComposedStrategy,
    create_harness_agent,
)
from turnfold.errors import BadInput

GIVEN: dict[str, Callable[[Any], object]] = {
    "compaction_strategy": lambda wrong: Agent(Model(), compaction_strategy=wrong),
    "compaction_strategy ": lambda wrong: OpenAIChatClient("m", compaction_strategy=wrong),
    "before_compaction_strategy": lambda wrong: create_harness_agent(Model(), before_compaction_strategy=wrong),
    "after_compaction_strategy": lambda wrong: create_harness_agent(Model(), after_compaction_strategy=wrong),
    "before_strategy": lambda wrong: CompactionProvider(before_strategy=wrong),
    "after_strategy": lambda wrong: CompactionProvider(after_strategy=wrong),
    "strategies[0]": lambda wrong: PipelineCompactionStrategy([wrong]),
    "strategies[0] ": lambda wrong: TokenBudgetComposedStrategy(token_budget=10, strategies=[wrong]),
    "tokenizer": lambda wrong: Agent(Model(), tokenizer=wrong),
    "tokenizer ": lambda wrong: OpenAIChatClient("m", tokenizer=wrong),
    "tokenizer  ": lambda wrong: create_harness_agent(Model(), tokenizer=wrong),
}


@pytest.mark.parametrize("wrong", ["sliding_window", SlidingWindowStrategy, 5], ids=str)
@pytest.mark.parametrize("argument", GIVEN)
def test_it_is_named(argument: str, wrong: Any) -> None:
    if argument.startswith("tokenizer") and wrong is SlidingWindowStrategy:
        wrong = "o200k_base"
    with pytest.raises(TypeError) as refused:
        GIVEN[argument](wrong)
    assert str(refused.value).startswith(f"{argument.strip()}: must ")


async def test_so_it_is_for_one_run_before_any_call() -> None:
    model = Model()
    wrong: Any = "sliding_window"
    with pytest.raises(TypeError, match="compaction_strategy: must"):
        await Agent(model).run("hello", compaction_strategy=wrong)
    with pytest.raises(TypeError, match="tokenizer: must"):
        await Agent(model).run("hello", tokenizer=wrong)
    assert model.sent == []


async def test_input_that_is_neither_text_nor_message_is_named() -> None:
    wrong: Any = 5
    with pytest.raises(BadInput, match="input: must be a text, a message, or a list of them, not 5"):
        await Agent(Model()).run(wrong)
