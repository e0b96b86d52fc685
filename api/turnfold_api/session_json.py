"""A session as the API shows it."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from turnfold import jsonio
from turnfold.sessions.head import Head
from turnfold.sessions.index_state import counts_of

# 9999-12-31T23:59:59.999Z: what calendars can write at most.
_LAST_MS = 253_402_300_799_999


def session_json(session_id: str, head: Head) -> dict[str, Any]:
    """
    Args:
        session_id: the session's id, which its head does not hold.
        head: the session's head.
    """
    return {
        "id": session_id,
        "created_at": iso_time(head.created_at_ms),
        "last_active_at": iso_time(head.last_active_at_ms),
        "expires_at": iso_time(head.expires_at_ms),
        "revision": head.revision,
        "view_revision": head.view_revision,
        "counts": counts_of(head.state),
        "policy": jsonio.loads(head.policy) if head.policy else None,
        "metadata": head.metadata,
        "service_session_id": head.service_session_id or None,
        "pending_job": head.pending_job or None,
    }


def iso_time(ms: int) -> str:
    """Milliseconds since the epoch as ISO 8601, UTC."""
    seconds, rest = divmod(min(ms, _LAST_MS), 1000)
    moment = datetime.fromtimestamp(seconds, tz=UTC).replace(microsecond=rest * 1000)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
