"""What a run of an agent gave."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from turnfold.messages import Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as the provider reported them, summed over the calls of a run."""

    prompt_tokens: int = 0
    completion_tokens: int = 0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
        )


@dataclass(slots=True, kw_only=True)
class AgentResponse:
    """The messages that a run added to the conversation.

    Attributes:
        messages: calls, their results and replies, in order.
        usage: of all model calls of the run.
        response_id: the provider's id of the last response.
        finish_reason: why the last reply ended, in the provider's word: `length` where it was cut off.
        pending_tool_call_ids: calls of tools that the agent only declares; answer them in the next run's input.
        calls: how often the model was called.
    """

    messages: list[Message] = field(default_factory=list[Message])
    usage: Usage = field(default_factory=Usage)
    response_id: str | None = None
    finish_reason: str = ""
    pending_tool_call_ids: list[str] = field(default_factory=list[str])
    calls: int = 0

    @property
    def text(self) -> str:
        """What the last reply says."""
        return next((message.text for message in reversed(self.messages) if message.role == "assistant"), "")

    def to_dict(self) -> dict[str, Any]:
        return {"messages": [dict(message) for message in self.messages], "response_id": self.response_id}

    def __str__(self) -> str:
        return self.text
