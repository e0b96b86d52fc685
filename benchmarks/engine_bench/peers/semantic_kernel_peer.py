"""Semantic Kernel: the truncation reducer."""

from __future__ import annotations

from typing import Any

from semantic_kernel.contents import (
    ChatHistoryTruncationReducer,
    ChatMessageContent,
    FunctionCallContent,
    FunctionResultContent,
)
from semantic_kernel.contents.utils.author_role import AuthorRole
from timing import chat, report, times, waited


def converted(message: dict[str, Any]) -> ChatMessageContent:
    role = AuthorRole(message["role"])
    if role is AuthorRole.TOOL:
        return ChatMessageContent(
            role=role, items=[FunctionResultContent(id=message["tool_call_id"], name="f", result=message["content"])]
        )
    if calls := message.get("tool_calls"):
        bodies = [(call["id"], call["function"]) for call in calls]
        items = [FunctionCallContent(id=i, name=body["name"], arguments=body["arguments"]) for i, body in bodies]
        return ChatMessageContent(role=role, items=items)
    return ChatMessageContent(role=role, content=message["content"])


def main() -> None:
    messages = chat()
    report(
        "truncation reducer, last 100",
        lambda: ChatHistoryTruncationReducer(target_count=100, messages=[converted(message) for message in messages]),
        waited(lambda reducer: reducer.reduce()),
        count=times(len(messages)),
    )


main()
