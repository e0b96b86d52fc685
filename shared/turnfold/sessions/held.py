"""What was unfolded: no trigger folds it again, only a compaction that is asked for does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from turnfold.counts import Counts
from turnfold.groups import MessageGroup

_COUNTED = (
    "messages", "groups", "tokens", "bytes", "non_system_messages", "non_system_groups", "tool_call_groups", "turns",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Held:
    """Groups that stay unfolded.

    Attributes:
        stretches: first and last position of their messages.
        summaries: ids of earlier summaries among them.
    """

    stretches: tuple[tuple[int, int], ...] = ()
    summaries: tuple[str, ...] = ()

    @classmethod
    def of(cls, groups: Iterable[MessageGroup]) -> Held:
        """These groups."""
        found = list(groups)
        positions = sorted(position for group in found for position in group.positions)
        return cls(stretches_of(positions), tuple(group.id for group in found if group.durable))

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Held:
        return cls(tuple((first, last) for first, last in value["stretches"]), tuple(value["summaries"]))

    def to_json(self) -> dict[str, Any]:
        return {"stretches": self.stretches, "summaries": self.summaries}

    def __bool__(self) -> bool:
        return bool(self.stretches or self.summaries)

    def plus(self, other: Held) -> Held:
        """Both."""
        held = sorted({p for first, last in (*self.stretches, *other.stretches) for p in range(first, last + 1)})
        return Held(stretches_of(held), tuple(dict.fromkeys((*self.summaries, *other.summaries))))

    def has(self, group: MessageGroup) -> bool:
        """Whether the group is one of them."""
        if not group.is_log:
            return group.id in self.summaries
        return any(first <= group.positions[0] <= last for first, last in self.stretches)

    def among(self, groups: Iterable[MessageGroup]) -> Held:
        """What is still unfolded, of an index of all that no summary covers."""
        return Held.of(group for group in groups if group.is_live and self.has(group)) if self else self


NOTHING_HELD = Held()


def stretches_of(positions: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """First and last of each run of positions, which come in order."""
    found: list[tuple[int, int]] = []
    for position in positions:
        if found and found[-1][1] == position - 1:
            found[-1] = (found[-1][0], position)
        else:
            found.append((position, position))
    return tuple(found)


def held_counts(groups: Iterable[MessageGroup], held: Held) -> dict[str, int]:
    """Counts of what is held, as the head keeps them; empty where nothing is."""
    if not held:
        return {}
    counts = Counts()
    for group in groups:
        if group.is_live and held.has(group):
            counts.add(group)
    return {name: getattr(counts, name) for name in _COUNTED} if counts.groups else {}


def unheld(live: Counts, held: Mapping[str, int]) -> Counts:
    """The counts that triggers are asked about: of what no summary covers, without what is held."""
    if not held:
        return live
    left = live.copy()
    for name in _COUNTED:
        setattr(left, name, max(0, getattr(live, name) - held.get(name, 0)))
    return left
