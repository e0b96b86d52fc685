"""What is tried when replies are refused: a stricter request, another model, the extractive summarizer, or nothing."""

from __future__ import annotations

import pytest

from tests.unit.summaries.talks import request_of, talk
from turnfold.errors import SummarizerRefused, SummarizerTransient
from turnfold.summaries.attempt import summarize
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold.summaries.rejection_counts import rejection_counts
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest

REQUEST = request_of(
    talk(
        "user: Please send order W-20417 to 4 Mill Lane in Galway, and charge the postage to my card.",
        "assistant: Done. The postage is 6.40 euro, and the parcel arrives on 9 March.",
        "user: Thanks. The bell is broken, so tell the courier that they should knock loudly at the door.",
    )
)
GOOD = "Order W-20417 goes to 4 Mill Lane, Galway; postage 6.40 euro by card. The courier should knock."


class TwoModels:
    """Replies by model; `small` unless the request names one."""

    name = "openai"
    fallback_model = "large"

    def __init__(self, small: list[str | Exception], large: list[str | Exception]) -> None:
        self.replies = {"small": small, "large": large}
        self.asked: list[tuple[str, bool]] = []

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        model = request.model or "small"
        self.asked.append((model, request.stricter))
        reply = self.replies[model].pop(0)
        if isinstance(reply, Exception):
            raise reply
        return SummaryReply(text=reply, model=model, prompt_version="2")


async def test_the_first_model_is_asked_twice_then_the_fallback_model() -> None:
    models = TwoModels(["NONE", "Hello! How can I help you?"], [GOOD])

    reply = await summarize(REQUEST, models, fallback=ExtractiveSummarizer())

    assert models.asked == [("small", False), ("small", True), ("large", True)]
    assert (reply.text, reply.model, reply.degraded) == (GOOD, "large", False)
    assert reply.rejections == ("none", "greeting")


async def test_then_the_extractive_summarizer_writes_and_says_so() -> None:
    models = TwoModels(["", "I'm sorry, I can't."], ["Order W-99999 is on its way."])

    reply = await summarize(REQUEST, models, fallback=ExtractiveSummarizer())

    assert (reply.model, reply.degraded) == ("extractive", True)
    assert reply.rejections == ("blank", "refusal", "invented value")
    assert "W-20417" in reply.text


async def test_or_nothing_where_the_policy_says_so() -> None:
    models = TwoModels(["", ""], [""])

    with pytest.raises(SummarizerRefused, match="blank, blank, blank"):
        await summarize(REQUEST, models)


async def test_a_model_that_is_not_there_is_asked_once_and_the_fallback_model_takes_over() -> None:
    models = TwoModels([SummarizerRefused("the model answered 404")], [GOOD])

    reply = await summarize(REQUEST, models)

    assert models.asked == [("small", False), ("large", True)]
    assert reply.rejections == ("the model answered 404",)


async def test_a_busy_model_is_waited_for() -> None:
    models = TwoModels(["NONE", SummarizerTransient("busy")], [GOOD])

    with pytest.raises(SummarizerTransient):
        await summarize(REQUEST, models, fallback=ExtractiveSummarizer())


async def test_every_rejection_is_counted_by_its_reason() -> None:
    before = rejection_counts()
    models = TwoModels(["NONE", "NONE"], ["Sure! Your order has been updated."])

    await summarize(REQUEST, models, fallback=ExtractiveSummarizer())

    after = rejection_counts()
    assert after["none", "small"] - before.get(("none", "small"), 0) == 2
    assert after["continuation", "large"] - before.get(("continuation", "large"), 0) == 1


@pytest.mark.parametrize(
    "wrapped",
    [
        f"<summary>\n{GOOD}\n</summary>",
        f"```markdown\n{GOOD}\n```",
        f"<think>The user wants a parcel redirected. I will be brief.</think>\n\n{GOOD}",
        f"[Summary]\n{GOOD}",
    ],
)
async def test_what_models_wrap_a_summary_in_is_taken_off(wrapped: str) -> None:
    assert (await summarize(REQUEST, TwoModels([wrapped], []))).text == GOOD


async def test_a_thought_that_does_not_end_is_no_summary() -> None:
    reply = await summarize(REQUEST, TwoModels(["<think>The user wants", GOOD], []))

    assert reply.rejections == ("tool protocol",)
