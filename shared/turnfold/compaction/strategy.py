"""What a strategy is, and the loop that all of them share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Self

from turnfold.collector import held_collector
from turnfold.compaction.run import Action, CompactionRun
from turnfold.groups import MessageGroup
from turnfold.index import MessageIndex
from turnfold.messages import Message
from turnfold.triggers import CompactionTrigger, Not


class CompactionStrategy(ABC):
    """Changes which groups of an index are included, or replaces groups by a summary.

    Attributes:
        given: the arguments that it was made with, by name: a policy is written from them.
    """

    name: ClassVar[str]
    given: Mapping[str, Any]

    def __new__(cls, *args: Any, **given: Any) -> Self:
        made = super().__new__(cls)
        made.given = given
        return made

    @abstractmethod
    async def compact(self, index: MessageIndex, run: CompactionRun | None = None) -> bool:
        """Works on the index in place; whether anything changed."""

    async def __call__(self, messages: list[Message]) -> bool:
        """The same on a plain list, in place: the form in which strategies are handed to agents."""
        index = MessageIndex(messages)
        changed = await self.compact(index)
        if changed:
            messages[:] = index.projection()
        return changed


class TriggeredStrategy(CompactionStrategy):
    """A leaf: starts by its trigger, takes units oldest first, stops by its target or at its floor."""

    default_minimum_preserved: ClassVar[int] = 0

    def __init__(
        self,
        *,
        trigger: CompactionTrigger,
        target: CompactionTrigger | None = None,
        minimum_preserved: int | None = None,
    ) -> None:
        self.trigger = trigger
        self.target: CompactionTrigger = target if target is not None else Not(trigger)
        self.minimum_preserved = self.default_minimum_preserved if minimum_preserved is None else minimum_preserved
        at_least("minimum_preserved", self.minimum_preserved, 0)

    async def compact(self, index: MessageIndex, run: CompactionRun | None = None) -> bool:
        run = run or CompactionRun()
        before = index.included.tokens
        triggered = index.included.non_system_groups > 1 and self.trigger(index)
        changed = self.apply(index) if triggered else False
        run.actions.append(Action(self.name, triggered, changed, before, index.included.tokens))
        return changed

    def apply(self, index: MessageIndex) -> bool:
        """Takes units until the target holds; whether anything changed. The trigger is not asked."""
        if self.target(index):  # it held before the first unit: a second run must not take one more
            return False
        changed = False
        with held_collector(index.included.messages):
            for unit in self.units(index):
                taken = self.take(index, unit)
                changed = changed or taken
                if taken and self.target(index):
                    break
        return changed

    @abstractmethod
    def units(self, index: MessageIndex) -> Iterable[list[MessageGroup]]:
        """What may go, oldest first, the floor left out."""

    def take(self, index: MessageIndex, unit: list[MessageGroup]) -> bool:
        """Hides a unit; whether anything changed."""
        for group in unit:
            index.exclude(group, self.name)
        return True


def beyond_floor(groups: list[MessageGroup], floor: int) -> list[MessageGroup]:
    """All but the newest `floor` groups."""
    return groups[: max(0, len(groups) - floor)]


def given_floor(minimum_preserved: int | None, **aliases: int | None) -> int | None:
    """The floor by the one of its names that was used; None where none was.

    Raises:
        ValueError: two names were used, or it is no floor; naming the argument.
    """
    used = {"minimum_preserved": minimum_preserved, **aliases}
    given = [(name, floor) for name, floor in used.items() if floor is not None]
    if len(given) > 1:
        raise ValueError(f"{given[1][0]}: {given[0][0]} says the same; leave one of the two out")
    for name, floor in given:
        at_least(name, floor, 0)
        return floor
    return None


def at_least(name: str, value: object, least: int) -> None:
    """Raises ValueError naming the argument unless it is a whole number of at least `least`."""
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name}: must be a whole number of at least {least}, not {value!r}")


def given_once(name: str, shorthand: object, trigger: CompactionTrigger | None) -> None:
    """A shorthand says when to start; a trigger beside it would say it twice."""
    if shorthand is not None and trigger is not None:
        raise ValueError(f"trigger: {name} gives the trigger already; leave one of the two out")
