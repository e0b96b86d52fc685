"""What tokens cost: for estimates, and for the ledger of what was spent and saved."""

from __future__ import annotations

from dataclasses import dataclass

MILLION = 1_000_000
# Digits behind the point: less than that is less than a token costs anywhere.
DIGITS = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """Of a million tokens each, in one currency, whichever that is.

    Attributes:
        summary_input, summary_output: that the summary model reads and writes.
        context_input: that the model of the conversations reads.
        context_cached: … where its server has read them lately, and keeps them; 0: it keeps none.
    """

    summary_input: float = 0.0
    summary_output: float = 0.0
    context_input: float = 0.0
    context_cached: float = 0.0

    def of_summary(self, prompt_tokens: int, completion_tokens: int) -> float:
        """What a summary costs."""
        spent = prompt_tokens * self.summary_input + completion_tokens * self.summary_output
        return round(spent / MILLION, DIGITS)

    def of_context(self, tokens: int) -> float:
        """What these tokens cost, sent as context."""
        return round(tokens * self.context_input / MILLION, DIGITS)


FREE = Prices()
