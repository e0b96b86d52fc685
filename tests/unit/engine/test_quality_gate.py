"""Which replies may stand in the place of what they were made from, and what happens to the others."""

from __future__ import annotations

import pytest

from tests.unit.engine.asking import request_for, words
from tests.unit.engine.talk import ScriptedSummarizer, assistant, user
from turnfold.errors import SummarizerRefused, SummarizerTransient
from turnfold.summaries.attempt import summarize
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold.summaries.prompt import INSTRUCTION
from turnfold.summaries.quality_gate import as_summary, rejection
from turnfold.summaries.summarizer import SummaryReply

SAID = "The crate DK-99812 left Esbjerg on 14 March with 312 pallets, and the invoice of 4,310 euro went to Ana Brandt."
REQUEST = request_for([user(SAID), assistant("Noted. " * 40)], prompt="Sum it up in one line.")
GOOD = "Crate DK-99812: 312 pallets, 4,310 euro, Ana Brandt."


def reply(text: str, **more: str) -> SummaryReply:
    return SummaryReply(text=text, model="m", **more)  # type: ignore[arg-type]  # only text fields are passed


@pytest.mark.parametrize(
    "text",
    [GOOD, f"  {GOOD}\n", "要約：荷物はエスビャウを出た。", "Nothing was decided; the user waits for crate DK-99812."],
)
def test_a_summary_passes(text: str) -> None:
    assert rejection(reply(text), REQUEST) is None


@pytest.mark.parametrize("text", ["", "   \n\t", "...", "—", "***"])
def test_a_blank_reply_is_none(text: str) -> None:
    assert rejection(reply(text), REQUEST) == "blank"


@pytest.mark.parametrize("text", ["NONE", "none.", " None ", '"NONE"', "[NONE]", "**None**", "N/A", "null", "(none)"])
def test_none_is_no_summary(text: str) -> None:
    assert rejection(reply(text), REQUEST) == "none"


@pytest.mark.parametrize(
    "text",
    [
        "I'm sorry, but I can't help with that.",
        "I’m sorry, I cannot do this.",
        "Sorry, I can't.",
        "I cannot summarize this conversation.",
        "I can't do that.",
        "I am unable to comply.",
        "I apologize, but no.",
        "As an AI language model, I have no memory.",
    ],
)
def test_a_refusal_is_none(text: str) -> None:
    assert rejection(reply(text), REQUEST) == "refusal"


def test_a_refusal_in_the_providers_field_counts_whatever_the_text_says() -> None:
    assert rejection(reply(GOOD, refusal="I won't."), REQUEST) == "refusal"


@pytest.mark.parametrize("text", [SAID, f"{SAID}\n", "Sum it up in one line.", INSTRUCTION, f"<transcript>\n{GOOD}"])
def test_an_echo_of_the_conversation_or_the_prompt_is_none(text: str) -> None:
    assert rejection(reply(text), REQUEST) is not None


def test_a_reply_that_was_cut_off_is_none() -> None:
    assert rejection(reply(GOOD, finish_reason="length"), REQUEST) == "cut off"


def test_a_reply_must_be_shorter_than_what_it_replaces_its_mark_counted_in() -> None:
    def fits(size: int) -> bool:
        return rejection(reply(words(size)), request_for([user("x" * 400)])) is None

    assert fits(70)
    assert not fits(80)  # 100 tokens with the mark, of 100
    assert not fits(200)


def test_a_summary_carries_its_mark() -> None:
    assert as_summary("  text\n") == "[Summary]\ntext"


async def test_a_good_reply_is_taken_at_once() -> None:
    summarizer = ScriptedSummarizer(GOOD)

    assert (await summarize(REQUEST, summarizer)).text == GOOD
    assert [request.stricter for request in summarizer.asked] == [False]


async def test_a_bad_reply_is_asked_for_once_more_and_more_firmly() -> None:
    summarizer = ScriptedSummarizer("NONE", GOOD)

    answer = await summarize(REQUEST, summarizer)

    assert (answer.text, answer.rejections, answer.degraded) == (GOOD, ("none",), False)
    assert [request.stricter for request in summarizer.asked] == [False, True]


async def test_two_bad_replies_are_a_failure_that_says_why() -> None:
    summarizer = ScriptedSummarizer("", "NONE")

    with pytest.raises(SummarizerRefused, match=r"blank.*none"):
        await summarize(REQUEST, summarizer)

    assert len(summarizer.asked) == 2


async def test_then_the_fallback_is_asked_and_its_reply_marked() -> None:
    answer = await summarize(REQUEST, ScriptedSummarizer("NONE"), fallback=ExtractiveSummarizer())

    assert (answer.model, answer.degraded, answer.rejections) == ("extractive", True, ("none", "none"))


async def test_the_fallback_passes_the_same_gate() -> None:
    with pytest.raises(SummarizerRefused, match="fallback: blank"):
        await summarize(REQUEST, ScriptedSummarizer("NONE"), fallback=ScriptedSummarizer(""))


async def test_a_refused_request_is_not_asked_again() -> None:
    summarizer = ScriptedSummarizer(SummarizerRefused("the model answered 400"))

    with pytest.raises(SummarizerRefused, match="400"):
        await summarize(REQUEST, summarizer)

    assert len(summarizer.asked) == 1


async def test_a_failure_that_may_pass_goes_up_at_once_and_the_fallback_is_not_asked() -> None:
    fallback = ScriptedSummarizer(GOOD)

    with pytest.raises(SummarizerTransient):
        await summarize(REQUEST, ScriptedSummarizer(SummarizerTransient("busy")), fallback=fallback)

    assert fallback.asked == []
