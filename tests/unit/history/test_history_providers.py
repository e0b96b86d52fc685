"""What a history loads and stores: flags, stamps, filters, bounds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from tests.support.agents import Model, calls, texts
from turnfold import (
    Agent,
    AgentSession,
    CompactionProvider,
    ContextProvider,
    HistoryProvider,
    InMemoryHistoryProvider,
    Message,
    SessionContext,
    SlidingWindowStrategy,
)
from turnfold.history.history_provider import HistoryOptions
from turnfold.history.stamps import is_from_history, source_id_of


class Database(HistoryProvider):
    """The simple form: load, store. It keeps JSON, as databases do, and gives messages no ids."""

    def __init__(self, **options: Any) -> None:
        super().__init__("database", **options)
        self.rows: dict[str, list[dict[str, Any]]] = {}
        self.saves: list[list[str]] = []

    async def get_messages(
        self, session_id: str, *, state: dict[str, Any] | None = None, **kwargs: Any
    ) -> list[Message]:
        return [Message(row) for row in self.rows.get(session_id, [])]

    async def save_messages(
        self,
        session_id: str,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        self.saves.append(texts(messages))
        self.rows.setdefault(session_id, []).extend(dict(message) for message in messages)


class Memory(ContextProvider):
    def __init__(self, source_id: str = "memory") -> None:
        super().__init__(source_id)

    async def before_run(
        self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
    ) -> None:
        context.extend_messages(self, [{"role": "user", "content": f"context of {self.source_id}"}])


async def test_a_session_without_a_history_gets_one_in_memory() -> None:
    model = Model(["Hi Ann.", "Ann."])
    agent = Agent(model)
    session = agent.create_session()
    await agent.run("I am Ann.", session=session)
    await agent.run("Who am I?", session=session)
    assert model.last == ["I am Ann.", "Hi Ann.", "Who am I?"]
    assert texts(InMemoryHistoryProvider().get_messages(session)) == ["I am Ann.", "Hi Ann.", "Who am I?", "Ann."]


async def test_without_a_session_nothing_is_remembered() -> None:
    model = Model()
    agent = Agent(model)
    await agent.run("one")
    await agent.run("two")
    assert model.last == ["two"]


async def test_the_history_can_be_read_with_and_without_await() -> None:
    history = InMemoryHistoryProvider("memory", load_messages=True)
    agent = Agent(Model(), context_providers=[history])
    session = agent.create_session()
    await agent.run("one", session=session)
    assert texts(await history.get_messages(session)) == texts(history.get_messages(session)) == ["one", "ok"]


async def test_one_provider_serves_many_sessions_and_holds_none_of_them() -> None:
    history = InMemoryHistoryProvider()
    agent = Agent(Model(), context_providers=[history])
    one, two = agent.create_session(), agent.create_session()
    before = dict(vars(history))
    await agent.run("one", session=one)
    await agent.run("two", session=two)
    assert texts(history.get_messages(one)) == ["one", "ok"]
    assert texts(history.get_messages(two)) == ["two", "ok"]
    assert vars(history) == before


async def test_a_custom_provider_loads_and_stores_by_session_id() -> None:
    database, model = Database(), Model()
    agent = Agent(model, context_providers=[database])
    session = AgentSession(session_id="s-1")
    await agent.run("one", session=session)
    await agent.run("two", session=session)
    assert model.last == ["one", "ok", "two"]
    assert database.saves == [["one", "ok"], ["two", "ok"]]
    assert list(database.rows) == ["s-1"]


@pytest.mark.parametrize(
    ("flags", "stored"),
    [
        ({"store_inputs": False}, ["ok"]),
        ({"store_outputs": False}, ["one"]),
        ({"store_context_messages": True}, ["context of memory", "context of other", "one", "ok"]),
        ({"store_context_messages": True, "store_context_from": ["other"]}, ["context of other", "one", "ok"]),
        ({"store_context_from": ["other"]}, ["one", "ok"]),
    ],
)
async def test_flags_say_what_is_stored(flags: dict[str, Any], stored: list[str]) -> None:
    database = Database(**flags)
    agent = Agent(Model(), context_providers=[database, Memory(), Memory("other")])
    await agent.run("one", session=agent.create_session())
    assert database.saves == [stored]


async def test_a_history_that_only_records_is_not_loaded() -> None:
    model, audit = Model(), Database(load_messages=False)
    agent = Agent(model, context_providers=[audit])
    session = agent.create_session()
    await agent.run("one", session=session)
    await agent.run("two", session=session)
    assert audit.saves == [["one", "ok"], ["two", "ok"]]
    assert model.last == ["one", "ok", "two"]  # by the session's own history


async def test_an_audit_provider_records_the_enriched_context_and_changes_nothing_else() -> None:
    def sent_and_stored(with_audit: bool) -> tuple[Model, InMemoryHistoryProvider, Agent, InMemoryHistoryProvider]:
        model, primary = Model(), InMemoryHistoryProvider("primary")
        audit = InMemoryHistoryProvider("audit", load_messages=False, store_context_messages=True)
        providers = [primary, Memory(), audit] if with_audit else [primary, Memory()]
        return model, primary, Agent(model, context_providers=providers), audit

    outcomes: list[tuple[list[list[dict[str, Any]]], list[str]]] = []
    recorded: list[str] = []
    for with_audit in (False, True):
        model, primary, agent, audit = sent_and_stored(with_audit)
        session = agent.create_session()
        await agent.run("one", session=session)
        await agent.run("two", session=session)
        outcomes.append((model.sent, texts(primary.get_messages(session))))
        recorded = texts(audit.get_messages(session))

    assert outcomes[0] == outcomes[1]
    assert recorded == [
        *("context of memory", "one", "ok"),
        *("one", "ok", "context of memory", "two", "ok"),
    ]


async def test_an_audit_provider_records_the_summary_that_the_model_was_sent() -> None:
    history = InMemoryHistoryProvider()
    compaction = CompactionProvider(before_strategy=SlidingWindowStrategy(keep_last_groups=1))
    audit = InMemoryHistoryProvider("audit", load_messages=False, store_context_messages=True)
    agent = Agent(Model(), context_providers=[history, compaction, audit])
    session = agent.create_session()
    for text in ("one", "two"):
        await agent.run(text, session=session)
    assert texts(audit.get_messages(session)) == ["one", "ok", "ok", "two", "ok"]


async def test_loaded_messages_are_stamped_with_their_source_and_stored_ones_are_not_changed() -> None:
    seen: list[Message] = []

    class Looks(ContextProvider):
        async def before_run(
            self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
        ) -> None:
            seen[:] = context.get_messages()

    history = InMemoryHistoryProvider("memory")
    agent = Agent(Model(), context_providers=[history, Looks("looks")])
    session = agent.create_session()
    await agent.run("one", session=session)
    await agent.run("two", session=session)
    assert [(source_id_of(message), is_from_history(message)) for message in seen] == [("memory", True)] * 2
    assert not any(is_from_history(message) for message in history.get_messages(session))


async def test_what_came_from_history_is_not_stored_again_even_when_it_is_said() -> None:
    history = InMemoryHistoryProvider("memory")
    seen: list[Message] = []

    class Looks(ContextProvider):
        async def before_run(
            self, *, agent: Any, session: AgentSession, context: SessionContext, state: dict[str, Any]
        ) -> None:
            seen[:] = context.get_messages()

    agent = Agent(Model(), context_providers=[history, Looks("looks")])
    session = agent.create_session()
    await agent.run("one", session=session)
    await agent.run("two", session=session)
    await agent.run([*seen, Message(role="user", content="three")], session=session)
    assert texts(history.get_messages(session)) == ["one", "ok", "two", "ok", "three", "ok"]


def without_secrets(messages: list[Message]) -> list[Message]:
    return [message for message in messages if "secret" not in message.text]


async def test_a_filter_says_what_of_the_history_goes_into_a_run() -> None:
    model = Model()
    history = InMemoryHistoryProvider(provide_output_filter=without_secrets)
    agent = Agent(model, context_providers=[history])
    session = agent.create_session()
    await agent.run("my secret", session=session)
    await agent.run("two", session=session)
    assert model.last == ["ok", "two"]
    assert texts(history.get_messages(session)) == ["my secret", "ok", "two", "ok"]


async def test_a_filter_says_what_of_the_input_is_stored_and_never_sees_the_history() -> None:
    seen: list[list[str]] = []

    def only_without_secrets(messages: list[Message]) -> list[Message]:
        seen.append(texts(messages))
        return without_secrets(messages)

    history = InMemoryHistoryProvider(store_input_filter=only_without_secrets)
    agent = Agent(Model(), context_providers=[history])
    session = agent.create_session()
    await agent.run("one", session=session)
    await agent.run(["two", "my secret"], session=session)
    assert seen == [["one"], ["two", "my secret"]]
    assert texts(history.get_messages(session)) == ["one", "ok", "two", "ok"]


@pytest.mark.parametrize("bounds", [{"max_messages": 3}, {"max_tokens": 4}])
async def test_bounds_load_the_newest_groups_and_keep_pairs_whole(bounds: HistoryOptions) -> None:
    def look() -> str:
        return "found it"

    model = Model(["ok", calls(("look", {})), "there", "ok"])
    history = InMemoryHistoryProvider(**bounds)
    agent = Agent(model, tools=[look], context_providers=[history])
    session = agent.create_session()
    await agent.run("a long first message, of many words, to be left out", session=session)
    await agent.run("look", session=session)
    await agent.run("end", session=session)
    # The call and its result would fit in part only.
    assert [m["role"] for m in model.sent[-1]] == ["assistant", "tool", "assistant", "user"]
    assert len(history.get_messages(session)) == 8


async def test_the_newest_group_is_loaded_also_where_it_is_above_the_bound() -> None:
    model = Model(["a long reply of so many words that no bound would let it through"])
    agent = Agent(model, context_providers=[InMemoryHistoryProvider(max_tokens=2)])
    session = agent.create_session()
    await agent.run("one", session=session)
    await agent.run("two", session=session)
    assert len(model.last) == 2


def test_a_bound_must_be_a_number_that_makes_sense() -> None:
    with pytest.raises(ValueError, match="max_messages"):
        InMemoryHistoryProvider(max_messages=0)


async def test_a_message_keeps_the_id_that_it_came_with_and_others_get_one() -> None:
    history = InMemoryHistoryProvider()
    agent = Agent(Model(), context_providers=[history])
    session = agent.create_session()
    await agent.run({"role": "user", "content": "one", "id": "mine"}, session=session)
    await agent.run({"role": "user", "content": "two", "id": "mine"}, session=session)
    ids = [message.metadata["id"] for message in history.get_messages(session)]
    assert ids[0] == "mine"
    assert len(set(ids)) == 4


async def test_restoring_with_other_providers_warns_once_and_names_the_difference() -> None:
    first = Agent(Model(), context_providers=[InMemoryHistoryProvider("memory"), Memory("notes")])
    session = first.create_session()
    await first.run("one", session=session)
    back = AgentSession.from_dict(session.to_dict())
    second = Agent(Model(), context_providers=[InMemoryHistoryProvider("memory"), Memory("other")])

    with pytest.warns(UserWarning, match="missing here: notes; new here: other"):
        await second.run("two", session=back)
    await second.run("three", session=back)


async def test_restoring_with_the_same_providers_says_nothing_and_goes_on() -> None:
    model = Model()
    agent = Agent(model, context_providers=[InMemoryHistoryProvider("memory")])
    session = agent.create_session()
    await agent.run("one", session=session)
    back = AgentSession.from_dict(session.to_dict())
    assert back.to_dict() == session.to_dict()
    await agent.run("two", session=back)
    assert model.last == ["one", "ok", "two"]
