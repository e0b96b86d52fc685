"""Choosing the units that cover most new facts a token: lazy greedy, as good as testing each unit again each time.

Source: Minoux 1978, "Accelerated greedy algorithms for maximizing submodular set functions"; for summaries Lin and
Bilmes 2010, "Multi-document summarization via budgeted maximization of submodular functions".
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Mapping, Sequence


def covering_units(
    keys: Sequence[Collection[str]],
    costs: Sequence[float],
    *,
    weights: Mapping[str, float],
    budget: float,
) -> list[int]:
    """Positions of the chosen units, best first.

    Args:
        keys: what each unit covers.
        costs: what each unit costs.
        weights: what each key is worth the first time that it is covered.
        budget: bound of the sum of costs.
    """
    covered: set[str] = set()
    chosen: list[int] = []
    heap = [(-_gain(keys[i], covered, weights) / costs[i], i) for i in range(len(keys))]
    heapq.heapify(heap)
    while heap:
        density, i = heapq.heappop(heap)
        if density >= 0:
            break
        if costs[i] > budget:
            continue
        fresh = -_gain(keys[i], covered, weights) / costs[i]
        if heap and fresh > heap[0][0]:
            heapq.heappush(heap, (fresh, i))
            continue
        if fresh >= 0:
            continue
        chosen.append(i)
        covered.update(keys[i])
        budget -= costs[i]
    return chosen


def _gain(keys: Collection[str], covered: Collection[str], weights: Mapping[str, float]) -> float:
    return sum(weights.get(key, 0.0) for key in keys if key not in covered)
