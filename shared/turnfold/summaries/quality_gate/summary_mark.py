"""How a summary begins where it stands in the conversation."""

from __future__ import annotations

SUMMARY_MARK = "[Summary]"


def as_summary(text: str) -> str:
    """The text as it stands in the conversation."""
    return f"{SUMMARY_MARK}\n{text.strip()}"
