"""Drops the oldest groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from turnfold.compaction.own_tokens import OwnTokensExceed
from turnfold.compaction.strategy import TriggeredStrategy, at_least, beyond_floor, given_floor, given_once
from turnfold.groups import MessageGroup
from turnfold.index import MessageIndex
from turnfold.tokens import TokenizerProtocol
from turnfold.triggers import CompactionTrigger, MessagesExceed, Not, TokensExceed


class TruncationStrategy(TriggeredStrategy):
    """Hides the oldest groups until the target holds; a lone oversized group stays.

    Args:
        trigger, target, minimum_preserved: when to start, when to stop, how many of the newest non-system groups stay.
        max_tokens, max_messages: shorthands: start above this many; the floor is then 1.
        max_n: either of the two: tokens by `tokenizer`, which then measures, or without one messages.
        compact_to: with a shorthand: stop at this many; the shorthand's own number if not given.
        minimum_preserved_groups: another name of `minimum_preserved`.
        preserve_system: False lets system groups go as well.
    """

    name = "truncation"
    default_minimum_preserved = 32

    def __init__(
        self,
        *,
        max_n: int | None = None,
        max_tokens: int | None = None,
        max_messages: int | None = None,
        compact_to: int | None = None,
        tokenizer: TokenizerProtocol | None = None,
        trigger: CompactionTrigger | None = None,
        target: CompactionTrigger | None = None,
        minimum_preserved: int | None = None,
        minimum_preserved_groups: int | None = None,
        preserve_system: bool = True,
    ) -> None:
        minimum_preserved = given_floor(minimum_preserved, minimum_preserved_groups=minimum_preserved_groups)
        given = {"max_n": max_n, "max_tokens": max_tokens, "max_messages": max_messages}
        shorthand = _only_one(given, trigger)
        if shorthand is None:
            if compact_to is not None:
                raise ValueError("compact_to: goes with max_tokens or max_messages; beside a trigger give a target")
            assert trigger is not None
        else:
            name, limit = shorthand
            exceeds = _measure(name, tokenizer)
            trigger, target = exceeds(limit), target or Not(exceeds(_stop(name, limit, compact_to)))
            minimum_preserved = 1 if minimum_preserved is None else minimum_preserved
        super().__init__(trigger=trigger, target=target, minimum_preserved=minimum_preserved)
        self.preserve_system = preserve_system

    def units(self, index: MessageIndex) -> Iterable[list[MessageGroup]]:
        included = index.included_groups
        left = len(beyond_floor([g for g in included if not g.is_system], self.minimum_preserved))
        for group in included:
            if group.is_system:
                if not self.preserve_system:
                    yield [group]
            elif left:
                left -= 1
                yield [group]


def _only_one(given: dict[str, int | None], trigger: CompactionTrigger | None) -> tuple[str, int] | None:
    """The one shorthand that is given, None where there is a trigger instead."""
    chosen = [(name, limit) for name, limit in given.items() if limit is not None]
    if len(chosen) > 1:
        raise ValueError(f"{chosen[1][0]}: {chosen[0][0]} says the same; leave one of the two out")
    if not chosen and trigger is None:
        raise ValueError("trigger: give a trigger, or max_tokens or max_messages as a shorthand for one")
    for name, limit in chosen:
        given_once(name, limit, trigger)
        at_least(name, limit, 1)
    return chosen[0] if chosen else None


def _measure(name: str, tokenizer: TokenizerProtocol | None) -> Callable[[int], CompactionTrigger]:
    if name == "max_tokens" and tokenizer is None:
        return TokensExceed
    if name == "max_messages" or tokenizer is None:
        return MessagesExceed
    return lambda limit: OwnTokensExceed(limit, tokenizer)


def _stop(name: str, limit: int, compact_to: int | None) -> int:
    if compact_to is None:
        return limit
    at_least("compact_to", compact_to, 1)
    if compact_to > limit:
        raise ValueError(f"compact_to: must not be above {name}, {compact_to} > {limit}")
    return compact_to
