"""Included tokens by another tokenizer than the index counts with."""

from __future__ import annotations

from turnfold.groups import MessageGroup
from turnfold.tokens import TokenizerProtocol, message_tokens


class Ruler:
    """A running total of included tokens by one tokenizer; each group is measured once."""

    def __init__(self, tokenizer: TokenizerProtocol) -> None:
        self.tokenizer = tokenizer
        self.total = 0
        self._sizes: dict[str, int] = {}

    def show(self, group: MessageGroup) -> None:
        self.total += self._size(group)

    def hide(self, group: MessageGroup) -> None:
        self.total -= self._size(group)

    def _size(self, group: MessageGroup) -> int:
        if group.id not in self._sizes:
            self._sizes[group.id] = sum(message_tokens(m, self.tokenizer) for m in group.messages)
        return self._sizes[group.id]
