"""What was found, for a model to read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from turnfold.messages import Message
from turnfold.recall.findable import HEADLINE
from turnfold.recall.hit import Hit
from turnfold.sessions.entry import Entry
from turnfold.summaries.transcript import entries, escaped, head_and_tail, numbered

NOTHING = "Nothing in this conversation matches. Other words, or fewer, may find more."
# A message of up to so many characters is told as a whole, of a longer one the passage that matches.
WHOLE_CHARS = 1000
# In reading on, so much of a message is shown.
SHOWN_CHARS = 1500


def told_hits(hits: Sequence[Hit]) -> str:
    """Search results for a model to read, best first."""
    if not hits:
        return NOTHING
    return "\n".join((HEADLINE, *(numbered(hit.position, _told(hit)) for hit in hits)))


def told_messages(found: Iterable[Entry]) -> str:
    """Messages for a model to read, in order."""
    shown = [(entry.position, head_and_tail(_entry(entry.message), SHOWN_CHARS)) for entry in found]
    return "\n".join((HEADLINE, *(numbered(position, text) for position, text in shown))) if shown else NOTHING


def _told(hit: Hit) -> str:
    whole = _entry(hit.message)
    return whole if len(whole) <= WHOLE_CHARS else f"{hit.message.get('role')}: {escaped(hit.snippet)}"


def _entry(message: Message) -> str:
    return entries([message])[0]
