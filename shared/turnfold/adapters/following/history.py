"""A history that somebody else keeps, as a session follows it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from turnfold.adapters.following.chain import chained_ids
from turnfold.adapters.following.lightened import lightened


@dataclass(frozen=True, slots=True)
class History:
    """
    Attributes:
        messages: all of it as chat messages, without the bytes of media.
        ids: theirs, chained.
        input_tokens: what the provider reported for the call that a message answers, by the message's place.
    """

    messages: Sequence[Mapping[str, Any]]
    ids: Sequence[str]
    input_tokens: Mapping[int, int] = field(default_factory=dict[int, int])

    @classmethod
    def of(cls, messages: Iterable[Mapping[str, Any]], input_tokens: Mapping[int, int] | None = None) -> History:
        """The history of these messages."""
        light = [lightened(message) for message in messages]
        return cls(light, chained_ids(light), input_tokens or {})

    def part(self, start: int, end: int) -> list[dict[str, Any]]:
        """Messages as they go into the log, with their ids."""
        return [{**self.messages[n], "id": self.ids[n]} for n in range(start, end)]

    def usage_at(self, place: int) -> dict[str, int] | None:
        """What was reported for the call that the message there answers; None: nothing was."""
        reported = self.input_tokens.get(place, 0)
        return {"input_tokens": reported} if reported > 0 else None
