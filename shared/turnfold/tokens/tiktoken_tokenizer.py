"""Exact counts by tiktoken."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from turnfold.tokens.offline_tables import provide_tables

if TYPE_CHECKING:
    from tiktoken import Encoding

# tiktoken overflows its stack on very long texts without a break; slices cut where no token can stand count the same.
SLICE_CHARACTERS = 100_000
DEFAULT_ENCODING = "o200k_base"


class TiktokenTokenizer:
    """Counts as the model does; text that looks like a special token is text.

    `tokens_per_message` is what the chat format adds to each message.
    Source: OpenAI Cookbook, "How to count tokens with tiktoken".
    """

    tokens_per_message = 3

    def __init__(self, model_or_encoding: str = DEFAULT_ENCODING) -> None:
        self.name = model_or_encoding
        self._encoding = _encoding(model_or_encoding)

    def count_tokens(self, text: str) -> int:
        if len(text) <= SLICE_CHARACTERS:
            return len(self._encoding.encode_ordinary(text))
        return sum(len(self._encoding.encode_ordinary(piece)) for piece in _slices(text))


def _slices(text: str) -> list[str]:
    """The text in pieces of at most `SLICE_CHARACTERS`."""
    pieces: list[str] = []
    start = 0
    while start < len(text):
        end = min(start + SLICE_CHARACTERS, len(text))
        end = _last_break(text, start, end) if end < len(text) else end
        pieces.append(text[start:end])
        start = end
    return pieces


def _last_break(text: str, start: int, end: int) -> int:
    """Behind the last line break with a letter or digit after it: no token of these encodings holds both.

    Other line breaks may be one token with what follows: blank lines, or a slash. `end` where there is no such break.
    """
    cut = end
    while (cut := text.rfind("\n", start, cut)) >= 0:
        if text[cut + 1].isalnum():
            return cut + 1
    return end


@lru_cache(maxsize=16)
def _encoding(model_or_encoding: str) -> Encoding:
    """The encoding of that name, or of that model; the newest one for a model that tiktoken does not know."""
    provide_tables()
    import tiktoken  # 60 ms, only for those who count exactly

    if model_or_encoding in tiktoken.list_encoding_names():
        return tiktoken.get_encoding(model_or_encoding)
    try:
        return tiktoken.encoding_for_model(model_or_encoding)
    except KeyError:
        return tiktoken.get_encoding(DEFAULT_ENCODING)
