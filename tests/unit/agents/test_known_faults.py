"""Faults of other designs, each a test: none of them here."""

from __future__ import annotations

import json

from tests.support.agents import Model, Summarizer, calls, texts
from turnfold import (
    Agent,
    AgentSession,
    CompactionProvider,
    InMemoryHistoryProvider,
    Message,
    SlidingWindowStrategy,
    SummarizationStrategy,
    create_harness_agent,
)
from turnfold.compaction.strategy import CompactionStrategy

LONG = " many words about crates, pallets, invoices and the weather of Esbjerg" * 6


def look(number: int = 0) -> str:
    return f"place-{number}. {LONG}"


def folding(summarizer: Summarizer) -> SummarizationStrategy:
    return SummarizationStrategy(client=summarizer, target_count=4, threshold=2)


async def test_no_summary_is_paid_twice_in_one_tool_loop() -> None:
    summarizer = Summarizer()
    model = Model([*(calls(("look", {"number": n}), number=n) for n in range(1, 13)), "done"])
    agent = create_harness_agent(model, tools=[look], before_compaction_strategy=folding(summarizer))
    await agent.run("go", session=agent.create_session())
    assert [summarizer.times_folded(f"place-{n}.") for n in range(1, 9)] == [1] * 8


async def test_no_summary_is_paid_in_the_loop_and_again_for_what_is_stored() -> None:
    summarizer = Summarizer()
    strategy = folding(summarizer)
    model = Model([*(calls(("look", {"number": n}), number=n) for n in range(1, 13)), "done"])
    agent = create_harness_agent(
        model, tools=[look], before_compaction_strategy=strategy, after_compaction_strategy=strategy
    )
    session = agent.create_session()
    await agent.run("go", session=session)
    await agent.run("more", session=session)
    assert max(summarizer.times_folded(f"place-{n}.") for n in range(1, 13)) == 1


async def test_no_summary_made_in_a_run_is_missing_in_the_next() -> None:
    for on_agent in (True, False):
        summarizer, model = Summarizer(), Model()
        strategy = folding(summarizer)
        agent = (
            Agent(model, compaction_strategy=strategy)
            if on_agent
            else Agent(model, context_providers=[CompactionProvider(strategy)])
        )
        session = agent.create_session()
        shown: list[bool] = []
        for n in range(8):
            await agent.run(f"turn-{n}. {LONG}", session=session)
            shown.append(model.last[0].startswith("[Summary]"))
        assert shown == sorted(shown)  # once there, it stays
        assert shown[-1]
        assert max(summarizer.times_folded(f"turn-{n}.") for n in range(8)) == 1


async def test_the_first_user_message_does_not_vanish() -> None:
    history = InMemoryHistoryProvider()
    model = Model([*(calls(("look", {"number": n}), number=n) for n in range(1, 11)), "done"])
    agent = create_harness_agent(model, 900, 100, tools=[look], history_provider=history, harness_instructions="")
    session = agent.create_session()
    await agent.run("the very first", session=session)
    assert all("the very first" in texts(sent) for sent in model.sent)
    assert texts(history.get_messages(session))[0] == "the very first"


async def test_no_message_is_stored_twice() -> None:
    for each_call in (True, False):
        history = InMemoryHistoryProvider()
        model = Model([calls(("look", {})), calls(("look", {}), number=2), "done", "ok"])
        agent = Agent(
            model,
            tools=[look],
            context_providers=[history, CompactionProvider(SlidingWindowStrategy(keep_last_groups=2))],
            compaction_strategy=SlidingWindowStrategy(keep_last_groups=3),
            require_per_service_call_history_persistence=each_call,
        )
        session = agent.create_session()
        await agent.run("go", session=session)
        await agent.run("more", session=session)
        stored = history.get_messages(session)
        assert len(stored) == 8
        assert len({message.metadata["id"] for message in stored}) == 8


async def test_no_exclusion_is_stored_without_its_summary() -> None:
    class Breaks(CompactionStrategy):
        """Hides, and fails before it has put anything in the place."""

        name = "breaks"

        async def compact(self, index: object, run: object = None) -> bool:
            index.exclude(index.groups[0], "summarization")  # type: ignore[attr-defined]  # an index
            raise RuntimeError("no summary")

    history, model = InMemoryHistoryProvider(), Model()
    compaction = CompactionProvider(after_strategy=Breaks())
    agent = Agent(model, context_providers=[history, compaction])
    session = agent.create_session()
    await agent.run("one", session=session)
    session = AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))
    await agent.run("two", session=session)
    assert model.last == ["one", "ok", "two"]


async def test_the_after_phase_does_not_lag_a_turn_behind() -> None:
    seen: list[str] = []

    async def look_at_the_end(messages: list[Message]) -> bool:
        seen.append(messages[-2].text)
        return False

    for providers in (
        [InMemoryHistoryProvider(), CompactionProvider(after_strategy=look_at_the_end)],
        [CompactionProvider(after_strategy=look_at_the_end), InMemoryHistoryProvider()],
    ):
        seen.clear()
        agent = Agent(Model(), context_providers=providers)
        session = agent.create_session()
        for text in ("one", "two"):
            await agent.run(text, session=session)
        assert seen == ["one", "two"]


async def test_an_after_phase_that_fails_does_not_lose_the_turn() -> None:
    async def fails(messages: list[Message]) -> bool:
        raise RuntimeError("no")

    history = InMemoryHistoryProvider()
    agent = Agent(Model(), context_providers=[history, CompactionProvider(after_strategy=fails)])
    session = agent.create_session()
    assert (await agent.run("one", session=session)).text == "ok"
    assert texts(history.get_messages(session)) == ["one", "ok"]


async def test_a_repeated_yes_drops_no_turn() -> None:
    summarizer, model, history = Summarizer(), Model(["yes"]), InMemoryHistoryProvider()
    agent = Agent(model, context_providers=[history, CompactionProvider(SlidingWindowStrategy(keep_last_turns=3))])
    session = agent.create_session()
    for _ in range(6):
        await agent.run("yes", session=session)
    assert texts(history.get_messages(session)) == ["yes"] * 12
    assert model.last == ["yes"] * 7
    assert summarizer.asked == []
