"""Compaction before every model call of a run, and what of it the next run has."""

from __future__ import annotations

import json

import pytest

from tests.support.agents import Model, Summarizer, broken_pairs, calls, texts
from turnfold import (
    Agent,
    AgentSession,
    CharacterEstimatorTokenizer,
    InMemoryHistoryProvider,
    Message,
    OpenAIChatClient,
    SlidingWindowStrategy,
    SummarizationStrategy,
    TokenBudgetComposedStrategy,
    TruncationStrategy,
)
from turnfold.compaction.strategy import CompactionStrategy
from turnfold.testing import ScriptedModel

LONG = " many words about crates, pallets, invoices and the weather of Esbjerg" * 6


class Recorder:
    """A strategy that changes nothing, and notes that it was used."""

    def __init__(self) -> None:
        self.seen: list[list[str]] = []

    async def __call__(self, messages: list[Message]) -> bool:
        self.seen.append(texts(messages))
        return False


def look(number: int = 0) -> str:
    return f"place-{number}. {LONG}"


async def test_a_strategy_of_the_run_goes_over_the_agent_s_and_that_over_the_client_s() -> None:
    of_client, of_agent, of_run = Recorder(), Recorder(), Recorder()
    with ScriptedModel(["ok"]) as model:
        client = OpenAIChatClient("m", base_url=model.base_url, compaction_strategy=of_client)
        await client.as_agent().run("1")
        await client.as_agent(compaction_strategy=of_agent).run("2")
        await client.as_agent(compaction_strategy=of_agent).run("3", compaction_strategy=of_run)
        await client.close()
    assert (of_client.seen, of_agent.seen, of_run.seen) == ([["1"]], [["2"]], [["3"]])


async def test_so_does_the_tokenizer() -> None:
    class Counter:
        def __init__(self) -> None:
            self.counted: list[str] = []

        def count_tokens(self, text: str) -> int:
            self.counted.append(text)
            return len(text)

    of_client, of_agent, of_run = Counter(), Counter(), Counter()
    with ScriptedModel(["ok"]) as model:
        client = OpenAIChatClient("m", base_url=model.base_url, tokenizer=of_client)
        await client.as_agent().run("1")
        await client.as_agent(tokenizer=of_agent).run("2")
        await client.as_agent(tokenizer=of_agent).run("3", tokenizer=of_run)
        await client.close()
    assert ["1" in of_client.counted, "2" in of_agent.counted, "3" in of_run.counted] == [True] * 3
    assert "2" not in of_client.counted
    assert "3" not in of_agent.counted


async def test_it_runs_before_every_model_call_of_the_tool_loop() -> None:
    recorder = Recorder()
    model = Model([calls(("look", {})), calls(("look", {}), number=2), "done"])
    await Agent(model, tools=[look], compaction_strategy=recorder).run("go")
    assert [len(seen) for seen in recorder.seen] == [1, 3, 5]


async def test_what_is_compacted_is_what_is_sent_and_the_history_stays_whole() -> None:
    model, history = Model(), InMemoryHistoryProvider()
    agent = Agent(model, context_providers=[history], compaction_strategy=SlidingWindowStrategy(keep_last_groups=2))
    session = agent.create_session()
    for text in ("1", "2", "3"):
        await agent.run(text, session=session)
    assert model.last == ["ok", "3"]
    assert texts(history.get_messages(session)) == ["1", "ok", "2", "ok", "3", "ok"]


async def test_a_summary_made_in_a_run_is_there_in_the_next_one_also_after_a_restart() -> None:
    summarizer, model = Summarizer(), Model()
    strategy = SummarizationStrategy(client=summarizer, target_count=2, threshold=2)
    agent = Agent(model, compaction_strategy=strategy)
    session = agent.create_session()
    for n in range(4):
        await agent.run(f"turn-{n}. {LONG}", session=session)
    asked = len(summarizer.asked)
    assert model.last[0].startswith("[Summary]")

    session = AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))
    await agent.run("next", session=session)

    assert model.last[0].startswith("[Summary]")
    assert max(summarizer.times_folded(f"turn-{n}.") for n in range(4)) == 1
    assert len(summarizer.asked) <= asked + 1


async def test_a_summary_that_was_paid_in_a_run_that_failed_is_not_paid_again() -> None:
    summarizer, model = Summarizer(), Model(failing=[4])
    strategy = SummarizationStrategy(client=summarizer, target_count=2, threshold=2)
    history = InMemoryHistoryProvider()
    agent = Agent(model, context_providers=[history], compaction_strategy=strategy)
    session = agent.create_session()
    for n in range(3):
        await agent.run(f"turn-{n}. {LONG}", session=session)
    with pytest.raises(ConnectionError):
        await agent.run("fails", session=session)
    assert len(history.get_messages(session)) == 6
    await agent.run("again", session=session)
    assert max(summarizer.times_folded(f"turn-{n}.") for n in range(3)) == 1
    assert model.last[0].startswith("[Summary]")


async def test_a_summary_is_made_once_in_one_tool_loop() -> None:
    summarizer = Summarizer()
    model = Model([*(calls(("look", {"number": n}), number=n) for n in range(1, 9)), "done"])
    strategy = SummarizationStrategy(client=summarizer, target_count=4, threshold=2)
    await Agent(model, tools=[look], compaction_strategy=strategy).run("go")
    assert [summarizer.times_folded(f"place-{n}.") for n in range(1, 5)] == [1] * 4
    assert [broken_pairs(sent) for sent in model.sent] == [[]] * 9


