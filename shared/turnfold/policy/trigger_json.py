"""Triggers as JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from turnfold.errors import PolicyError
from turnfold.jsonio import is_array, is_object
from turnfold.triggers import (
    AllOf,
    Always,
    AnyOf,
    CompactionTrigger,
    GroupsExceed,
    HasToolCalls,
    MessagesExceed,
    Never,
    Not,
    TokensBelow,
    TokensExceed,
    TurnsExceed,
)

MAX_DEPTH = 16
_WORDS: dict[str, Callable[[], CompactionTrigger]] = {"always": Always, "never": Never, "has_tool_calls": HasToolCalls}
_LIMITS: dict[str, Callable[[int], CompactionTrigger]] = {
    "tokens_exceed": TokensExceed,
    "tokens_below": TokensBelow,
    "messages_exceed": MessagesExceed,
    "turns_exceed": TurnsExceed,
    "groups_exceed": GroupsExceed,
}
_LISTS: dict[str, Callable[[tuple[CompactionTrigger, ...]], CompactionTrigger]] = {"all": AllOf, "any": AnyOf}
_KNOWN = ", ".join([*_WORDS, *_LIMITS, *_LISTS, "not"])


def parse_trigger(value: Any, path: str, depth: int = 0) -> CompactionTrigger:
    """
    Raises:
        PolicyError: naming the path.
    """
    if depth > MAX_DEPTH:
        raise PolicyError(path, f"is nested deeper than {MAX_DEPTH}")
    if isinstance(value, str) and value in _WORDS:
        return _WORDS[value]()
    if not is_object(value) or len(value) != 1:
        raise PolicyError(path, f"must be one of {_KNOWN}, not {value!r}")
    ((name, argument),) = value.items()
    path = f"{path}.{name}"
    if name in _LIMITS:
        return _limit(name, argument, path)
    if name in _LISTS:
        return _LISTS[name](tuple(_parts(argument, path, depth)))
    if name == "not":
        return Not(parse_trigger(argument, path, depth + 1))
    raise PolicyError(path, f"is not a trigger; one of {_KNOWN}")


def _limit(name: str, argument: Any, path: str) -> CompactionTrigger:
    try:
        return _LIMITS[name](argument)
    except ValueError as error:
        raise PolicyError(path, str(error).partition(": ")[2]) from None


def _parts(argument: Any, path: str, depth: int) -> list[CompactionTrigger]:
    if not is_array(argument):
        raise PolicyError(path, "must be an array of triggers")
    return [parse_trigger(part, f"{path}[{i}]", depth + 1) for i, part in enumerate(argument)]
