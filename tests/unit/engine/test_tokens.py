"""Counting tokens: by estimate, exactly, and what images cost."""

from __future__ import annotations

import base64
import struct
from typing import Any

import pytest
import tiktoken
from hypothesis import given

from tests.support.examples import many
from tests.unit.engine.random_messages import ODD_TEXTS
from tests.unit.engine.random_talk import HISTORIES
from tests.unit.engine.talk import Talk
from turnfold.content import text_fields
from turnfold.index import MessageIndex
from turnfold.tokens import CharacterEstimatorTokenizer, TiktokenTokenizer, TokenizerProtocol, named, tokenizer_named
from turnfold.tokens.images import image_tokens
from turnfold.tokens.tiktoken_tokenizer import SLICE_CHARACTERS


@pytest.mark.parametrize(("text", "tokens"), [("", 1), ("abc", 1), ("abcd", 1), ("abcdefgh", 2), ("a" * 401, 100)])
def test_the_estimate_is_four_characters_a_token_and_at_least_one(text: str, tokens: int) -> None:
    assert CharacterEstimatorTokenizer().count_tokens(text) == tokens


def test_both_tokenizers_are_what_the_protocol_asks_for() -> None:
    assert isinstance(CharacterEstimatorTokenizer(), TokenizerProtocol)
    assert isinstance(TiktokenTokenizer(), TokenizerProtocol)


def test_tiktoken_counts_exactly() -> None:
    assert TiktokenTokenizer("o200k_base").count_tokens("hello world") == 2
    assert TiktokenTokenizer("gpt-4o").count_tokens("hello world") == 2


def test_text_that_looks_like_a_special_token_is_text() -> None:
    assert TiktokenTokenizer("o200k_base").count_tokens("<|endoftext|>") > 1


def test_a_model_that_tiktoken_does_not_know_is_counted_by_the_newest_encoding() -> None:
    unknown, newest = TiktokenTokenizer("a-model-of-tomorrow"), TiktokenTokenizer("o200k_base")

    assert unknown.count_tokens("Straßenbahnhaltestelle") == newest.count_tokens("Straßenbahnhaltestelle")


def test_tiktoken_adds_what_the_chat_format_adds_to_each_message() -> None:
    index = MessageIndex([{"role": "user", "content": "hello world"}] * 2, tokenizer=TiktokenTokenizer())

    assert index.all.tokens == 2 * (2 + 3)


@pytest.mark.parametrize("text", [" " * 1_000_000, "a" * 400_000, "line\n" * 60_000])
def test_very_long_texts_are_counted_without_a_crash(text: str) -> None:
    assert 0 < TiktokenTokenizer().count_tokens(text) <= len(text)


def exactly(text: str, encoding: str = "o200k_base") -> int:
    return len(tiktoken.get_encoding(encoding).encode_ordinary(text))


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
@pytest.mark.parametrize("line_end", ["\n", "\n\n\n\n", "\n  \n  ", ".\n//\n/", "\n    - ", "\r\n\r\n\t"])
@pytest.mark.parametrize("left", range(6))
def test_a_text_in_slices_counts_as_the_whole_does_wherever_the_first_slice_would_end(
    encoding: str, line_end: str, left: int
) -> None:
    lines = "the crate left harbour on monday, and 312 pallets with it\n" * 2_000

    long = lines[: SLICE_CHARACTERS - left] + line_end + "Then it came back."

    assert TiktokenTokenizer(encoding).count_tokens(long) == exactly(long, encoding)


@pytest.mark.property
@many()
@given(ODD_TEXTS)
def test_every_text_counts_exactly_as_tiktoken_counts_it(text: str) -> None:
    assert TiktokenTokenizer("o200k_base").count_tokens(text) == exactly(text)


@pytest.mark.property
@many()
@given(HISTORIES)
def test_a_conversation_counts_as_its_texts_do_and_three_more_for_each_message(messages: Talk) -> None:
    texts = ["".join(text_fields(message)) for message in messages]
    images = sum(image_tokens(part) for m in messages if isinstance(m.get("content"), list) for part in m["content"])

    index = MessageIndex(messages, tokenizer=TiktokenTokenizer("o200k_base"))
    estimated = MessageIndex(messages)

    assert index.all.tokens == sum(map(exactly, texts)) + 3 * len(messages) + images
    assert estimated.all.tokens == sum(max(1, len(text) // 4) for text in texts) + images


def test_tokenizers_by_name() -> None:
    assert isinstance(tokenizer_named("estimate"), CharacterEstimatorTokenizer)
    assert isinstance(tokenizer_named("o200k_base"), TiktokenTokenizer)
    assert isinstance(tokenizer_named("gpt-4o"), TiktokenTokenizer)
    with pytest.raises(ValueError, match="klingon_base"):
        tokenizer_named("klingon_base")


def test_a_table_that_cannot_be_fetched_is_said_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(_name: str) -> TiktokenTokenizer:
        raise ConnectionError("no route")

    monkeypatch.setattr(named, "TiktokenTokenizer", no_network)

    with pytest.raises(ValueError, match="p50k_base"):
        tokenizer_named("p50k_base")


def png(width: int, height: int, padding: int = 0) -> str:
    head = b"\x89PNG\r\n\x1a\n" + b"\x00\x00\x00\rIHDR" + struct.pack(">II", width, height)
    return "data:image/png;base64," + base64.b64encode(head + b"\0" * padding).decode()


def gif(width: int, height: int) -> str:
    return "data:image/gif;base64," + base64.b64encode(b"GIF89a" + struct.pack("<HH", width, height)).decode()


def image(url: str, **more: Any) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url, **more}}


@pytest.mark.parametrize(
    ("part", "tokens"),
    [
        (image(png(512, 512)), 85 + 170),
        (image(gif(512, 512)), 85 + 170),
        (image(png(1024, 1024)), 85 + 4 * 170),
        (image(png(2048, 4096)), 85 + 6 * 170),  # the documented example
        (image(png(4096, 8192), detail="low"), 85),
        (image("https://example.test/cat.jpg"), 85 + 4 * 170),
        (image("data:image/png;base64,!!!"), 85 + 4 * 170),
        ({"type": "input_image", "image_url": png(512, 512)}, 85 + 170),
        ({"type": "text", "text": "no image"}, 0),
    ],
)
def test_an_image_costs_by_its_size(part: dict[str, Any], tokens: int) -> None:
    assert image_tokens(part) == tokens


def test_the_length_of_an_images_base64_costs_nothing() -> None:
    small = MessageIndex([{"role": "user", "content": [image(png(512, 512))]}])
    large = MessageIndex([{"role": "user", "content": [image(png(512, 512, padding=100_000))]}])

    assert small.all.tokens == large.all.tokens
