"""All metrics: names, units, labels. In Prometheus each name begins with `turnfold_`.

Those of the fleet are counted by workers in the session store, so every API process shows the same numbers for all of
them: take the maximum over processes, not the sum. Those of a process are its own. No label holds a tenant, a session,
a model's name or anything else that has no bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Kind = Literal["counter", "gauge", "histogram"]
JOB_BUCKETS = (0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 20.0, 45.0, 120.0, 600.0)
REQUEST_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)


@dataclass(frozen=True, slots=True)
class Metric:
    """
    Attributes:
        name: with its unit, `_seconds`, `_tokens`; a counter's ends in `_total`.
        scope: `fleet` or `process`.
        buckets: upper bounds, for a histogram.
    """

    name: str
    kind: Kind
    scope: Literal["fleet", "process"]
    help: str
    labels: tuple[str, ...] = ()
    buckets: tuple[float, ...] = ()


JOBS_ENDED = Metric(
    "jobs_ended_total", "counter", "fleet", "Jobs that ended: succeeded, nothing_to_do, superseded, dead, cancelled",
    ("outcome",),
)  # fmt: skip
JOBS_RETRIED = Metric("jobs_retried_total", "counter", "fleet", "Tries of jobs that failed and are to be made again")
JOBS_RESENT = Metric("jobs_resent_total", "counter", "fleet", "Jobs that were lost or waited, and were sent again")
JOB_SECONDS = Metric(
    "job_seconds", "histogram", "fleet", "From the first claim of a job to its summary", buckets=JOB_BUCKETS
)
JOB_WAIT_SECONDS = Metric(
    "job_wait_seconds", "histogram", "fleet", "From the record of a job to its first claim", buckets=JOB_BUCKETS
)
FOLDS = Metric(
    "folds_total", "counter", "fleet", "Summaries that landed before the user spoke again (ready=yes), or later (no)",
    ("ready",),
)  # fmt: skip
REPLIES_REJECTED = Metric(
    "replies_rejected_total", "counter", "fleet", "Replies that the quality gate refused, by its reason", ("reason",)
)
SUMMARY_TOKENS = Metric(
    "summary_tokens_total", "counter", "fleet",
    "Tokens: folded (source), what stands for them (summary), read (prompt) and written (completion) by the model",
    ("kind",),
)  # fmt: skip
SUMMARY_COST = Metric("summary_cost_total", "counter", "fleet", "What summaries cost, in the currency of the prices")
SWEEPS = Metric("sweeps_total", "counter", "fleet", "Sweeps that were made")
SWEPT_JOBS = Metric("swept_jobs_total", "counter", "fleet", "Jobs that sweeps recorded or sent again")
JOBS_WAITING = Metric("jobs_waiting", "gauge", "fleet", "Jobs that are recorded and not ended")
JOBS_OVERDUE = Metric("jobs_overdue", "gauge", "fleet", "Of them those that somebody should have looked at by now")
OLDEST_JOB_SECONDS = Metric("oldest_overdue_job_seconds", "gauge", "fleet", "How long the oldest of those is overdue")
JOBS_IN_FLIGHT = Metric("jobs_in_flight", "gauge", "fleet", "Jobs that workers are at")
WORKERS = Metric("workers", "gauge", "fleet", "Worker processes that were heard of in the last 15 seconds")
SESSIONS_WAITING = Metric("sessions_waiting", "gauge", "fleet", "Sessions that a sweep will look at")
STORE_UP = Metric("store_up", "gauge", "process", "Whether the session store answered this scrape")
HTTP_REQUESTS = Metric("http_requests_total", "counter", "process", "Requests answered", ("method", "route", "status"))
HTTP_SECONDS = Metric(
    "http_request_seconds", "histogram", "process", "How long their answers took", ("route",), REQUEST_BUCKETS
)

ALL: tuple[Metric, ...] = tuple(value for value in dict(globals()).values() if isinstance(value, Metric))
