"""The documented examples of storage and of compaction with agents, with only the import lines changed.

They run against a model on loopback: `OPENAI_BASE_URL`, `OPENAI_API_KEY` and `OPENAI_MODEL` point to it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from turnfold import (
    Agent,
    AgentSession,
    CharacterEstimatorTokenizer,
    CompactionProvider,
    ContextProvider,
    HistoryProvider,
    InMemoryHistoryProvider,
    Message,
    OpenAIChatClient,
    SessionContext,
    SlidingWindowStrategy,
    SummarizationStrategy,
    TokenBudgetComposedStrategy,
    ToolResultCompactionStrategy,
    TruncationStrategy,
    create_harness_agent,
)
from turnfold.testing import ModelRequest, ScriptedModel


def answer(request: ModelRequest) -> str:
    return f"reply {request.number}"


@pytest.fixture
def model(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedModel]:
    with ScriptedModel(answer) as started:
        monkeypatch.setenv("OPENAI_BASE_URL", started.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        monkeypatch.setenv("OPENAI_MODEL", started.name)
        yield started


async def test_in_memory_chat_history_storage(model: ScriptedModel) -> None:
    agent = OpenAIChatClient().as_agent(
        name="StorageAgent",
        instructions="You are a helpful assistant.",
        context_providers=[InMemoryHistoryProvider("memory", load_messages=True)],
    )

    session = agent.create_session()
    await agent.run("Remember that I like Italian food.", session=session)

    await agent.run("What do I like?", session=session)
    assert model.requests[-1].texts == [
        "You are a helpful assistant.",
        "Remember that I like Italian food.",
        "reply 1",
        "What do I like?",
    ]


async def test_service_managed_storage(model: ScriptedModel) -> None:
    agent = OpenAIChatClient().as_agent(name="StorageAgent")
    # Rehydrate when the service already has the conversation state.
    session = agent.get_session(service_session_id="<service-conversation-id>")
    response = await agent.run("Continue this conversation.", session=session)
    assert response.text == "reply 1"
    assert session.service_session_id == "<service-conversation-id>"


async def test_per_service_call_local_history_persistence(model: ScriptedModel) -> None:
    agent = Agent(
        client=OpenAIChatClient(),
        name="StorageAgent",
        instructions="You are a helpful assistant.",
        context_providers=[InMemoryHistoryProvider("memory", load_messages=True)],
        require_per_service_call_history_persistence=True,
    )
    await agent.run("Hello", session=agent.create_session())
    as_agent = OpenAIChatClient().as_agent(
        name="StorageAgent",
        context_providers=[InMemoryHistoryProvider("memory", load_messages=True)],
        require_per_service_call_history_persistence=True,
    )
    with pytest.raises(ValueError, match="require_per_service_call_history_persistence"):
        await as_agent.run("Hello", session=as_agent.get_session(service_session_id="resp_1"))


class DatabaseClient:
    """What the example's database is."""

    def __init__(self) -> None:
        self.rows: dict[str, list[dict[str, Any]]] = {}

    async def load_messages(self, key: str) -> list[dict[str, Any]]:
        return self.rows.get(key, [])

    async def save_messages(self, key: str, rows: list[dict[str, Any]]) -> None:
        self.rows.setdefault(key, []).extend(rows)


