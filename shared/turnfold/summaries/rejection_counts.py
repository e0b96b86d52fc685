"""How many replies were refused, by reason and model, since this process began: what a metric is read from."""

from __future__ import annotations

import threading
from collections import Counter

from turnfold.summaries.quality_gate import Rejection

_lock = threading.Lock()
_counts: Counter[tuple[str, str]] = Counter()


def count_rejection(reason: Rejection, model: str) -> None:
    """Notes one more refused reply."""
    with _lock:
        _counts[str(reason), model] += 1


def rejection_counts() -> dict[tuple[str, str], int]:
    """Numbers by reason and model."""
    with _lock:
        return dict(_counts)
