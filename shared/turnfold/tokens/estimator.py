"""The tokenizer that needs no table."""

from __future__ import annotations


class CharacterEstimatorTokenizer:
    """Four characters a token, at least one.

    Measured against o200k_base it is 7 % low on English, 19 % on JSON tool chat, 67 % on Chinese.
    """

    name = "estimate"

    def count_tokens(self, text: str) -> int:
        return max(1, len(text) // 4)
