"""Strategies until a budget holds, and what happens when they are not enough."""

from __future__ import annotations

from collections.abc import Iterable

from turnfold.compaction.custom import MessagesStrategy, as_strategy
from turnfold.compaction.own_tokens import OwnTokensExceed
from turnfold.compaction.run import Action, CompactionRun
from turnfold.compaction.strategy import CompactionStrategy, at_least
from turnfold.groups import MessageGroup
from turnfold.index import MessageIndex
from turnfold.tokens import TokenizerProtocol
from turnfold.triggers import CompactionTrigger, TokensExceed

FALLBACK = "token_budget_fallback"
FALLBACK_STRICT = "token_budget_fallback_strict"


class TokenBudgetComposedStrategy(CompactionStrategy):
    """Nothing within the budget; above it the strategies in order, then the oldest groups out, then system groups.

    The newest non-system group always stays.

    Args:
        token_budget: included tokens to end with.
        tokenizer: measures the budget in place of the index's.
        strategies: tried in order.
        early_stop: leave out the strategies that are no longer needed.
    """

    name = "token_budget"

    def __init__(
        self,
        *,
        token_budget: int,
        strategies: Iterable[CompactionStrategy | MessagesStrategy] = (),
        tokenizer: TokenizerProtocol | None = None,
        early_stop: bool = True,
    ) -> None:
        at_least("token_budget", token_budget, 1)
        self.token_budget = token_budget
        self.strategies = tuple(as_strategy(one, f"strategies[{n}]") for n, one in enumerate(strategies))
        self.tokenizer, self.early_stop = tokenizer, early_stop
        self.over: CompactionTrigger = (
            TokensExceed(token_budget) if tokenizer is None else OwnTokensExceed(token_budget, tokenizer)
        )

    async def compact(self, index: MessageIndex, run: CompactionRun | None = None) -> bool:
        run = run or CompactionRun()
        if not self.over(index):
            return False
        changed = False
        for strategy in self.strategies:
            changed = await strategy.compact(index, run) or changed
            if self.early_stop and not self.over(index):
                return changed
        return (self.over(index) and self._fall_back(index, run)) or changed

    def _fall_back(self, index: MessageIndex, run: CompactionRun) -> bool:
        before = index.included.tokens
        movable = [g for g in index.included_groups if not g.is_system][:-1]
        changed = self._drop(index, movable, FALLBACK)
        changed = self._drop(index, [g for g in index.included_groups if g.is_system], FALLBACK_STRICT) or changed
        run.actions.append(Action(FALLBACK, True, changed, before, index.included.tokens))
        return changed

    def _drop(self, index: MessageIndex, groups: list[MessageGroup], reason: str) -> bool:
        """Hides groups oldest first while the budget is exceeded; whether any was hidden."""
        changed = False
        for group in groups:
            if not self.over(index) or index.included.groups <= 1:
                break
            index.exclude(group, reason)
            changed = True
        return changed
