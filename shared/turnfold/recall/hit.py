"""What a search found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from turnfold.messages import Message
from turnfold.recall.findable import findable_text
from turnfold.recall.text_index import Found
from turnfold.sessions.chain import is_folded
from turnfold.sessions.entry import Entry
from turnfold.sessions.view import View


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """An original message that matches.

    Attributes:
        group: id of its group.
        folded: a summary stands for it in what the model gets.
        snippet: the passage of it that matches best, on one line.
        score: how well it matches; more is better, and it means nothing beside another search's.
    """

    position: int
    id: str
    group: str
    message: Message
    folded: bool
    snippet: str
    score: float

    def to_dict(self) -> dict[str, Any]:
        """As the API shows it."""
        return {
            "position": self.position,
            "id": self.id,
            "group": self.group,
            "folded": self.folded,
            "snippet": self.snippet,
            "score": round(self.score, 4),
            "message": self.message,
        }


def hit_of(found: Found, entry: Entry, view: View) -> Hit:
    """
    Args:
        found: where in the message it is.
        entry: the message.
        view: the session's, as it was read with it.
    """
    return Hit(
        position=entry.position,
        id=entry.id,
        group=f"g{found.place}",
        message=entry.message,
        folded=is_folded(view, entry.position),
        snippet=_snippet(findable_text(entry.message), found),
        score=found.score,
    )


def _snippet(text: str, found: Found) -> str:
    told = " ".join(text[found.start : found.stop].split())
    return f"{'… ' if found.start else ''}{told}{' …' if found.stop < len(text) else ''}"
