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
MAX_INTEGER = 2**63 - 1
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
_NAMES: dict[Any, str] = {made: name for table in (_WORDS, _LIMITS, _LISTS) for name, made in table.items()}


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


def written_trigger(trigger: CompactionTrigger, path: str) -> Any:
    """The inverse of `parse_trigger`.

    Raises:
        PolicyError: naming the path of one that has no form in JSON.
    """
    name = _NAMES.get(type(trigger))
    if isinstance(trigger, (AllOf, AnyOf)):
        return {name: [written_trigger(part, f"{path}.{name}[{i}]") for i, part in enumerate(trigger.parts)]}
    if isinstance(trigger, Not):
        return {"not": written_trigger(trigger.part, f"{path}.not")}
    if isinstance(trigger, (TokensExceed, TokensBelow, MessagesExceed, TurnsExceed, GroupsExceed)):
        return {name: trigger.limit}
    if name is None:
        raise PolicyError(path, f"{trigger!r} has no form in JSON; one of {_KNOWN} has")
    return name


def too_long(number: int) -> str | None:
    """What is wrong with a number that other readers of JSON would round; None: nothing."""
    # Not quoted: of more than some thousand digits, it can't be written.
    return None if -MAX_INTEGER <= number <= MAX_INTEGER else "must be a whole number of at most 64 bits"


def _limit(name: str, argument: Any, path: str) -> CompactionTrigger:
    if isinstance(argument, int) and (fault := too_long(argument)):
        raise PolicyError(path, fault)
    try:
        return _LIMITS[name](argument)
    except ValueError as error:
        raise PolicyError(path, str(error).partition(": ")[2]) from None


def _parts(argument: Any, path: str, depth: int) -> list[CompactionTrigger]:
    if not is_array(argument):
        raise PolicyError(path, "must be an array of triggers")
    return [parse_trigger(part, f"{path}[{i}]", depth + 1) for i, part in enumerate(argument)]
