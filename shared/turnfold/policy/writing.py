"""Strategies back to JSON: the inverse of reading them."""

from __future__ import annotations

from typing import Any

from turnfold.compaction.pipeline import PipelineCompactionStrategy
from turnfold.compaction.strategy import CompactionStrategy
from turnfold.compaction.token_budget import TokenBudgetComposedStrategy
from turnfold.errors import PolicyError
from turnfold.policy.strategy_json import STRATEGIES, Fields, at
from turnfold.policy.trigger_json import written_trigger

_FIELDS: dict[Any, Fields] = dict(STRATEGIES.values())
# What Python says in other words than a policy does.
_RENAMED = {"minimum_preserved_groups": "minimum_preserved", "minimum_preserved_turns": "minimum_preserved"}
# Who writes the summaries is no part of a policy: whoever runs it has a summarizer.
_LEFT_OUT = frozenset({"client", "tokenizer"})
_MAY_BE_NULL = frozenset({"max_summary_input_tokens"})


def written_strategy(strategy: CompactionStrategy, *, tokenizer: str, path: str = "") -> dict[str, Any]:
    """The strategy as a policy tells it, with the arguments that it was made with and no others.

    Args:
        tokenizer: the policy's; a strategy may have none of its own but this one.

    Raises:
        PolicyError: naming the path of what has no form in JSON: a callable, or another tokenizer.
    """
    fields = _FIELDS.get(type(strategy))
    if fields is None:
        raise PolicyError(path or "policy", f"{type(strategy).__name__} is no strategy that a policy can name")
    _check_tokenizer(strategy.given.get("tokenizer"), tokenizer, at(path, "tokenizer"))
    given = {name: value for name, value in strategy.given.items() if value is not None or name in _MAY_BE_NULL}
    if isinstance(strategy, PipelineCompactionStrategy):
        given["strategies"] = strategy.strategies
    policy: dict[str, Any] = {"strategy": strategy.name}
    for name, value in given.items():
        field = _field_of(name, measured="tokenizer" in given)
        if field in fields:
            policy[field] = _value(strategy, field, value, tokenizer=tokenizer, path=at(path, field))
        elif field not in _LEFT_OUT:
            raise PolicyError(at(path, field), "has no form in JSON")
    return policy


def _check_tokenizer(own: object, named: str, path: str) -> None:
    if own is not None and getattr(own, "name", None) != named:
        raise PolicyError(path, f"a policy has one tokenizer, at its top: {named}; this one is another")


def _field_of(argument: str, *, measured: bool) -> str:
    if argument == "max_n":
        return "max_tokens" if measured else "max_messages"
    return _RENAMED.get(argument, argument)


def _value(strategy: CompactionStrategy, field: str, value: Any, *, tokenizer: str, path: str) -> Any:
    if field in ("trigger", "target"):
        return written_trigger(value, path)
    if field == "strategies" and isinstance(strategy, (PipelineCompactionStrategy, TokenBudgetComposedStrategy)):
        return [
            written_strategy(child, tokenizer=tokenizer, path=f"{path}[{i}]")
            for i, child in enumerate(strategy.strategies)
        ]
    return value
