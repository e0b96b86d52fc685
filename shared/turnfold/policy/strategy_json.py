"""Strategies as JSON: one table of fields a strategy, one walk."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from turnfold.compaction.context_window import ContextWindowCompactionStrategy
from turnfold.compaction.pipeline import PipelineCompactionStrategy
from turnfold.compaction.selective_tool_call import SelectiveToolCallCompactionStrategy
from turnfold.compaction.sliding_window import SlidingWindowStrategy
from turnfold.compaction.strategy import CompactionStrategy
from turnfold.compaction.summarization import SummarizationStrategy
from turnfold.compaction.token_budget import TokenBudgetComposedStrategy
from turnfold.compaction.tool_result import ToolResultCompactionStrategy
from turnfold.compaction.truncation import TruncationStrategy
from turnfold.errors import PolicyError
from turnfold.jsonio import is_array, is_object, is_utf8
from turnfold.policy.trigger_json import MAX_DEPTH, parse_trigger, too_long

Check = Callable[[Any], str | None]
Fields = Mapping[str, Check | None]


def _whole(value: Any) -> str | None:
    if not isinstance(value, int) or isinstance(value, bool):
        return f"must be a whole number, not {value!r}"
    return too_long(value)


def _whole_or_null(value: Any) -> str | None:
    if value is not None and not isinstance(value, int):
        return f"must be a whole number or null, not {value!r}"
    return None if value is None else _whole(value)


def _number(value: Any) -> str | None:
    if not isinstance(value, (int, float)) or isinstance(value, bool):
        return f"must be a number, not {value!r}"
    return None if isinstance(value, float) else too_long(value)


def _flag(value: Any) -> str | None:
    return None if isinstance(value, bool) else f"must be true or false, not {value!r}"


def _text(value: Any) -> str | None:
    if not isinstance(value, str) or not value.strip():
        return f"must be a text, not {value!r}"
    return None if is_utf8(value) else f"must be valid Unicode, not {value!r}"


_LEAF: dict[str, Check | None] = {"trigger": None, "target": None, "minimum_preserved": _whole}
_CONTAINER: dict[str, Check | None] = {"strategies": None}

STRATEGIES: dict[str, tuple[Callable[..., CompactionStrategy], Fields]] = {
    "truncation": (
        TruncationStrategy,
        _LEAF | {"max_tokens": _whole, "max_messages": _whole, "compact_to": _whole, "preserve_system": _flag},
    ),
    "sliding_window": (
        SlidingWindowStrategy,
        _LEAF | {"keep_last_turns": _whole, "keep_last_groups": _whole, "preserve_system": _flag},
    ),
    "tool_result": (
        ToolResultCompactionStrategy,
        _LEAF | {"keep_last_tool_call_groups": _whole, "style": _text, "max_result_chars": _whole, "max_chars": _whole},
    ),
    "selective_tool_call": (SelectiveToolCallCompactionStrategy, _LEAF | {"keep_last_tool_call_groups": _whole}),
    "summarization": (
        SummarizationStrategy,
        _LEAF
        | {"target_count": _whole, "threshold": _whole, "prompt": _text, "model": _text, "fallback": _text}
        | {"max_summary_input_tokens": _whole_or_null, "summary_ratio": _number, "min_source_tokens": _whole},
    ),
    "pipeline": (PipelineCompactionStrategy, _CONTAINER),
    "token_budget": (TokenBudgetComposedStrategy, _CONTAINER | {"token_budget": _whole, "early_stop": _flag}),
    "context_window": (
        ContextWindowCompactionStrategy,
        {"max_context_window_tokens": _whole, "max_output_tokens": _whole, "minimum_preserved": _whole}
        | {"tool_eviction_threshold": _number, "summarization_threshold": _number, "truncation_threshold": _number},
    ),
}
_REQUIRED = {
    "pipeline": ("strategies",),
    "token_budget": ("token_budget",),
    "context_window": ("max_context_window_tokens", "max_output_tokens"),
}


def parse_strategy(value: Any, path: str = "", depth: int = 0) -> CompactionStrategy:
    """
    Raises:
        PolicyError: naming the path of the first field that is wrong.
    """
    if not is_object(value):
        raise PolicyError(path or "policy", 'must be an object such as {"strategy": "sliding_window", …}')
    if depth > MAX_DEPTH:
        raise PolicyError(path, f"is nested deeper than {MAX_DEPTH}")
    name = value.get("strategy")
    if not isinstance(name, str) or name not in STRATEGIES:
        raise PolicyError(at(path, "strategy"), f"{name!r} is not a strategy; one of {', '.join(STRATEGIES)}")
    build, fields = STRATEGIES[name]
    for field in _REQUIRED.get(name, ()):
        if field not in value:
            raise PolicyError(at(path, field), f"is missing; {name} needs it")
    given = {key: argument for key, argument in value.items() if key != "strategy"}
    arguments = {field: _field(name, fields, field, given[field], path=path, depth=depth) for field in given}
    try:
        return build(**arguments)
    except ValueError as error:
        field, _, message = str(error).partition(": ")
        raise PolicyError(at(path, field), message) from None


def at(path: str, field: str) -> str:
    """The path of a field of the strategy at `path`; empty is the top."""
    return f"{path}.{field}" if path else field


def _field(name: str, fields: Fields, field: str, value: Any, *, path: str, depth: int) -> Any:
    where = at(path, field)
    if field not in fields:
        known = ", ".join(["strategy", *fields])
        hint = "; it goes at the top of the policy" if field == "tokenizer" else ""
        raise PolicyError(where, f"is not a field of {name}{hint}; one of {known}")
    if field in ("trigger", "target"):
        return parse_trigger(value, where)
    if field == "strategies":
        if not is_array(value):
            raise PolicyError(where, "must be an array of strategies")
        return [parse_strategy(child, f"{where}[{i}]", depth + 1) for i, child in enumerate(value)]
    check = fields[field]
    if check is not None and (fault := check(value)):
        raise PolicyError(where, fault)
    return value
