"""A policy: a strategy as JSON, with the tokenizer that its numbers are meant in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from turnfold import jsonio
from turnfold.compaction.context_window import ContextWindowCompactionStrategy
from turnfold.compaction.folded_within import FoldedWithin
from turnfold.compaction.pipeline import PipelineCompactionStrategy
from turnfold.compaction.strategy import CompactionStrategy
from turnfold.compaction.summarization import SummarizationStrategy
from turnfold.compaction.token_budget import TokenBudgetComposedStrategy
from turnfold.errors import PolicyError
from turnfold.jsonio import is_object
from turnfold.policy.default import DEFAULT_POLICY
from turnfold.policy.strategy_json import parse_strategy
from turnfold.policy.trigger_json import MAX_DEPTH
from turnfold.policy.writing import written_strategy
from turnfold.tokens import TokenizerProtocol, tokenizer_named
from turnfold.tokens.named import ESTIMATE
from turnfold.triggers import AnyOf, CompactionTrigger, CountsView, TokensExceed


@dataclass(frozen=True, slots=True)
class Policy:
    """A checked policy. Two policies of the same JSON are the same object's worth of work: parsing is remembered."""

    json: str
    tokenizer_name: str
    tokenizer: TokenizerProtocol
    strategy: CompactionStrategy

    @classmethod
    def parse(cls, value: Any) -> Policy:
        """From a JSON object.

        Raises:
            PolicyError: naming the path of what is wrong, and the mend.
        """
        if not is_object(value):
            raise PolicyError("policy", 'must be an object such as {"strategy": "sliding_window", …}')
        try:
            text = jsonio.dumps(value).decode()
        except RecursionError:
            raise PolicyError("policy", f"is nested deeper than {MAX_DEPTH}") from None
        except (TypeError, ValueError) as error:
            raise PolicyError("policy", f"is not JSON: {error}") from None
        return cls.from_json(text)

    @classmethod
    def of(cls, strategy: CompactionStrategy, *, tokenizer: str | None = None) -> Policy:
        """A strategy made in Python, as a policy; its numbers are meant in the tokenizer of that name.

        Who writes its summaries is left out: whoever runs a policy has a summarizer.

        Raises:
            PolicyError: naming the path of what has no form in JSON.
        """
        value = written_strategy(strategy, tokenizer=tokenizer or ESTIMATE)
        return cls.parse(value if tokenizer is None else value | {"tokenizer": tokenizer})

    @staticmethod
    @lru_cache(maxsize=256)
    def from_json(text: str) -> Policy:
        """From JSON text, remembered: each request of a session asks for the same few policies."""
        try:
            value = jsonio.loads(text)
        except ValueError as error:
            raise PolicyError("policy", f"is not JSON: {error}") from None
        if not is_object(value):
            raise PolicyError("policy", 'must be an object such as {"strategy": "sliding_window", …}')
        fields = dict(value)
        name = fields.pop("tokenizer", ESTIMATE)
        if not isinstance(name, str):
            raise PolicyError("tokenizer", f"must be a name, not {name!r}")
        try:
            tokenizer = tokenizer_named(name)
        except ValueError as error:
            raise PolicyError("tokenizer", str(error)) from None
        return Policy(text, name, tokenizer, parse_strategy(fields))

    @classmethod
    def default(cls) -> Policy:
        return cls.parse(DEFAULT_POLICY)

    def to_dict(self) -> dict[str, Any]:
        value: dict[str, Any] = jsonio.loads(self.json)
        return value

    @property
    def summarizations(self) -> list[SummarizationStrategy]:
        """The steps that a worker does, in order."""
        return [step for step, _ in _summarizations(self.strategy)]

    def due_step(self, view: CountsView) -> int | None:
        """Number of the first summarization whose trigger holds, read off the counts; None where none does."""
        for number, (step, budgets) in enumerate(_summarizations(self.strategy)):
            if step.is_due(view) and all(TokensExceed(budget)(view) for budget in budgets):
                return number
        return None

    def target_of(self, number: int) -> CompactionTrigger | None:
        """When enough is folded within token budgets: a step without a target stops where it is no longer due.

        None: the step's own target, as everywhere else.
        """
        step, budgets = list(_summarizations(self.strategy))[number]
        if step.target_is_stated or step.keeps_messages or not budgets:
            return None
        return AnyOf((step.target, *(FoldedWithin(budget, step.summary_ratio) for budget in budgets)))


def _summarizations(
    strategy: CompactionStrategy, budgets: tuple[int, ...] = ()
) -> Iterator[tuple[SummarizationStrategy, tuple[int, ...]]]:
    """Each summarization with the budgets around it: within its budget a container does nothing."""
    if isinstance(strategy, SummarizationStrategy):
        yield strategy, budgets
        return
    if isinstance(strategy, TokenBudgetComposedStrategy):
        budgets = (*budgets, strategy.token_budget)
    for child in _children(strategy):
        yield from _summarizations(child, budgets)


def _children(strategy: CompactionStrategy) -> tuple[CompactionStrategy, ...]:
    if isinstance(strategy, (PipelineCompactionStrategy, TokenBudgetComposedStrategy)):
        return strategy.strategies
    return strategy.phases if isinstance(strategy, ContextWindowCompactionStrategy) else ()
