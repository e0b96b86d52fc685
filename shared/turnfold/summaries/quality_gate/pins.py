"""Replies without what must never be lost."""

from __future__ import annotations

from turnfold.summaries.summarizer import SummaryRequest


def lacks_a_pin(text: str, request: SummaryRequest) -> bool:
    """Whether a pinned text is not in the reply to the letter."""
    return any(pin.text not in text for pin in request.pins)
