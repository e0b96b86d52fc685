"""turnfold folds old turns of a conversation into summaries ahead of the next turn.

What is listed here is public. Each name is loaded when it is first used, so that importing the package costs little.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from turnfold.index import MessageIndex
    from turnfold.messages import Message
    from turnfold.policy import Policy
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
}

__all__ = [
    "AppendResult",
    "CharacterEstimatorTokenizer",
    "CompactionStrategy",
    "CompactionTrigger",
    "CompactionTriggers",
    "ContextWindowCompactionStrategy",
    "Message",
    "MessageGroup",
    "MessageGroupKind",
    "MessageIndex",
    "PipelineCompactionStrategy",
    "Policy",
    "SelectiveToolCallCompactionStrategy",
    "SlidingWindowStrategy",
    "SummarizationStrategy",
    "SupportsChatGetResponse",
    "TiktokenTokenizer",
    "TokenBudgetComposedStrategy",
    "TokenizerProtocol",
    "ToolResultCompactionStrategy",
    "TruncationStrategy",
    "Turn",
    "Turnfold",
    "apply_compaction",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{home}"), name)
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
