"""What a model gets of messages of LangChain."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from turnfold.adapters.following.history_view import HistoryView
from turnfold.adapters.langchain.reading import chat_message, input_tokens_of
from turnfold.messages import Message

M = TypeVar("M", bound=BaseMessage)


async def shown_messages(
    view: HistoryView, history_id: str | None, history: Sequence[M], *, as_sent: Sequence[M] | None = None
) -> list[M | AIMessage | HumanMessage]:
    """The messages to send: those of the history as they are, and what compaction made.

    Args:
        as_sent: the same messages as somebody else changed them for this call.
    """
    sent = history if as_sent is None else as_sent
    chat = [chat_message(message) for message in history]
    shown = await view.show(history_id, chat, input_tokens=input_tokens_of(history))
    return [_made(one) if isinstance(one, Message) else sent[one] for one in shown]


async def follow_messages(view: HistoryView, history_id: str | None, history: Sequence[BaseMessage]) -> None:
    """Brings a session up to a history."""
    chat = [chat_message(message) for message in history]
    await view.follow(history_id, chat, input_tokens=input_tokens_of(history))


def _made(message: Message) -> AIMessage | HumanMessage:
    return (HumanMessage if message.role == "user" else AIMessage)(message.text)
