"""LangChain: `trim_messages`, and `SummarizationMiddleware` with a model that answers at once."""

from __future__ import annotations

from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.language_models.fake_chat_models import FakeListChatModel
from langchain_core.messages import convert_to_messages, trim_messages
from langchain_core.messages.utils import count_tokens_approximately
from timing import chat, report, times


def main() -> None:
    messages = chat()
    count = times(len(messages))

    def fresh() -> list:
        return convert_to_messages(messages)

    report(
        "trim_messages, last 100", fresh, lambda ms: trim_messages(ms, max_tokens=100, token_counter=len), count=count
    )
    report(
        "trim_messages, 8,000 tokens",
        fresh,
        lambda ms: trim_messages(ms, max_tokens=8_000, token_counter=count_tokens_approximately),
        count=count,
    )
    middleware = SummarizationMiddleware(
        model=FakeListChatModel(responses=["what was said"]), trigger=("tokens", 8_000), keep=("messages", 20)
    )
    report("SummarizationMiddleware", fresh, lambda ms: middleware.before_model({"messages": ms}, None), count=count)
    report("conversion", lambda: messages, convert_to_messages, count=count)


main()
