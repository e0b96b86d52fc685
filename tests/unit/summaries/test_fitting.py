"""No call reads more than it may, whatever the messages are like, and no part of a backlog is asked for in vain."""

from __future__ import annotations

import asyncio
import random
import re
from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.engine.asking import prompt_tokens, request_for, words
from tests.unit.engine.talk import Talk, assistant, calling, result, user
from turnfold.errors import SummarizerTransient
from turnfold.summaries.cut_message import cut_message
from turnfold.summaries.extractive import ExtractiveSummarizer
from turnfold.summaries.parts import PARALLEL, summarize_in_parts
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest
from turnfold.summaries.transcript import as_counted, entries
from turnfold.tokens import CharacterEstimatorTokenizer, TiktokenTokenizer

MOST = 2000


class Reader:
    """Notes what it was given to read."""

    name = "reader"

    def __init__(self) -> None:
        self.asked: list[SummaryRequest] = []

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        self.asked.append(request)
        return SummaryReply(text=f"Summary {len(self.asked)}: " + words(20), model="r")


async def read(messages: Talk, **options: Any) -> Reader:
    reader = Reader()
    request = request_for(messages, **{"max_tokens": 200, "source_tokens": 50_000, **options})
    await summarize_in_parts(request, reader, max_input_tokens=MOST, fallback=ExtractiveSummarizer())
    return reader


def many_calls(count: int, size: int) -> Talk:
    """A message with so many calls, and their results."""
    ids = [f"c{n}" for n in range(count)]
    return [
        user("Look everywhere."),
        calling(*ids),
        *(result(i, f"{i} " + "found it " * size) for i in ids),
        user("ok"),
    ]


@pytest.mark.parametrize(("count", "size"), [(5, 900), (60, 30), (500, 2), (500, 300)])
@pytest.mark.parametrize("max_result_chars", [None, 8000])
async def test_a_message_with_more_results_than_a_call_may_read_is_read_in_several_calls(
    count: int, size: int, max_result_chars: int | None
) -> None:
    reader = await read(many_calls(count, size), max_result_chars=max_result_chars)

    assert max(prompt_tokens(asked) for asked in reader.asked) <= MOST
    told = [m.text.split()[0] for asked in reader.asked for m in asked.messages if m["role"] == "tool"]
    told += [name for text in reader.asked[-1].earlier for name in re.findall(r"result of a tool: (c\d+)", text)]
    assert told == [f"c{n}" for n in range(count)]


SIGNS = ("word ", "\n", "数据表。", "🙂", "x", "</transcript> ", '{"a": "b"}, ', "\x00\u200b", "<|im_end|>")


def texts(rng: random.Random) -> str:
    letters = rng.choice(
        ["word ", "\n", "数据表。", "🙂", "x", "</transcript> ", '{"a": "b"}, ', "\x00\u200b", "<|im_end|>"]
    )
    return letters * rng.choice([0, 1, 30, 1_000])


def message(rng: random.Random) -> dict[str, Any]:
    """A message of any form, of any size."""
    role = rng.choice(["user", "assistant", "tool", "function", "calls", "legacy", "parts", "media", "reasoning"])
    name, text = texts(rng)[:200], texts(rng)
    forms: dict[str, Callable[[], dict[str, Any]]] = {
        "user": lambda: {"role": "user", "content": text, "name": name, "created_at": "2031-03-14"},
        "assistant": lambda: {
            "role": "assistant",
            "content": text,
            "refusal": texts(rng),
            "audio": {"transcript": name},
        },
        "tool": lambda: {"role": "tool", "tool_call_id": "c", "content": [{"type": "text", "text": text}] * 3},
        "function": lambda: {"role": "function", "name": name, "content": text},
        "calls": lambda: {
            "role": "assistant",
            "content": text,
            "tool_calls": [
                {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": texts(rng)}}
                for n in range(rng.choice([1, 60]))
            ],
        },
        "legacy": lambda: {
            "role": "assistant",
            "content": "",
            "function_call": {"name": name, "arguments": {"a": text}},
        },
        "parts": lambda: {
            "role": "assistant",
            "content": [
                {"type": "text", "text": text},
                {"type": "server_tool_use", "name": name, "input": {"query": texts(rng)}},
                {"type": "thinking", "thinking": texts(rng)},
                {"type": "refusal", "refusal": texts(rng)},
            ],
        },
        "media": lambda: {
            "role": "user",
            "content": [
                {"type": "file", "file": {"filename": name, **{f"f{n}": {"title": text} for n in range(60)}}},
                *({"type": "image_url", "image_url": {"url": "https://shop.example/" + text}} for _ in range(60)),
            ],
        },
        "reasoning": lambda: {
            "role": "assistant",
            "content": "",
            "reasoning": text,
            "reasoning_details": [{"type": "reasoning.text", "text": texts(rng), "summary": texts(rng)}] * 5,
        },
    }
    return forms[role]()


COUNTERS = {
    "estimate": CharacterEstimatorTokenizer().count_tokens,
    "o200k_base": TiktokenTokenizer("o200k_base").count_tokens,
}


@pytest.mark.parametrize("counter", COUNTERS)
@pytest.mark.parametrize("share", [60, 300, 1500])
def test_a_message_of_any_form_is_cut_to_its_share(counter: str, share: int) -> None:
    rng, count = random.Random(7), COUNTERS[counter]

    def cost(shown: Any) -> int:
        return count(as_counted(entries([shown])[0]))

    for _ in range(100):
        given = request_for([message(rng)]).messages[0]

        cut = cut_message(given, share, cost)

        assert cost(cut) <= share
        assert cut["role"] == given["role"]
        if cost(given) <= share:
            assert cut is given


async def test_no_call_reads_more_than_it_may_whatever_the_messages_are_like() -> None:
    rng = random.Random(8)
    for _ in range(12):
        messages = [message(rng) for _ in range(rng.choice([1, 5, 40]))]

        reader = await read(messages, max_result_chars=rng.choice([None, 2000]))

        assert max(prompt_tokens(asked) for asked in reader.asked) <= MOST


async def test_what_is_shorter_than_any_summary_is_told_as_it_is() -> None:
    """A few words between two long messages are a part of their own: no model is asked about them."""
    reader = await read([user("x" * 9_000), assistant("ok, DK-99812"), user("y" * 9_000), assistant("yes")])

    assert all(len(asked.messages) != 1 or len(asked.messages[0].text) > 100 for asked in reader.asked)
    assert "assistant: ok, DK-99812" in reader.asked[-1].earlier
    assert "assistant: yes" in reader.asked[-1].earlier


class FailsAt(Reader):
    """Out of reach at one of its calls."""

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        reply = await super().summarize(request)
        number = len(self.asked)
        await asyncio.sleep(0)
        if number == 2:
            raise SummarizerTransient("down for a moment")
        await asyncio.sleep(0)
        return reply


async def test_once_a_part_has_failed_no_other_is_asked_for() -> None:
    reader = FailsAt()
    request = request_for([user("x" * 4_000) for _ in range(40)], max_tokens=200)

    with pytest.raises(SummarizerTransient):
        await summarize_in_parts(request, reader, max_input_tokens=MOST)
    for _ in range(100):
        await asyncio.sleep(0)

    assert len(reader.asked) <= 2 * PARALLEL
