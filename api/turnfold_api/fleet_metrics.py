"""The store's counts, and what the queue and the workers are at, in Prometheus's form."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from turnfold.errors import Unavailable
from turnfold.metrics import names
from turnfold.sessions.fleet import QueueState, WorkerState
from turnfold.sessions.store import SessionStore
from turnfold_api.http_metrics import PREFIX


@dataclass(frozen=True, slots=True)
class Fleet:
    """What one scrape read; without a store that answers, only that."""

    is_up: bool
    counts: Mapping[str, float] = field(default_factory=dict[str, float])
    queue: QueueState = field(default_factory=QueueState)
    workers: Sequence[WorkerState] = ()


async def read_fleet(store: SessionStore) -> Fleet:
    """The numbers of now."""
    try:
        return Fleet(True, await store.counts(), await store.queue_state(), await store.workers())
    except Unavailable:
        return Fleet(False)


class FleetCollector(Collector):
    """One scrape's families."""

    def __init__(self, fleet: Fleet) -> None:
        self._fleet = fleet

    def collect(self) -> Iterator[Metric]:
        yield _gauge(names.STORE_UP, self._fleet.is_up)
        if not self._fleet.is_up:
            return
        yield from self._gauges()
        samples = _by_metric(self._fleet.counts)
        for metric in names.ALL:
            if metric.scope == "fleet" and metric.kind == "counter":
                yield _counter(metric, samples[metric.name])
            elif metric.scope == "fleet" and metric.kind == "histogram":
                yield _histogram(metric, samples[metric.name])

    def _gauges(self) -> Iterator[Metric]:
        queue, workers = self._fleet.queue, self._fleet.workers
        yield _gauge(names.JOBS_WAITING, queue.waiting)
        yield _gauge(names.JOBS_OVERDUE, queue.overdue)
        yield _gauge(names.OLDEST_JOB_SECONDS, queue.oldest_overdue_ms / 1000)
        yield _gauge(names.SESSIONS_WAITING, queue.sessions_waiting)
        yield _gauge(names.WORKERS, len(workers))
        yield _gauge(names.JOBS_IN_FLIGHT, sum(worker.in_flight for worker in workers))


def _by_metric(counts: Mapping[str, float]) -> defaultdict[str, dict[tuple[str, ...], float]]:
    """Values by metric and by the values of its labels, in the order of the names."""
    samples: defaultdict[str, dict[tuple[str, ...], float]] = defaultdict(dict)
    for text, amount in counts.items():
        name, *labels = text.split(",")
        samples[name][tuple(label.partition("=")[2] or label for label in labels)] = amount
    return samples


def _gauge(metric: names.Metric, value: float) -> Metric:
    return GaugeMetricFamily(PREFIX + metric.name, metric.help, value=value)


def _counter(metric: names.Metric, samples: Mapping[tuple[str, ...], float]) -> Metric:
    family = CounterMetricFamily(PREFIX + metric.name, metric.help, labels=metric.labels)
    for labels, amount in samples.items():
        family.add_metric(labels, amount)
    if not metric.labels and not samples:
        family.add_metric([], 0)
    return family


def _histogram(metric: names.Metric, samples: Mapping[tuple[str, ...], float]) -> Metric:
    """Prometheus's buckets hold what those below them hold; ours don't."""
    family = HistogramMetricFamily(PREFIX + metric.name, metric.help)
    reached, buckets = 0.0, list[tuple[str, float]]()
    for bound in (*(f"{bound:g}" for bound in metric.buckets), "+Inf"):
        reached += samples.get((bound,), 0.0)
        buckets.append((bound, reached))
    family.add_metric([], buckets, sum_value=samples.get(("sum",), 0.0))
    return family
