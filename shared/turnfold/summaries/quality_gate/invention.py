"""Replies with numbers, ids or addresses that nobody said."""

from __future__ import annotations

from turnfold.summaries.quality_gate.sources import Sources


def invented_values(text: str, sources: Sources) -> list[str]:
    """What the reply has and its sources don't; empty for a reply that is true to them."""
    return sources.values.lacks(text)
