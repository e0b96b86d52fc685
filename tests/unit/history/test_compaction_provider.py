"""Compaction around a run, kept in the session."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from tests.support.agents import Model, Summarizer, broken_pairs, calls, texts
from turnfold import (
    Agent,
    AgentSession,
    CompactionProvider,
    InMemoryHistoryProvider,
    Message,
    SlidingWindowStrategy,
    SummarizationStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
)
from turnfold.compaction.strategy import CompactionStrategy

LONG = " The crate DK-99812 left Esbjerg on 14 March with 312 pallets, and the invoice is 4,310 euro." * 4


def folding(summarizer: Summarizer) -> SummarizationStrategy:
    return SummarizationStrategy(client=summarizer, target_count=2, threshold=2)


class Desk:
    """An agent with a history that a provider compacts."""

    def __init__(self, model: Model | None = None, **strategies: Any) -> None:
        self.model = model or Model()
        self.history = InMemoryHistoryProvider()
        self.compaction = CompactionProvider(**strategies, history_source_id=self.history.source_id)
        self.agent = Agent(self.model, context_providers=[self.history, self.compaction])
        self.session = self.agent.create_session()

    async def say(self, *said: str) -> None:
        for text in said:
            await self.agent.run(text + LONG, session=self.session)

    @property
    def sent(self) -> list[str]:
        """What the model was sent last, shortened."""
        return [text.removeprefix("[Summary]\n").split(" The crate")[0].split("\n")[0] for text in self.model.last]

    @property
    def stored(self) -> list[str]:
        return [text.split(" The crate")[0] for text in texts(self.history.get_messages(self.session))]


async def test_a_summary_made_before_a_call_reaches_the_model_and_the_history_stays_whole() -> None:
    summarizer = Summarizer()
    desk = Desk(before_strategy=folding(summarizer))

    await desk.say("1", "2", "3", "4")

    assert desk.sent == ["Summary 1: they spoke of crates.", "3", "ok", "4"]
    assert desk.stored == ["1", "ok", "2", "ok", "3", "ok", "4", "ok"]


async def test_a_summary_survives_to_the_next_run_and_is_not_made_again() -> None:
    summarizer = Summarizer()
    desk = Desk(before_strategy=folding(summarizer))

    await desk.say("1", "2", "3", "4")
    asked = len(summarizer.asked)
    desk.compaction.before_strategy = None
    await desk.say("5")

    assert len(summarizer.asked) == asked
    assert desk.sent[0] == "Summary 1: they spoke of crates."
    assert desk.sent[1:] == ["3", "ok", "4", "ok", "5"]


async def test_it_survives_json() -> None:
    summarizer = Summarizer()
    desk = Desk(before_strategy=folding(summarizer))
    await desk.say("1", "2", "3", "4")

    desk.session = AgentSession.from_dict(json.loads(json.dumps(desk.session.to_dict())))
    desk.compaction.before_strategy = None
    await desk.say("5")

    assert desk.sent == ["Summary 1: they spoke of crates.", "3", "ok", "4", "ok", "5"]
    assert len(summarizer.asked) == 1


async def test_a_summary_of_summaries_keeps_the_chain_over_many_runs() -> None:
    summarizer = Summarizer()
    desk = Desk(before_strategy=folding(summarizer))

    await desk.say(*(f"turn-{n}." for n in range(1, 13)))
    desk.session = AgentSession.from_dict(json.loads(json.dumps(desk.session.to_dict())))
    await desk.say("13")

    assert len(desk.stored) == 26
    assert desk.sent[0].startswith("Summary ")
    assert sum(text.startswith("Summary ") for text in desk.sent) == 1
    assert max(summarizer.times_folded(f"turn-{n}.") for n in range(1, 13)) == 1


async def test_the_after_phase_sees_the_turn_that_just_ended() -> None:
    seen: list[list[str]] = []

    async def look(messages: list[Message]) -> bool:
        seen.append([message.text.split(" The crate")[0] for message in messages])
        return False

    desk = Desk(after_strategy=look)
    await desk.say("1", "2")
    assert seen == [["1", "ok"], ["1", "ok", "2", "ok"]]


async def test_what_the_after_phase_made_is_what_the_next_run_begins_with() -> None:
    desk = Desk(after_strategy=SlidingWindowStrategy(keep_last_groups=2))
    await desk.say("1", "2", "3")
    assert desk.sent == ["2", "ok", "3"]
    assert desk.stored == ["1", "ok", "2", "ok", "3", "ok"]


async def test_an_after_phase_that_fails_loses_neither_the_turn_nor_what_was_made_before(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Failing(CompactionStrategy):
        name = "failing"

        async def compact(self, index: Any, run: Any = None) -> bool:
            for group in index.groups:
                index.exclude(group, "half done")
            raise RuntimeError("the summarizer fell over")

    summarizer = Summarizer()
    desk = Desk(before_strategy=folding(summarizer), after_strategy=Failing())

    with caplog.at_level(logging.ERROR):
        await desk.say("1", "2", "3", "4", "5")

    assert desk.sent == ["Summary 2: they spoke of crates.", "4", "ok", "5"]
    assert desk.stored == ["1", "ok", "2", "ok", "3", "ok", "4", "ok", "5", "ok"]
    assert "half done" not in json.dumps(desk.session.to_dict())
    assert caplog.text.count("agent.compaction_failed") == 5


async def test_what_was_hidden_stays_hidden_so_that_a_window_does_not_move_with_each_turn() -> None:
    desk = Desk(before_strategy=TruncationStrategy(max_messages=6, compact_to=2))
    firsts: list[str] = []
    for n in range(1, 9):
        await desk.say(str(n))
        firsts.append(desk.sent[0])
    # Cut in two large steps, the prompt's beginning stays the same between them.
    assert firsts == ["1", "1", "1", "1", "4", "4", "4", "7"]


async def test_a_repeated_yes_is_another_message_each_time() -> None:
    desk = Desk(before_strategy=SlidingWindowStrategy(keep_last_groups=3))
    desk.model.replies = ["yes"]
    for _ in range(4):
        await desk.agent.run("yes", session=desk.session)
    assert desk.stored == ["yes"] * 8
    assert desk.model.last == ["yes"] * 4


async def test_summaries_and_what_they_hide_are_one_value_and_messages_carry_no_flags() -> None:
    desk = Desk(before_strategy=folding(Summarizer()))
    await desk.say("1", "2", "3", "4")

    (record,) = desk.session.state["compaction"]["view"]["made"]

    assert record["messages"][0].text.startswith("[Summary]\nSummary 1: they spoke of crates.")
    assert len(record["sources"]) == 4
    for message in desk.history.get_messages(desk.session):
        assert set(message) == {"role", "content"}
        assert set(message.metadata) == {"id"}


async def test_a_summary_knows_its_sources_and_is_told_by_its_metadata_not_by_its_text() -> None:
    desk = Desk(before_strategy=folding(Summarizer()))
    await desk.agent.run("[Summary]\nI am not one." + LONG, session=desk.session)
    await desk.say("2", "3", "4")
    made = desk.session.state["compaction"]["view"]["made"][0]["messages"][0]
    assert made.metadata["summary_of"] == ["g0", "g1", "g2", "g3"]


async def test_on_the_agent_it_works_once_a_run_on_the_client_before_each_call() -> None:
    seen: list[int] = []

    async def count(messages: list[Message]) -> bool:
        seen.append(len(messages))
        return False

    def look() -> str:
        return "found"

    script: list[str | dict[str, Any]] = [calls(("look", {})), calls(("look", {}), number=2), "done"]
    on_agent = Agent(Model(["hi", *script]), tools=[look], context_providers=[CompactionProvider(count)])
    session = on_agent.create_session()
    await on_agent.run("hello", session=session)
    await on_agent.run("look twice", session=session)
    assert seen == [2]

    seen.clear()
    client = Agent(Model(["hi", *script])).client.with_context_providers([CompactionProvider(count)])
    on_client = client.as_agent(tools=[look])
    session = on_client.create_session()
    await on_client.run("hello", session=session)
    await on_client.run("look twice", session=session)
    assert seen == [1, 3, 5, 7]


async def test_on_the_client_the_stored_history_stays_as_it_was_and_a_summary_is_paid_once() -> None:
    def look(number: int) -> str:
        return f"place-{number}." + LONG

    script = [calls(("look", {"number": n}), number=n) for n in range(1, 6)]
    model, summarizer = Model([*script, "done"]), Summarizer()
    client = Agent(model).client.with_context_providers([CompactionProvider(folding(summarizer))])
    history = InMemoryHistoryProvider()
    agent = client.as_agent(tools=[look], context_providers=[history])
    session = agent.create_session()
    await agent.run("look five times" + LONG, session=session)
    await agent.run("and now?", session=session)

    assert len(history.get_messages(session)) == 14
    assert not any("Summary" in text for text in texts(history.get_messages(session)))
    assert any("Summary" in text for text in model.last)
    assert max(summarizer.times_folded(f"place-{n}.") for n in range(1, 6)) == 1
    assert [broken_pairs(sent) for sent in model.sent] == [[]] * 7
    assert all("look five times" in str(sent) for sent in model.sent[:-1])


async def test_it_works_on_histories_of_a_database_that_knows_no_ids() -> None:
    from tests.unit.history.test_history_providers import Database

    summarizer, model, database = Summarizer(), Model(), Database()
    agent = Agent(model, context_providers=[database, CompactionProvider(folding(summarizer))])
    session = agent.create_session()
    for n in range(1, 5):
        await agent.run(f"{n}{LONG}", session=session)
    database.rows = {key: [dict(sorted(row.items())) for row in rows] for key, rows in database.rows.items()}
    agent.context_providers[1].before_strategy = None  # type: ignore[attr-defined]  # the compaction provider
    await agent.run("5", session=session)
    assert len(summarizer.asked) == 1
    assert model.last[0].startswith("[Summary]\nSummary 1: they spoke of crates.")
    assert len(model.last) == 6


async def test_collapsed_tool_results_stay_collapsed_and_come_back_as_originals_for_a_summary() -> None:
    def look() -> str:
        return "the secret is 4711" + LONG

    summarizer = Summarizer()
    model = Model([calls(("look", {})), "done", "ok"])
    compaction = CompactionProvider(ToolResultCompactionStrategy(keep_last_tool_call_groups=0, max_result_chars=5))
    agent = Agent(model, tools=[look], context_providers=[InMemoryHistoryProvider(), compaction])
    session = agent.create_session()
    await agent.run("look", session=session)
    await agent.run("2", session=session)
    assert "4711" not in str(model.sent[-1])
    assert "[Tool results: look" in str(model.sent[-1])

    compaction.before_strategy = SummarizationStrategy(client=summarizer, target_count=1, threshold=0)
    await agent.run("3", session=session)
    assert "4711" in summarizer.asked[0]


async def test_without_a_history_there_is_nothing_to_do() -> None:
    model = Model()
    agent = Agent(model, context_providers=[CompactionProvider(SlidingWindowStrategy(keep_last_groups=1))])
    assert (await agent.run("one")).text == "ok"


async def test_a_summarizer_that_fails_is_asked_ever_more_seldom_and_again_once_it_answers() -> None:
    class Failing(Summarizer):
        is_down = True

        async def get_response(self, messages: Any, *, options: Any = None) -> Any:
            answer = await super().get_response(messages, options=options)
            if self.is_down:
                raise TimeoutError("too slow")
            return answer

    summarizer = Failing()
    desk = Desk(before_strategy=folding(summarizer))
    await desk.say(*(str(n) for n in range(1, 18)))
    assert len(summarizer.asked) == 4  # at turns 4, 6, 9 and 14
    assert len(desk.sent) == 33

    summarizer.is_down = False
    await desk.say(*(str(n) for n in range(18, 28)))
    assert desk.sent[0].startswith("Summary")
    assert "pause" not in desk.session.state["compaction"]
