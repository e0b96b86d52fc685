"""langmem: `summarize_messages` with a model that answers at once."""

from __future__ import annotations

from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import convert_to_messages
from langmem.short_term import summarize_messages
from timing import chat, report, times


def main() -> None:
    messages = chat()
    model = FakeListChatModel(responses=["what was said"])
    report(
        "summarize_messages",
        lambda: convert_to_messages([{**message, "id": f"m{i}"} for i, message in enumerate(messages)]),
        lambda ms: summarize_messages(ms, running_summary=None, model=model, max_tokens=8_000),
        count=times(len(messages)),
    )


main()
