"""What can be said of an agent beside its client."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypedDict

from turnfold.agent.tool import Tool
from turnfold.history.context_provider import ContextProvider
from turnfold.history.conversation import Strategy
from turnfold.tokens import TokenizerProtocol


class AgentOptions(TypedDict, total=False):
    """See `Agent`."""

    instructions: str | None
    id: str | None
    name: str | None
    description: str | None
    tools: Tool | Iterable[Tool] | None
    context_providers: Iterable[ContextProvider] | None
    default_options: Mapping[str, Any] | None
    compaction_strategy: Strategy | None
    tokenizer: TokenizerProtocol | None
    require_per_service_call_history_persistence: bool
    service_session_id: str | None
    max_tool_rounds: int