class DatabaseHistoryProvider(HistoryProvider):
    def __init__(self, db: Any) -> None:
        super().__init__("db-history", load_messages=True)
        self._db = db

    async def get_messages(
        self,
        session_id: str | None,
        *,
        state: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> list[Message]:
        key = (state or {}).get("history_key", session_id or "default")
        rows = await self._db.load_messages(key)
        return [Message.from_dict(row) for row in rows]

    async def save_messages(
        self,
        session_id: str | None,
        messages: Sequence[Message],
        *,
        state: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        if not messages:
            return
        default = session_id or "default"
        key = default if state is None else state.setdefault("history_key", default)
        await self._db.save_messages(key, [m.to_dict() for m in messages])


async def test_a_history_of_one_s_own_database(model: ScriptedModel) -> None:
    db_client = DatabaseClient()
    history = DatabaseHistoryProvider(db_client)
    agent = OpenAIChatClient().as_agent(
        name="StorageAgent",
        instructions="You are a helpful assistant.",
        context_providers=[history],
    )

    session = agent.create_session()
    await agent.run("Store this conversation.", session=session)

    assert session.state["db-history"] == {"history_key": session.session_id}
    assert [row["content"] for row in db_client.rows[session.session_id]] == ["Store this conversation.", "reply 1"]


async def test_persisting_sessions_across_restarts(model: ScriptedModel) -> None:
    agent = OpenAIChatClient().as_agent(name="StorageAgent")
    session = agent.create_session()
    await agent.run("I like Italian food.", session=session)

    serialized = session.to_dict()
    # Store serialized payload in durable storage.
    resumed = AgentSession.from_dict(serialized)

    await agent.run("What do I like?", session=resumed)
    assert model.requests[-1].texts == ["I like Italian food.", "reply 1", "What do I like?"]


async def test_a_primary_history_and_an_audit(model: ScriptedModel) -> None:
    primary = DatabaseHistoryProvider(DatabaseClient())
    audit = InMemoryHistoryProvider("audit", load_messages=False, store_context_messages=True)
    agent = Agent(client=OpenAIChatClient(), context_providers=[primary, audit])
    session = agent.create_session()
    await agent.run("Hello", session=session)
    assert [message.text for message in audit.get_messages(session)] == ["Hello", "reply 1"]


class UserPreferenceProvider(ContextProvider):
    def __init__(self) -> None:
        super().__init__("user-preferences")

    async def before_run(
        self,
        *,
        agent: Any,
        session: AgentSession,
        context: SessionContext,
        state: dict[str, Any],
    ) -> None:
        if favorite := state.get("favorite_food"):
            context.extend_instructions(self.source_id, f"User's favorite food is {favorite}.")

    async def after_run(
        self,
        *,
        agent: Any,
        session: AgentSession,
        context: SessionContext,
        state: dict[str, Any],
    ) -> None:
        for message in context.input_messages:
            text = (message.text or "") if hasattr(message, "text") else ""
            if "favorite food is" in text.lower():
                state["favorite_food"] = text.split("favorite food is", 1)[1].strip().rstrip(".")


async def test_a_context_provider_of_one_s_own(model: ScriptedModel) -> None:
    agent = Agent(client=OpenAIChatClient(), context_providers=[UserPreferenceProvider()])
    session = agent.create_session()
    await agent.run("My favorite food is pizza.", session=session)
    await agent.run("What shall I eat?", session=session)
    assert model.requests[-1].texts[0] == "User's favorite food is pizza."


def look_up_price(product: str) -> str:
    """Looks the price of a product up."""
    return f"{product}: 900"


async def test_registering_with_an_agent(model: ScriptedModel) -> None:
    client = summarizer_client = OpenAIChatClient()
    tokenizer = CharacterEstimatorTokenizer()

    strategy = TokenBudgetComposedStrategy(
        token_budget=16_000,
        tokenizer=tokenizer,
        strategies=[
            ToolResultCompactionStrategy(keep_last_tool_call_groups=1),
            SummarizationStrategy(client=summarizer_client, target_count=4, threshold=2),
            SlidingWindowStrategy(keep_last_groups=20),
        ],
    )

    agent = Agent(
        client=client,
        name="ShoppingAssistant",
        instructions="You are a helpful shopping assistant.",
        compaction_strategy=strategy,
        tokenizer=tokenizer,
    )

    session = agent.create_session()
    assert str(await agent.run("What's the price of a laptop?", session=session)) == "reply 1"


async def test_one_strategy_alone(model: ScriptedModel) -> None:
    agent = Agent(
        client=OpenAIChatClient(),
        compaction_strategy=SlidingWindowStrategy(keep_last_groups=20),
        tokenizer=CharacterEstimatorTokenizer(),
    )
    assert (await agent.run("Hello")).text == "reply 1"


async def test_override_compaction_for_one_run(model: ScriptedModel) -> None:
    tokenizer = CharacterEstimatorTokenizer()
    agent = Agent(client=OpenAIChatClient())
    response = await agent.run(
        "Summarize the rollout risks.",
        compaction_strategy=TruncationStrategy(max_n=8_000, compact_to=4_000),
        tokenizer=tokenizer,
    )
    assert response.text == "reply 1"


async def test_a_compaction_provider_before_and_after_each_run(model: ScriptedModel) -> None:
    history = InMemoryHistoryProvider()
    compaction = CompactionProvider(
        before_strategy=SlidingWindowStrategy(keep_last_groups=20),
        after_strategy=ToolResultCompactionStrategy(keep_last_tool_call_groups=1),
        history_source_id=history.source_id,
    )
    agent = Agent(
        client=OpenAIChatClient(),
        name="ShoppingAssistant",
        instructions="You are a helpful shopping assistant.",
        context_providers=[history, compaction],
        tools=[look_up_price],
    )
    session = agent.create_session()
    assert str(await agent.run("What's the price of a laptop?", session=session)) == "reply 1"


async def test_a_harness_agent(model: ScriptedModel) -> None:
    client = OpenAIChatClient()
    agent = create_harness_agent(
        client,
        max_context_window_tokens=128_000,
        max_output_tokens=16_384,
    )
    session = agent.create_session()

    await agent.run("Plan the migration.", session=session)
    await agent.run("Continue with the next step.", session=session)

    serialized = session.to_dict()
    resumed = AgentSession.from_dict(serialized)
    await agent.run("And the last one.", session=resumed)
    assert model.requests[-1].texts[1:] == [
        *("Plan the migration.", "reply 1", "Continue with the next step.", "reply 2", "And the last one."),
    ]
