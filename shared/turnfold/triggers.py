"""Predicates on an index: when a strategy starts, and when it stops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from turnfold.counts import Counts


class Countable(Protocol):
    """What a trigger reads: the included counts, and what is sent along beside the messages."""

    @property
    def included(self) -> Counts: ...

    @property
    def overhead_tokens(self) -> int: ...


CompactionTrigger = Callable[[Any], bool]


@dataclass(frozen=True, slots=True)
class CountsView:
    """Any counts in the place of the included ones, so that a trigger can be asked about them."""

    included: Counts
    overhead_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Always:
    """Holds on every index."""

    def __call__(self, index: Countable) -> bool:
        return True


@dataclass(frozen=True, slots=True)
class Never:
    """Holds on none."""

    def __call__(self, index: Countable) -> bool:
        return False


@dataclass(frozen=True, slots=True)
class TokensExceed:
    """More than `limit` tokens are included, what is sent along counted in."""

    limit: int

    def __post_init__(self) -> None:
        _check("tokens_exceed", self.limit)

    def __call__(self, index: Countable) -> bool:
        return index.included.tokens + index.overhead_tokens > self.limit


@dataclass(frozen=True, slots=True)
class TokensBelow:
    """Fewer than `limit` tokens are included, what is sent along counted in."""

    limit: int

    def __post_init__(self) -> None:
        _check("tokens_below", self.limit)

    def __call__(self, index: Countable) -> bool:
        return index.included.tokens + index.overhead_tokens < self.limit


@dataclass(frozen=True, slots=True)
class MessagesExceed:
    """More than `limit` messages are included, system messages among them."""

    limit: int

    def __post_init__(self) -> None:
        _check("messages_exceed", self.limit)

    def __call__(self, index: Countable) -> bool:
        return index.included.messages > self.limit


@dataclass(frozen=True, slots=True)
class TurnsExceed:
    """Included groups stand in more than `limit` turns; turn 0 does not count."""

    limit: int

    def __post_init__(self) -> None:
        _check("turns_exceed", self.limit)

    def __call__(self, index: Countable) -> bool:
        return index.included.turns > self.limit


@dataclass(frozen=True, slots=True)
class GroupsExceed:
    """More than `limit` groups are included, system groups among them."""

    limit: int

    def __post_init__(self) -> None:
        _check("groups_exceed", self.limit)

    def __call__(self, index: Countable) -> bool:
        return index.included.groups > self.limit


@dataclass(frozen=True, slots=True)
class HasToolCalls:
    """A tool-call group is included; the line of a collapsed one is none."""

    def __call__(self, index: Countable) -> bool:
        return index.included.tool_call_groups > 0


@dataclass(frozen=True, slots=True)
class NonSystemExceed:
    """More than `limit` non-system groups, messages, or tool-call groups: what the shorthands of strategies mean."""

    limit: int
    what: str

    def __call__(self, index: Countable) -> bool:
        return int(getattr(index.included, self.what)) > self.limit


@dataclass(frozen=True, slots=True)
class AllOf:
    """Every part holds; so it does without any."""

    parts: tuple[CompactionTrigger, ...]

    def __call__(self, index: Countable) -> bool:
        return all(part(index) for part in self.parts)


@dataclass(frozen=True, slots=True)
class AnyOf:
    """At least one part holds; without any it does not."""

    parts: tuple[CompactionTrigger, ...]

    def __call__(self, index: Countable) -> bool:
        return any(part(index) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: CompactionTrigger

    def __call__(self, index: Countable) -> bool:
        return not self.part(index)


class CompactionTriggers:
    """The triggers by their documented names."""

    always = staticmethod(Always)
    never = staticmethod(Never)
    tokens_exceed = staticmethod(TokensExceed)
    tokens_below = staticmethod(TokensBelow)
    messages_exceed = staticmethod(MessagesExceed)
    turns_exceed = staticmethod(TurnsExceed)
    groups_exceed = staticmethod(GroupsExceed)
    has_tool_calls = staticmethod(HasToolCalls)

    @staticmethod
    def all_of(*parts: CompactionTrigger) -> AllOf:
        return AllOf(parts)

    @staticmethod
    def any_of(*parts: CompactionTrigger) -> AnyOf:
        return AnyOf(parts)


def _check(name: str, limit: object) -> None:
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 0:
        raise ValueError(f"{name}: must be a whole number of at least 0, not {limit!r}")
