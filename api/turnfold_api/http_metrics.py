"""Counts of the requests of this process."""

from __future__ import annotations

from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics

from turnfold.metrics import names

# Else a time stands beside each number, which nobody asks for.
disable_created_metrics()  # type: ignore[no-untyped-call]  # the library leaves this one untyped

PREFIX = "turnfold_"
# Paths that no route takes are one: they come from outside, and have no bound.
NO_ROUTE = "none"
# Clients may send any word as a method.
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


class HttpMetrics:
    """Requests by method, route and status, and how long they took."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        requests, seconds = names.HTTP_REQUESTS, names.HTTP_SECONDS
        self._requests = Counter(PREFIX + requests.name, requests.help, requests.labels, registry=self.registry)
        self._seconds = Histogram(
            PREFIX + seconds.name, seconds.help, seconds.labels, buckets=seconds.buckets, registry=self.registry
        )

    def count(self, scope: Any, status: int, seconds: float) -> None:
        """One request that was answered, or whose client left."""
        route = getattr(scope.get("route"), "path", NO_ROUTE)
        method = scope["method"] if scope["method"] in METHODS and route != NO_ROUTE else "any"
        self._requests.labels(method=method, route=route, status=str(status)).inc()
        self._seconds.labels(route=route).observe(seconds)
