"""turnfold folds old turns of a conversation into summaries ahead of the next turn.

What is listed here is public. Each name is loaded when it is first used, so that importing the package costs little.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from turnfold.agent.agent import Agent
    from turnfold.agent.chat_client import ChatClient
    from turnfold.agent.chat_response import ChatResponse
    from turnfold.agent.harness import create_harness_agent
    from turnfold.agent.openai_chat_client import OpenAIChatClient
    from turnfold.agent.openai_responses_client import OpenAIResponsesClient
    from turnfold.agent.response_stream import AgentResponseUpdate, ResponseStream
    from turnfold.agent.tool import FunctionTool, tool
    from turnfold.aliases import (
        PipelineStrategy,
        SlidingWindowCompactionStrategy,
        SummarizationCompactionStrategy,
        ToolResultStrategy,
        TruncationCompactionStrategy,
    )
    from turnfold.compaction.apply import apply_compaction
    from turnfold.compaction.context_window import ContextWindowCompactionStrategy
    from turnfold.compaction.pipeline import PipelineCompactionStrategy
    from turnfold.compaction.selective_tool_call import SelectiveToolCallCompactionStrategy
    from turnfold.compaction.sliding_window import SlidingWindowStrategy
    from turnfold.compaction.strategy import CompactionStrategy
    from turnfold.compaction.summarization import SummarizationStrategy
    from turnfold.compaction.token_budget import TokenBudgetComposedStrategy
    from turnfold.compaction.tool_result import ToolResultCompactionStrategy
    from turnfold.compaction.truncation import TruncationStrategy
    from turnfold.groups import MessageGroup, MessageGroupKind
    from turnfold.history.agent_response import AgentResponse
    from turnfold.history.chat_reducer import (
        ChatReducer,
        MessageCountingChatReducer,
        ReducerStrategy,
        StrategyReducer,
    )
    from turnfold.history.compaction_provider import CompactionProvider
    from turnfold.history.context_provider import ContextProvider
    from turnfold.history.file_session_store import FileSessionStore
    from turnfold.history.history_provider import HistoryProvider
    from turnfold.history.in_memory_history_provider import InMemoryHistoryProvider
    from turnfold.history.memory_session_store import MemorySessionStore
    from turnfold.history.provider_state import ProviderSessionState
    from turnfold.history.session import AgentSession
    from turnfold.history.session_context import SessionContext
    from turnfold.history.session_store import SessionStore
    from turnfold.history.state_types import register_state_type
    from turnfold.index import MessageIndex
    from turnfold.messages import Message
    from turnfold.on_redis.redis_history_provider import RedisHistoryProvider
    from turnfold.on_redis.redis_session_store import RedisSessionStore
    from turnfold.policy import Policy
    from turnfold.recall_for_models import recall_tool
    from turnfold.summaries.chat_client import SupportsChatGetResponse
    from turnfold.tokens import CharacterEstimatorTokenizer, TiktokenTokenizer, TokenizerProtocol
    from turnfold.triggers import CompactionTrigger, CompactionTriggers
    from turnfold.turn import AppendResult, Turn
    from turnfold.wiring import Turnfold

_HOMES = {
    # a chat backend's
    "Turnfold": "wiring",
    "Turn": "turn",
    "AppendResult": "turn",
    "Policy": "policy",
    "recall_tool": "recall_for_models",
    # agents
    "Agent": "agent.agent",
    "AgentResponse": "history.agent_response",
    "AgentResponseUpdate": "agent.response_stream",
    "ChatClient": "agent.chat_client",
    "ChatResponse": "agent.chat_response",
    "FunctionTool": "agent.tool",
    "OpenAIChatClient": "agent.openai_chat_client",
    "OpenAIResponsesClient": "agent.openai_responses_client",
    "ResponseStream": "agent.response_stream",
    "create_harness_agent": "agent.harness",
    "tool": "agent.tool",
    # sessions and histories of agents
    "AgentSession": "history.session",
    "ChatReducer": "history.chat_reducer",
    "CompactionProvider": "history.compaction_provider",
    "ContextProvider": "history.context_provider",
    "FileSessionStore": "history.file_session_store",
    "HistoryProvider": "history.history_provider",
    "InMemoryHistoryProvider": "history.in_memory_history_provider",
    "MemorySessionStore": "history.memory_session_store",
    "MessageCountingChatReducer": "history.chat_reducer",
    "ProviderSessionState": "history.provider_state",
    "RedisHistoryProvider": "on_redis.redis_history_provider",
    "RedisSessionStore": "on_redis.redis_session_store",
    "ReducerStrategy": "history.chat_reducer",
    "SessionContext": "history.session_context",
    "SessionStore": "history.session_store",
    "StrategyReducer": "history.chat_reducer",
    "register_state_type": "history.state_types",
    # messages
    "Message": "messages",
    "MessageGroup": "groups",
    "MessageGroupKind": "groups",
    "MessageIndex": "index",
    # tokens
    "CharacterEstimatorTokenizer": "tokens",
    "TiktokenTokenizer": "tokens",
    "TokenizerProtocol": "tokens",
    # compaction
    "apply_compaction": "compaction.apply",
    "CompactionStrategy": "compaction.strategy",
    "CompactionTrigger": "triggers",
    "CompactionTriggers": "triggers",
    "ContextWindowCompactionStrategy": "compaction.context_window",
    "PipelineCompactionStrategy": "compaction.pipeline",
    "SelectiveToolCallCompactionStrategy": "compaction.selective_tool_call",
    "SlidingWindowStrategy": "compaction.sliding_window",
    "SummarizationStrategy": "compaction.summarization",
    "SupportsChatGetResponse": "summaries.chat_client",
    "TokenBudgetComposedStrategy": "compaction.token_budget",
    "ToolResultCompactionStrategy": "compaction.tool_result",
    "TruncationStrategy": "compaction.truncation",
    # … under other names
    "PipelineStrategy": "aliases",
    "SlidingWindowCompactionStrategy": "aliases",
    "SummarizationCompactionStrategy": "aliases",
    "ToolResultStrategy": "aliases",
    "TruncationCompactionStrategy": "aliases",
}

__all__ = [
    "Agent",
    "AgentResponse",
    "AgentResponseUpdate",
    "AgentSession",
    "AppendResult",
    "CharacterEstimatorTokenizer",
    "ChatClient",
    "ChatReducer",
    "ChatResponse",
    "CompactionProvider",
    "CompactionStrategy",
    "CompactionTrigger",
    "CompactionTriggers",
    "ContextProvider",
    "ContextWindowCompactionStrategy",
    "FileSessionStore",
    "FunctionTool",
    "HistoryProvider",
    "InMemoryHistoryProvider",
    "MemorySessionStore",
    "Message",
    "MessageCountingChatReducer",
    "MessageGroup",
    "MessageGroupKind",
    "MessageIndex",
    "OpenAIChatClient",
    "OpenAIResponsesClient",
    "PipelineCompactionStrategy",
    "PipelineStrategy",
    "Policy",
    "ProviderSessionState",
    "RedisHistoryProvider",
    "RedisSessionStore",
    "ReducerStrategy",
    "ResponseStream",
    "SelectiveToolCallCompactionStrategy",
    "SessionContext",
    "SessionStore",
    "SlidingWindowCompactionStrategy",
    "SlidingWindowStrategy",
    "StrategyReducer",
    "SummarizationCompactionStrategy",
    "SummarizationStrategy",
    "SupportsChatGetResponse",
    "TiktokenTokenizer",
    "TokenBudgetComposedStrategy",
    "TokenizerProtocol",
    "ToolResultCompactionStrategy",
    "ToolResultStrategy",
    "TruncationCompactionStrategy",
    "TruncationStrategy",
    "Turn",
    "Turnfold",
    "apply_compaction",
    "create_harness_agent",
    "recall_tool",
    "register_state_type",
    "tool",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
