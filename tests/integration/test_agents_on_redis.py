"""Agents whose history and sessions are in a real store, with a worker beside them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
from redis.asyncio import Redis

from tests.support.agents import Model, Summarizer, broken_pairs, calls, roles, texts
from tests.support.sessions import EAGER, LONG, Desk
from tests.support.stores import keys_without_lifetime
from turnfold import (
    Agent,
    AgentSession,
    CompactionProvider,
    InMemoryHistoryProvider,
    OpenAIChatClient,
    PipelineCompactionStrategy,
    RedisHistoryProvider,
    RedisSessionStore,
    SlidingWindowStrategy,
    SummarizationStrategy,
)
from turnfold.embedded import EmbeddedServer
from turnfold.errors import Unavailable
from turnfold.sessions.redis_store import RedisStore
from turnfold.testing import ScriptedModel

NEVER: dict[str, Any] = {"strategy": "sliding_window", "trigger": "never"}


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as started:
        yield started


@pytest.fixture
async def client(server: EmbeddedServer) -> AsyncIterator[Redis]:
    opened: Redis = Redis.from_url(server.redis_url, protocol=2)
    await opened.flushall()
    yield opened
    assert await keys_without_lifetime(opened) == []
    await opened.aclose()


@pytest.fixture
def desk(client: Redis) -> Desk:
    return Desk(RedisStore(client))


def look() -> str:
    return "found" + LONG


async def test_a_history_by_address_is_there_in_another_process_s_agent(server: EmbeddedServer, client: Redis) -> None:
    model = Model()
    for text in ("one", "two"):
        history = RedisHistoryProvider(redis_url=server.redis_url, policy=EAGER)
        agent = Agent(model, context_providers=[history])
        await agent.run(text, session=AgentSession(session_id="user-42"))
        await history.close()
    assert model.last == ["one", "ok", "two"]


async def test_a_worker_makes_the_summary_and_no_run_waits_for_it(desk: Desk) -> None:
    model, history = Model(["Noted. " + LONG]), RedisHistoryProvider(turnfold=desk.service)
    agent = Agent(model, context_providers=[history])
    session = agent.create_session()
    for n in range(1, 5):
        await agent.run(f"turn {n} {LONG}", session=session)
    assert len(model.last) == 7  # whole: the summary is due, and nobody has made it yet

    assert await desk.work() == 1
    await agent.run("next", session=session)

    assert model.last[0].startswith("[Summary]")
    assert len(model.last) < 7
    log = await desk.service.messages(session.session_id)
    assert len(log.entries) == 10


async def test_messages_are_stored_once_and_carry_the_ids_of_the_log(desk: Desk) -> None:
    history = RedisHistoryProvider(turnfold=desk.service)
    agent = Agent(Model([calls(("look", {})), "done"]), tools=[look], context_providers=[history])
    session = agent.create_session()
    response = await agent.run("yes", session=session)
    await agent.run("yes", session=session)
    entries = (await desk.service.messages(session.session_id)).entries
    assert texts([entry.message for entry in entries.values()]) == ["yes", "None", look(), "done", "yes", "done"]
    ids = [entry.id for entry in entries.values()]
    assert [message.metadata["id"] for message in response.messages] == ids[1:4]
    assert [m.metadata["id"] for m in await history.get_messages(session)] == ids


async def test_a_failed_run_stores_nothing_and_one_with_calls_stored_is_repaired(desk: Desk) -> None:
    model = Model([calls(("look", {})), "fine"], failing=[2])
    history = RedisHistoryProvider(turnfold=desk.service)
    for each_call, left in ((False, []), (True, ["user", "assistant"])):
        agent = Agent(
            model,
            tools=[look],
            context_providers=[history],
            require_per_service_call_history_persistence=each_call,
        )
        model.sent.clear()
        session = agent.create_session()
        with pytest.raises(ConnectionError):
            await agent.run("go", session=session)
        assert roles(await history.get_messages(session)) == left
        model.sent.append([])
        await agent.run("and now?", session=session)
        assert model.last == (["go", "and now?"] if each_call else ["and now?"])
        assert broken_pairs(model.sent[-1]) == []


async def test_a_summary_that_a_strategy_of_the_agent_finds_due_goes_through_the_queue(desk: Desk) -> None:
    summarizer, model = Summarizer(), Model(["Noted. " + LONG])
    quiet = Desk(desk.store, {**EAGER, "strategies": [{**EAGER["strategies"][0], "trigger": {"messages_exceed": 90}}]})
    strategy = PipelineCompactionStrategy(
        strategies=[
            SummarizationStrategy(client=summarizer, target_count=3, threshold=1),
            SlidingWindowStrategy(keep_last_groups=4),
        ]
    )
    history = RedisHistoryProvider(turnfold=quiet.service)
    agent = Agent(model, context_providers=[history], compaction_strategy=strategy)
    session = agent.create_session()
    for n in range(1, 5):
        await agent.run(f"turn {n} {LONG}", session=session)

    assert summarizer.asked == []
    assert len(model.last) == 4  # inline steps fit the call
    assert await quiet.work() >= 1
    await agent.run("next", session=session)
    assert any(message.text.startswith("[Summary]") for message in await history.get_messages(session))
    assert len((await quiet.service.messages(session.session_id)).entries) == 10


async def test_a_compaction_provider_works_on_it_too_and_the_log_stays_whole(desk: Desk) -> None:
    quiet = Desk(desk.store, NEVER)
    summarizer, model = Summarizer(), Model()
    history = RedisHistoryProvider(turnfold=quiet.service)
    compaction = CompactionProvider(
        SummarizationStrategy(client=summarizer, target_count=2, threshold=2),
        SlidingWindowStrategy(keep_last_groups=6),
        history_source_id=history.source_id,
    )
    agent = Agent(model, context_providers=[history, compaction])
    session = agent.create_session()
    for n in range(1, 7):
        await agent.run(f"turn-{n}. {LONG}", session=session)
        session = AgentSession.from_dict(session.to_dict())

    assert model.last[0].startswith("[Summary]")
    assert max(summarizer.times_folded(f"turn-{n}.") for n in range(1, 7)) == 1
    assert len(await history.get_messages(session)) == 12


async def test_where_a_worker_folds_what_a_provider_had_folded_the_worker_s_summary_stands(desk: Desk) -> None:
    summarizer, model = Summarizer(), Model(["Noted. " + LONG])
    history = RedisHistoryProvider(turnfold=desk.service)
    compaction = CompactionProvider(SummarizationStrategy(client=summarizer, target_count=2, threshold=2))
    agent = Agent(model, context_providers=[history, compaction])
    session = agent.create_session()
    for n in range(1, 5):
        await agent.run(f"turn-{n}. {LONG}", session=session)
    await desk.work()
    compaction.before_strategy = None
    await agent.run("next", session=session)
    shown = " ".join(model.last)
    assert "they spoke of crates" not in shown
    assert all(f"turn-{n}." in shown or "[Summary]" in shown for n in range(1, 5))


async def test_a_history_that_only_records_has_a_log_of_its_own(desk: Desk) -> None:
    audit = RedisHistoryProvider("audit", turnfold=desk.service, load_messages=False, store_context_messages=True)
    agent = Agent(Model(), context_providers=[InMemoryHistoryProvider(), audit])
    session = AgentSession(session_id="s-1")
    for text in ("one", "two"):
        await agent.run(text, session=session)
    log = await desk.service.messages("s-1.audit")
    assert texts([entry.message for entry in log.entries.values()]) == ["one", "ok", "one", "ok", "two", "ok"]
    assert texts(await audit.get_messages(session)) == ["one", "ok", "one", "ok", "two", "ok"]


async def test_bounds_hold_for_what_is_loaded(desk: Desk) -> None:
    model = Model()
    history = RedisHistoryProvider(turnfold=Desk(desk.store, NEVER).service, max_tokens=3)
    agent = Agent(model, context_providers=[history])
    session = agent.create_session()
    for text in ("one two three four five six", "seven eight", "nine"):
        await agent.run(text, session=session)
    assert model.last == ["seven eight", "ok", "nine"]


async def test_runs_of_many_sessions_at_once_keep_apart(desk: Desk) -> None:
    model, history = Model(), RedisHistoryProvider(turnfold=desk.service)
    agent = Agent(model, context_providers=[history])
    sessions = [agent.create_session() for _ in range(8)]
    for round_number in range(3):
        said = [agent.run(f"{n}/{round_number}", session=session) for n, session in enumerate(sessions)]
        await asyncio.gather(*said)
    for n, session in enumerate(sessions):
        expected = [text for r in range(3) for text in (f"{n}/{r}", "ok")]
        assert texts(await history.get_messages(session)) == expected


async def test_a_store_that_is_away_is_said_so() -> None:
    history = RedisHistoryProvider(redis_url="redis://127.0.0.1:1/0")
    agent = Agent(Model(), context_providers=[history])
    with pytest.raises(Unavailable):
        await agent.run("one", session=agent.create_session())
    await history.close()


async def test_whole_sessions_survive_a_restart_of_the_store(tmp_path: Path) -> None:
    model = Model()
    agent = Agent(model)
    server = EmbeddedServer(tmp_path)
    for text in ("one", "two"):
        with server:
            store = RedisSessionStore(server.redis_url)
            session = await store.get("user-42") or agent.create_session()
            await agent.run(text, session=session)
            await store.set("user-42", session)
            await store.close()
    assert model.last == ["one", "ok", "two"]


async def test_a_policy_of_the_provider_is_kept_with_its_sessions_so_that_workers_obey_it(
    server: EmbeddedServer, client: Redis
) -> None:
    history = RedisHistoryProvider(redis_url=server.redis_url, policy=EAGER)
    agent = Agent(Model(["Noted. " + LONG]), context_providers=[history])
    session = agent.create_session()
    for n in range(1, 5):
        await agent.run(f"turn {n} {LONG}", session=session)
    elsewhere = Desk(RedisStore(client), NEVER)
    pending = (await elsewhere.service.session(session.session_id)).pending_job
    await elsewhere.queue.send(pending)
    await elsewhere.work()
    assert (await history.get_messages(session))[0].text.startswith("[Summary]")
    await history.close()


async def test_what_instructions_and_tools_cost_is_learned_from_the_reported_usage(desk: Desk) -> None:
    with ScriptedModel(lambda request: "ok") as model:
        client = OpenAIChatClient(model.name, base_url=model.base_url)
        history = RedisHistoryProvider(turnfold=desk.service)
        agent = client.as_agent(instructions="Be brief. " * 80, context_providers=[history])
        session = agent.create_session()
        for text in ("one", "two"):
            await agent.run(text, session=session)
        await client.close()
    head = await desk.service.session(session.session_id)
    assert 180 <= head.overhead_tokens <= 220  # 800 characters
