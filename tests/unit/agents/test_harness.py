"""The agent that is put together from a client and the model's numbers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.agents import Model, broken_pairs, calls, texts, tokens_of
from tests.unit.history.test_history_providers import Database
from turnfold import (
    CharacterEstimatorTokenizer,
    CompactionProvider,
    ContextWindowCompactionStrategy,
    InMemoryHistoryProvider,
    Message,
    SlidingWindowStrategy,
    create_harness_agent,
)


class Recorder:
    def __init__(self) -> None:
        self.seen: list[int] = []

    async def __call__(self, messages: list[Message]) -> bool:
        self.seen.append(len(messages))
        return False


def look() -> str:
    return "found " * 200


def provider_of(agent: Any) -> CompactionProvider | None:
    return next((one for one in agent.context_providers if isinstance(one, CompactionProvider)), None)


def test_compaction_is_off_unless_both_numbers_or_a_strategy_are_given() -> None:
    for given in ({}, {"max_output_tokens": 100}, {"max_context_window_tokens": 1000}):
        agent = create_harness_agent(Model(), **given)  # type: ignore[arg-type]  # a mapping of several kinds
        assert (agent.compaction_strategy, provider_of(agent)) == (None, None)


def test_one_context_window_strategy_serves_both_phases() -> None:
    agent = create_harness_agent(Model(), max_context_window_tokens=128_000, max_output_tokens=16_384)
    provider = provider_of(agent)
    assert isinstance(agent.compaction_strategy, ContextWindowCompactionStrategy)
    assert provider is not None
    assert provider.after_strategy is agent.compaction_strategy
    assert provider.before_strategy is None


async def test_it_runs_before_every_call_of_the_loop_and_again_on_what_is_stored() -> None:
    before, after = Recorder(), Recorder()
    agent = create_harness_agent(
        Model([calls(("look", {})), "done"]),
        tools=[look],
        before_compaction_strategy=before,
        after_compaction_strategy=after,
    )
    await agent.run("go", session=agent.create_session())
    assert (before.seen, after.seen) == ([1, 3], [4])


@pytest.mark.parametrize("phase", ["before_compaction_strategy", "after_compaction_strategy"])
def test_a_strategy_for_one_phase_leaves_the_other_as_the_numbers_say(phase: str) -> None:
    own = SlidingWindowStrategy(keep_last_groups=3)
    alone = create_harness_agent(Model(), **{phase: own})  # type: ignore[arg-type]  # one of two names
    both = create_harness_agent(
        Model(),
        max_context_window_tokens=1000,
        max_output_tokens=100,
        **{phase: own},  # type: ignore[arg-type]
    )
    provider, other = provider_of(both), provider_of(alone)
    assert provider is not None
    assert own in (both.compaction_strategy, provider.after_strategy)
    assert both.compaction_strategy is not provider.after_strategy
    assert (alone.compaction_strategy is None) == (other is not None)


async def test_the_output_s_number_is_also_the_limit_of_each_call() -> None:
    ways: list[dict[str, Any]] = [{"max_context_window_tokens": 1000}, {}, {"disable_compaction": True}]
    for given in ways:
        model = Model()
        await create_harness_agent(model, max_output_tokens=50, **given).run("go")
        assert model.options[0]["max_tokens"] == 50


async def test_an_option_of_the_caller_s_own_goes_over_it() -> None:
    model = Model()
    agent = create_harness_agent(model, max_output_tokens=50, default_options={"max_tokens": 7, "temperature": 0})
    await agent.run("go")
    assert model.options == [{"max_tokens": 7, "temperature": 0}]


def test_disable_compaction_beats_numbers_and_strategies() -> None:
    agent = create_harness_agent(
        Model(),
        1000,
        100,
        disable_compaction=True,
        before_compaction_strategy=Recorder(),
        after_compaction_strategy=Recorder(),
    )
    assert (agent.compaction_strategy, provider_of(agent)) == (None, None)


async def test_a_given_history_is_used_as_it_is() -> None:
    database = Database()
    agent = create_harness_agent(Model(), history_provider=database)
    assert agent.context_providers == (database,)
    session = agent.create_session()
    await agent.run("go", session=session)
    assert database.saves == [["go", "ok"]]
    assert session.state == {}


def test_without_one_the_history_is_kept_in_the_session_after_each_call() -> None:
    agent = create_harness_agent(Model())
    assert isinstance(agent.context_providers[0], InMemoryHistoryProvider)
    assert agent.saves_each_call


def test_a_tokenizer_counts_for_both_phases() -> None:
    tokenizer = CharacterEstimatorTokenizer()
    agent = create_harness_agent(Model(), 1000, 100, tokenizer=tokenizer)
    provider = provider_of(agent)
    assert provider is not None
    assert agent.tokenizer is provider.tokenizer is tokenizer


async def test_instructions_of_the_harness_stand_before_the_agent_s() -> None:
    model = Model()
    await create_harness_agent(model, agent_instructions="Find crates.").run("go")
    await create_harness_agent(model, harness_instructions="", agent_instructions="Find crates.").run("go")
    assert model.sent[0][0]["content"].endswith("\n\nFind crates.")
    assert model.sent[1][0]["content"] == "Find crates."


@pytest.mark.parametrize(
    ("window", "output", "named"),
    [(0, None, "max_context_window_tokens"), (None, 0, "max_output_tokens"), (100, 100, "max_output_tokens")],
)
def test_numbers_that_make_no_sense_are_refused(window: int | None, output: int | None, named: str) -> None:
    with pytest.raises(ValueError, match=named):
        create_harness_agent(Model(), window, output)


async def test_long_work_stays_within_the_window_and_the_stored_history_begins_the_next_run_small() -> None:
    model = Model([*(calls(("look", {}), number=n) for n in range(1, 21)), "done", "ok"])
    agent = create_harness_agent(model, 2000, 500, tools=[look], harness_instructions="")
    session = agent.create_session()
    await agent.run("find it", session=session)
    await agent.run("and now?", session=session)
    history = agent.history_providers[0]
    assert max(tokens_of(sent) for sent in model.sent) <= 1500
    assert [broken_pairs(sent) for sent in model.sent] == [[]] * 22
    assert len(texts(await history.get_messages(session, state=session.state["in_memory"]))) == 44
