"""A backlog that one call can't read: in parts, side by side, then merged."""

from __future__ import annotations

import asyncio

import pytest

from tests.unit.engine.asking import prompt_tokens, request_for, words
from tests.unit.engine.talk import ScriptedSummarizer, Talk, calling, result, user
from turnfold.errors import SummarizerTransient
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold.summaries.parts import PARALLEL, summarize_in_parts
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest


class Writer:
    """Writes as much as it may, and counts how many calls run at once."""

    name = "writer"

    def __init__(self) -> None:
        self.asked: list[SummaryRequest] = []
        self.running = self.most_running = 0

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        self.asked.append(request)
        self.running += 1
        self.most_running = max(self.most_running, self.running)
        await asyncio.sleep(0)
        self.running -= 1
        text = f"Summary {len(self.asked)}: " + words(max(0, request.max_tokens * 4 // 5 - 8))
        return SummaryReply(text=text, model="w", prompt_tokens=100, completion_tokens=10)


def backlog(count: int, size: int = 400) -> Talk:
    return [user(f"Message {n}. " + "x" * size) for n in range(count)]


async def test_what_one_call_can_read_is_read_in_one_call() -> None:
    writer = Writer()

    await summarize_in_parts(request_for(backlog(10)), writer, max_input_tokens=8000)

    assert [len(request.messages) for request in writer.asked] == [10]


async def test_without_a_bound_there_is_one_call() -> None:
    writer = Writer()

    await summarize_in_parts(request_for(backlog(1000)), writer, max_input_tokens=None)

    assert len(writer.asked) == 1


async def test_the_extractive_summarizer_reads_anything_in_one_go() -> None:
    reply = await summarize_in_parts(request_for(backlog(100)), ExtractiveSummarizer(), max_input_tokens=1000)

    assert reply.model == "extractive"


@pytest.mark.parametrize("max_tokens", [50, 500, 5000])
@pytest.mark.parametrize("max_input_tokens", [700, 2000])
async def test_no_call_reads_more_than_it_may_and_each_message_is_read_once(
    max_tokens: int, max_input_tokens: int
) -> None:
    # given
    writer, request = Writer(), request_for(backlog(200), max_tokens=max_tokens)

    # when
    await summarize_in_parts(request, writer, max_input_tokens=max_input_tokens)

    # then
    assert max(prompt_tokens(asked) for asked in writer.asked) <= max_input_tokens
    assert not any("left out" in text for asked in writer.asked for text in asked.earlier)
    read = [message.text.split(".")[0] for asked in writer.asked for message in asked.messages]
    assert read == [f"Message {n}" for n in range(200)]


async def test_one_message_that_is_more_than_a_call_is_read_by_head_and_tail() -> None:
    writer, request = Writer(), request_for([user("head" + "x" * 100_000 + "tail")])

    await summarize_in_parts(request, writer, max_input_tokens=1000)

    (asked,) = writer.asked
    assert prompt_tokens(asked) <= 1000
    assert asked.messages[0].text.startswith("headx")
    assert asked.messages[0].text.endswith("xtail")


async def test_earlier_summaries_are_merged_with_the_parts_however_long_they_are() -> None:
    writer, request = Writer(), request_for(backlog(50), earlier=["First: " + "e" * 20_000], max_tokens=300)

    await summarize_in_parts(request, writer, max_input_tokens=1000)

    assert max(prompt_tokens(asked) for asked in writer.asked) <= 1000
    assert any(text.startswith("First: ") for asked in writer.asked for text in asked.earlier)


async def test_a_room_too_small_for_anything_still_comes_to_an_end() -> None:
    writer = Writer()

    await summarize_in_parts(request_for(backlog(20), max_tokens=300), writer, max_input_tokens=50)

    assert len(writer.asked) < 100


async def test_results_stay_with_their_calls() -> None:
    writer = Writer()
    messages = [m for n in range(40) for m in (calling(f"c{n}"), result(f"c{n}", "x" * 300))]

    await summarize_in_parts(request_for(messages, source_tokens=4000), writer, max_input_tokens=1000)

    assert len(writer.asked) > 2
    assert all(request.messages[0].role == "assistant" for request in writer.asked if request.messages)


async def test_not_too_many_parts_are_asked_for_at_once() -> None:
    writer = Writer()

    await summarize_in_parts(request_for(backlog(200)), writer, max_input_tokens=1000)

    assert writer.most_running == PARALLEL


async def test_the_reply_tells_what_all_calls_cost() -> None:
    writer = Writer()

    reply = await summarize_in_parts(request_for(backlog(100)), writer, max_input_tokens=2000)

    assert (reply.prompt_tokens, reply.completion_tokens) == (100 * len(writer.asked), 10 * len(writer.asked))


async def test_a_part_made_by_the_fallback_marks_the_whole() -> None:
    summarizer = ScriptedSummarizer("NONE", "NONE", "A good summary of what was said.")

    reply = await summarize_in_parts(
        request_for(backlog(30), max_tokens=200), summarizer, max_input_tokens=2000, fallback=ExtractiveSummarizer()
    )

    assert reply.degraded


async def test_a_part_that_fails_fails_the_whole() -> None:
    summarizer = ScriptedSummarizer("A good summary.", SummarizerTransient("busy"))

    with pytest.raises(SummarizerTransient):
        await summarize_in_parts(request_for(backlog(100)), summarizer, max_input_tokens=2000)


async def test_no_part_is_left_with_next_to_nothing_to_tell() -> None:
    writer = Writer()
    # one message more than three calls can read
    request = request_for(backlog(37), max_tokens=200)

    await summarize_in_parts(request, writer, max_input_tokens=1500)

    sizes = [len(asked.messages) for asked in writer.asked if asked.messages]
    assert len(sizes) > 2
    assert min(sizes) > max(sizes) // 2


async def test_a_part_is_not_measured_against_itself_and_costs_no_fallback() -> None:
    """A reply may be longer than a small part: only the whole must be shorter than its sources."""
    wordy = ScriptedSummarizer(*(f"Summary {n}: " + words(96) for n in range(40)))
    request = request_for([*backlog(20, 900), user("ok")], max_tokens=400)

    reply = await summarize_in_parts(request, wordy, max_input_tokens=1200, fallback=ExtractiveSummarizer())

    assert not reply.degraded


LONG = "word " * 20_000
PARTS = [{"type": "text", "text": "word " * 40} for _ in range(500)]
IMAGES = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}} for _ in range(5_000)]


@pytest.mark.parametrize(
    "huge",
    [
        {"role": "user", "content": LONG},
        {"role": "user", "content": PARTS},
        {"role": "user", "content": IMAGES},
        {"role": "assistant", "content": None, "refusal": LONG},
        {"role": "assistant", "content": "", "reasoning_content": LONG},
        {"role": "assistant", "content": "", "reasoning_details": [{"type": "reasoning.text", "text": LONG}]},
        {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": LONG}},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "look", "arguments": LONG}}],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": f"c{n}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
                for n in range(5_000)
            ],
        },
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "look", "input": LONG}}],
        },
    ],
)
async def test_a_message_that_is_more_than_a_call_may_read_is_cut_whatever_its_form(huge: dict[str, object]) -> None:
    writer = Writer()
    request = request_for([user("Look at this."), huge, user("And?")], max_tokens=200, source_tokens=50_000)

    await summarize_in_parts(request, writer, max_input_tokens=2000)

    assert all(prompt_tokens(asked) <= 2000 for asked in writer.asked)