async def test_what_the_user_asks_for_is_never_taken_away_while_tools_are_called_for_it() -> None:
    strategies: list[CompactionStrategy] = [
        TruncationStrategy(max_messages=3),
        SlidingWindowStrategy(keep_last_groups=1),
        SummarizationStrategy(client=Summarizer(), target_count=1, threshold=0),
        TokenBudgetComposedStrategy(token_budget=120, tokenizer=CharacterEstimatorTokenizer()),
    ]
    for strategy in strategies:
        model = Model([*(calls(("look", {"number": n}), number=n) for n in range(1, 7)), "done"])
        agent = Agent(model, tools=[look], compaction_strategy=strategy)
        session = agent.create_session()
        await agent.run("find the crate", session=session)
        assert ["find the crate" in texts(sent) for sent in model.sent] == [True] * 7, strategy
        assert [broken_pairs(sent) for sent in model.sent] == [[]] * 7, strategy


async def test_a_strategy_of_the_caller_s_own_sees_everything_and_can_t_drop_what_was_asked_for() -> None:
    seen: list[int] = []

    async def keep_last_two(messages: list[Message]) -> bool:
        seen.append(len(messages))
        del messages[:-2]
        return True

    model = Model([calls(("look", {})), calls(("look", {}), number=2), "done"])
    await Agent(model, tools=[look], compaction_strategy=keep_last_two).run("go")
    assert seen == [1, 3, 5]
    assert [len(sent) for sent in model.sent] == [1, 3, 3]


async def test_instructions_and_tool_schemas_count_towards_the_triggers() -> None:
    def tool_with_a_long_description() -> str:
        return ""

    tool_with_a_long_description.__doc__ = "word " * 400
    strategy = TruncationStrategy(max_tokens=400)
    plain, loaded = Model(), Model()
    for model, tools in ((plain, []), (loaded, [tool_with_a_long_description])):
        agent = Agent(model, tools=tools, compaction_strategy=strategy)
        session = agent.create_session()
        await agent.run("one", session=session)
        await agent.run("two", session=session)
    assert (len(plain.last), len(loaded.last)) == (3, 1)


async def test_a_strategy_that_changes_messages_in_place_changes_what_is_sent_alone() -> None:
    async def shorten(messages: list[Message]) -> bool:
        for message in messages:
            if isinstance(parts := message["content"], list):
                parts[0]["text"] = "a l"
            else:
                message["content"] = str(message["content"])[:3]
        return True

    model, history = Model(), InMemoryHistoryProvider()
    agent = Agent(model, context_providers=[history], compaction_strategy=shorten)
    session = agent.create_session()
    said = {"role": "user", "content": [{"type": "text", "text": "a long one"}]}
    await agent.run(said, session=session)
    await agent.run("a longer one", session=session)
    assert [Message(message).text for message in model.sent[-1]] == ["a l", "ok", "a l"]
    assert [message.text for message in history.get_messages(session)] == ["a long one", "ok", "a longer one", "ok"]


async def test_none_means_no_compaction() -> None:
    model = Model()
    await Agent(model, compaction_strategy=None).run(["one", "two"], compaction_strategy=None)
    assert model.last == ["one", "two"]


async def test_a_summarizer_that_fails_is_asked_ever_more_seldom_and_the_run_goes_on() -> None:
    class Fails:
        asked = 0

        async def get_response(self, messages: object, *, options: object = None) -> object:
            self.asked += 1
            raise TimeoutError("too slow")

    summarizer = Fails()
    model = Model([*(calls(("look", {"number": n}), number=n) for n in range(1, 41)), "done"])
    strategy = SummarizationStrategy(client=summarizer, target_count=4, threshold=2)
    response = await Agent(model, tools=[look], compaction_strategy=strategy).run("go")
    assert response.text == "done"
    assert 3 <= summarizer.asked <= 7
    assert [broken_pairs(sent) for sent in model.sent] == [[]] * 41


async def test_the_agent_s_own_model_writes_summaries_where_a_strategy_names_no_other() -> None:
    model = Model(["reply " + LONG, "reply " + LONG, "They spoke of crates.", "last"])
    agent = Agent(model, compaction_strategy=SummarizationStrategy(target_count=1, threshold=2))
    session = agent.create_session()
    for n in range(3):
        await agent.run(f"{n} {LONG}", session=session)
    assert model.last[0].startswith("[Summary]\nThey spoke of crates.")


async def test_what_a_strategy_of_one_run_hides_is_shown_again_and_what_it_summarized_stays_so() -> None:
    summarizer, model = Summarizer(), Model()
    agent = Agent(model)
    session = agent.create_session()
    for n in range(4):
        await agent.run(f"turn-{n}. {LONG}", session=session)
    await agent.run("only this", session=session, compaction_strategy=SlidingWindowStrategy(keep_last_groups=1))
    assert model.last == ["only this"]
    await agent.run("all of it", session=session)
    assert len(model.last) == 11

    folding = SummarizationStrategy(client=summarizer, target_count=2, threshold=0)
    await agent.run("fold", session=session, compaction_strategy=folding)
    await agent.run("next", session=session, compaction_strategy=folding)
    assert max(summarizer.times_folded(f"turn-{n}.") for n in range(4)) == 1
    await agent.run("and now", session=session)
    assert model.last[0].startswith("[Summary]")
