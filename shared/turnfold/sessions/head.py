"""What a session is apart from its messages: the part that every write reads and moves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from turnfold import jsonio

_JSON_FIELDS = ("state", "metadata", "pins", "held")
_TEXT_FIELDS = ("incarnation", "policy", "service_session_id", "pending_job")


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """One session's head.

    Attributes:
        incarnation: random; a session that was deleted and made again has another one.
        version: moved by every write but claims of jobs; what a compare-and-set compares.
        revision: moved by appends, erasures and changes of settings: what clients see as ETag.
        view_revision: moved by what compaction does.
        fence: raised by each claim of a job; a commit under an older one is refused.
        length: messages ever appended, and so the position of the newest.
        policy: the session's own policy as JSON; empty: the service's default.
        pending_job: id of the job that is recorded and not ended; empty: none.
        plan_at_tokens: no job is planned before the log holds this many tokens.
        overhead_tokens: what is sent beside the messages (instructions, tool schemas), as learned from reported usage.
        pins: positions of messages, and facts, that no summary may lose.
        state: counts and the open end of grouping, see `index_state`.
        held: counts of what was unfolded: no trigger looks at it.
        erased: how many messages of the log were erased.
        deaths: jobs that died since the last summary.
    """

    incarnation: str
    version: int = 0
    revision: int = 0
    view_revision: int = 0
    fence: int = 0
    length: int = 0
    created_at_ms: int = 0
    last_active_at_ms: int = 0
    ttl_seconds: int
    policy: str = ""
    service_session_id: str = ""
    pending_job: str = ""
    plan_at_tokens: int = 0
    overhead_tokens: int = 0
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    state: dict[str, Any] = field(default_factory=dict[str, Any])
    pins: list[int | str] = field(default_factory=list[int | str])
    held: dict[str, int] = field(default_factory=dict[str, int])
    erased: int = 0
    deaths: int = 0

    @property
    def expires_at_ms(self) -> int:
        return self.last_active_at_ms + self.ttl_seconds * 1000

    def to_hash(self) -> dict[str, str]:
        """Field by field as text."""
        return {f.name: self._text(f.name) for f in fields(self)}

    @classmethod
    def from_hash(cls, values: Mapping[str, str]) -> Head:
        known = {f.name for f in fields(cls)}
        return cls(**{name: _value(name, text) for name, text in values.items() if name in known})

    def _text(self, name: str) -> str:
        value = getattr(self, name)
        return jsonio.dumps(value).decode() if name in _JSON_FIELDS else str(value)


def _value(name: str, text: str) -> Any:
    if name in _JSON_FIELDS:
        return jsonio.loads(text)
    return text if name in _TEXT_FIELDS else int(text)
