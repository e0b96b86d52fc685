"""Step 2: an index knows its counts at any time, and a trigger is a question about them."""

from __future__ import annotations

from tests.fundamentals.test_1_messages_become_groups import WEATHER
from turnfold.index import MessageIndex
from turnfold.tokens import TiktokenTokenizer
from turnfold.triggers import CompactionTriggers


def test_counts_are_kept_while_groups_are_hidden_and_shown() -> None:
    index = MessageIndex(WEATHER)
    before = index.included.public()
    call = index.groups[2]
    index.exclude(call, "because")
    assert index.included.messages == before["messages"] - 2
    assert index.all.messages == before["messages"]
    index.include(call)
    assert index.included.public() == before


def test_a_trigger_is_strict_equal_is_not_exceeded() -> None:
    index = MessageIndex(WEATHER)
    assert CompactionTriggers.messages_exceed(4)(index)
    assert not CompactionTriggers.messages_exceed(5)(index)


def test_tokens_are_estimated_unless_a_tokenizer_counts_them() -> None:
    text = [{"role": "user", "content": "Grüße aus 東京 <|endoftext|>"}]
    assert MessageIndex(text).included.tokens == len(text[0]["content"]) // 4
    assert MessageIndex(text, tokenizer=TiktokenTokenizer("o200k_base")).included.tokens > 10
