"""What a reply was made from, in the forms in which replies are compared with it; worked out as far as it is needed."""

from __future__ import annotations

import re
from functools import cached_property

from turnfold.content import text_fields
from turnfold.summaries.quality_gate.values import Values
from turnfold.summaries.summarizer import SummaryRequest
from turnfold.summaries.transcript import entries
from turnfold.summaries.words import content_words

_FENCED = re.compile(r"```.*?(```|$)", re.DOTALL)
_NOT_SAID = re.compile(r"[\W_]+")


class Sources:
    """The messages and earlier summaries of one request."""

    def __init__(self, request: SummaryRequest) -> None:
        self.request = request

    @cached_property
    def parts(self) -> list[str]:
        """All that may be told: each message with its names, arguments and date, each earlier summary, the pins."""
        return [*entries(self.request.messages), *self.request.earlier, *(pin.text for pin in self.request.pins)]

    @cached_property
    def spoken(self) -> str:
        """What people, the assistant and earlier summaries say: by this the conversation's language is told."""
        said = [message.text for message in self.request.messages if message.get("role") in ("user", "assistant")]
        return "\n".join([*said, *self.request.earlier])

    @cached_property
    def values(self) -> Values:
        """All numbers and ids."""
        return Values(self.parts)

    @cached_property
    def words(self) -> set[str]:
        """All longer words, by their first letters, so that a word's other forms count as the same."""
        return stems("\n".join(self.parts))

    @cached_property
    def plain_messages(self) -> list[str]:
        """The texts of each message, arguments too, without punctuation, spaces and capitals."""
        return [plain("".join(text_fields(message))) for message in self.request.messages]

    @cached_property
    def _plain_earlier(self) -> list[str]:
        return [plain(text) for text in self.request.earlier]

    def quote(self, text: str) -> bool:
        """Whether a message or an earlier summary holds the text, punctuation, spaces and capitals apart."""
        wanted = plain(text)
        return bool(wanted) and any(wanted in part for part in (*self.plain_messages, *self._plain_earlier))


def plain(text: str) -> str:
    """Letters and digits alone, in small letters."""
    return _NOT_SAID.sub("", text.casefold())


def without_code(text: str) -> str:
    """The text without its fenced blocks: code may be quoted as it is."""
    return _FENCED.sub(" ", text)


def stems(text: str) -> set[str]:
    """The longer words, by their first five letters."""
    return {word[:5] for word in content_words(text)}
