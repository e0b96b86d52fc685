"""Counts of one process, on their way to where they are shown."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping

from turnfold.metrics.names import Metric

# A sample by one text: the metric's name, then `label=value`, comma-separated; values hold neither.
Sample = str


def sample(metric: Metric, **labels: object) -> Sample:
    """The sample's name."""
    return ",".join([metric.name, *(f"{name}={labels[name]}" for name in metric.labels)])


def bucket(metric: Metric, seconds: float) -> Sample:
    """The sample of the histogram's bucket that a value falls into, not of those above it."""
    bound = next((f"{bound:g}" for bound in metric.buckets if seconds <= bound), "+Inf")
    return f"{metric.name},le={bound}"


def total(metric: Metric) -> Sample:
    """The sample of the sum of a histogram's values."""
    return f"{metric.name},sum"


class Tally:
    """Counts up; `take` empties it. Of one thread."""

    def __init__(self) -> None:
        self._counts: defaultdict[Sample, float] = defaultdict(float)

    def count(self, metric: Metric, amount: float = 1, **labels: object) -> None:
        self._counts[sample(metric, **labels)] += amount

    def observe(self, metric: Metric, seconds: float) -> None:
        """Adds a value to a histogram."""
        self._counts[bucket(metric, seconds)] += 1
        self._counts[total(metric)] += seconds

    def take(self) -> dict[Sample, float]:
        """What was counted since the last time."""
        taken, self._counts = dict(self._counts), defaultdict(float)
        return taken

    def give_back(self, taken: Mapping[Sample, float]) -> None:
        """Counts that could not be handed on are kept for the next time."""
        for name, amount in taken.items():
            self._counts[name] += amount
