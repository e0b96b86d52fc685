"""Patterns that are searched for only where a plain word says that it may be worth it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cached_property


class Forms:
    """Patterns, each with a word that a text must have to be worth the search."""

    def __init__(self, forms: Iterable[tuple[str, str]]) -> None:
        self._given = tuple(forms)

    @cached_property
    def _forms(self) -> list[tuple[str, re.Pattern[str]]]:
        """Made at the first search: a process that summarizes nothing has no use for them."""
        return [(word, re.compile(pattern, re.IGNORECASE)) for word, pattern in self._given]

    def worth_looking_for(self, text: str) -> list[tuple[str, re.Pattern[str]]]:
        """The patterns that may find something in a text in small letters."""
        return [form for form in self._forms if form[0] in text]

    def match(self, text: str) -> bool:
        """Whether the text begins with one."""
        small = text.casefold()
        return any(word in small and pattern.match(text) for word, pattern in self._forms)

    def search(self, text: str) -> bool:
        """Whether one stands anywhere in the text."""
        small = text.casefold()
        return any(word in small and pattern.search(text) for word, pattern in self._forms)
