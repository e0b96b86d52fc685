"""Every error that turnfold raises on purpose, in one tree.

TurnfoldError
├── BadInput                  the caller's data is wrong: names the path and the mend
│   └── PolicyError           … in a policy
├── NotFound                  no such session, message, job or group
├── Conflict                  the thing exists already, or is in another state
│   ├── RevisionMismatch      If-Match did not match
│   └── IdempotencyMismatch   the key was used for another body
├── Unavailable               store or broker out of reach; nothing was half-written
└── SummarizerError           a summary could not be made
    ├── SummarizerTransient   … now; a later try may succeed
    │   └── SummarizerDeferred … since there is no room for a call; nothing was asked
    └── SummarizerRefused     … and another try of the same kind would end the same way
"""

from __future__ import annotations

from enum import StrEnum


class TurnfoldError(Exception):
    """Something in turnfold went wrong."""

    def __init__(self, detail: str | None = None) -> None:
        super().__init__(detail or (type(self).__doc__ or "").split("\n")[0])

    @property
    def detail(self) -> str:
        return str(self.args[0])


class BadInput(TurnfoldError, ValueError):
    """The input is not valid."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(f"{path}: {message}" if path else message)
        self.path = path
        self.message = message


class PolicyError(BadInput):
    """The policy is not valid."""


class NotFound(TurnfoldError, LookupError):
    """There is no such thing."""


class Conflict(TurnfoldError):
    """The request conflicts with what is stored."""


class RevisionMismatch(Conflict):
    """The session has moved on since the revision that the request was made for."""


class IdempotencyMismatch(Conflict):
    """This Idempotency-Key was used for another request body."""


class Unavailable(TurnfoldError):
    """The store is out of reach; nothing was written."""


class SummarizerError(TurnfoldError):
    """The summary could not be made."""


class FailureKind(StrEnum):
    """Why a summarizer could not answer now: how often and how soon it is asked again depends on it."""

    RATE_LIMITED = "rate_limited"
    """It was asked too often."""
    UNREACHABLE = "unreachable"
    """No connection came about."""
    TIMED_OUT = "timed_out"
    """It took too long; what it had written may have been paid."""
    BROKEN = "broken"
    """It failed, or its answer was broken off."""
    DEFERRED = "deferred"
    """It was not asked: there was no room for the call."""


class SummarizerTransient(SummarizerError):
    """The summarizer could not answer now."""

    def __init__(
        self,
        detail: str | None = None,
        *,
        retry_after_seconds: float | None = None,
        kind: FailureKind = FailureKind.BROKEN,
    ) -> None:
        super().__init__(detail)
        self.retry_after_seconds = retry_after_seconds
        self.kind = kind


class SummarizerDeferred(SummarizerTransient):
    """There is no room for a call of the model now; nothing was asked."""

    def __init__(self, detail: str | None = None, *, retry_after_seconds: float | None = None) -> None:
        super().__init__(detail, retry_after_seconds=retry_after_seconds, kind=FailureKind.DEFERRED)


class SummarizerRefused(SummarizerError):
    """The summarizer's answer can't be used, and asking again would not change it."""
