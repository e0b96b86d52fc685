"""Whatever a history and whatever a policy: each projection is one that its provider accepts."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.simulation.histories import conversation
from tests.simulation.policies import policy
from tests.unit.formats.talks import Item, anthropic_talk, responses_talk
from tests.unit.formats.validity import wrong_in_anthropic, wrong_in_responses
from turnfold.compaction.report import compact_with_report
from turnfold.compaction.run import CompactionRun
from turnfold.formats import format_named
from turnfold.messages import Message, checked_messages
from turnfold.policy import Policy
from turnfold.summaries.extractive import ExtractiveSummarizer

RESPONSES, ANTHROPIC = format_named("responses"), format_named("anthropic")


async def compacted(messages: list[Message], rng: random.Random) -> list[Message]:
    chosen = Policy.parse(policy(rng))
    run = CompactionRun(summarizer=ExtractiveSummarizer())
    return (await compact_with_report(messages, chosen.strategy, tokenizer=chosen.tokenizer, run=run)).messages


@pytest.mark.parametrize("seed", range(100))
async def test_a_chat_is_valid_in_each_format_after_any_policy(seed: int) -> None:
    rng = random.Random(seed)
    chat: list[dict[str, Any]] = list(conversation(rng, 60))

    for _ in range(3):
        left = await compacted(checked_messages(chat), rng)

        assert wrong_in_responses(RESPONSES.write(left)["messages"]) == []
        assert wrong_in_anthropic(ANTHROPIC.write(left)) == []


@pytest.mark.parametrize("seed", range(100))
async def test_what_came_in_a_format_is_valid_in_it_after_any_policy_and_nothing_new_but_summaries(seed: int) -> None:
    rng = random.Random(1000 + seed)
    chat = list(conversation(rng, 60))
    items = RESPONSES.write(chat)["messages"]
    asked = ANTHROPIC.write(chat)

    left_items = RESPONSES.write(await compacted(RESPONSES.read(items), rng))["messages"]
    left = ANTHROPIC.write(await compacted(ANTHROPIC.read(asked), rng))

    assert wrong_in_responses(left_items) == []
    assert wrong_in_anthropic(left) == []
    assert all(item in items or item["content"].startswith("[") for item in left_items)


@pytest.mark.parametrize("seed", range(50))
def test_what_a_writer_wrote_comes_back_as_it_is(seed: int) -> None:
    chat = list(conversation(random.Random(2000 + seed), 60))
    items, asked = RESPONSES.write(chat)["messages"], ANTHROPIC.write(chat)

    assert RESPONSES.write(RESPONSES.read(items))["messages"] == items
    assert ANTHROPIC.write(ANTHROPIC.read(asked)) == asked


@settings(max_examples=60, deadline=None)
@given(responses_talk(), st.randoms(use_true_random=False))
async def test_reasoning_and_its_calls_are_kept_or_dropped_together(items: list[Item], rng: random.Random) -> None:
    left = RESPONSES.write(await compacted(RESPONSES.read(items), rng))["messages"]

    assert wrong_in_responses(left) == []
    for before, item in pairwise(items):
        if before["type"] == "reasoning":
            assert (before in left) == (item in left)


@settings(max_examples=60, deadline=None)
@given(anthropic_talk(), st.randoms(use_true_random=False))
async def test_thinking_begins_its_message_also_behind_a_summary(messages: list[Item], rng: random.Random) -> None:
    left = ANTHROPIC.write(await compacted(ANTHROPIC.read(messages), rng))

    assert wrong_in_anthropic(left) == []
    for message in left["messages"]:
        content: str | list[Item] = message["content"]
        kinds: list[str] = [block["type"] for block in content] if isinstance(content, list) else []
        assert "thinking" not in kinds[1:] or kinds[0] == "thinking"
