"""Sessions that somebody should look at, though no message came: their job died a while ago, or their policy is new.

An entry is a hint: what is due is decided by whoever looks. So it may be written before what it tells of.
"""

from __future__ import annotations

from typing import Protocol

from turnfold.sessions.session_key import SessionKey


class WaitingStore(Protocol):
    """The part of a session store that sweeps read, so that they cost as much as there is due."""

    async def look_later(self, key: SessionKey, delay_ms: int) -> None:
        """Has the session looked at in `delay_ms`, and not before."""
        ...

    async def waiting_sessions(self, limit: int) -> list[tuple[int, SessionKey]]:
        """Sessions that are to be looked at now, longest waiting first, each with the time that it waits since."""
        ...

    async def looked_at(self, key: SessionKey, since_ms: int) -> None:
        """The session waits no more; unless it was asked for anew, with another time."""
        ...

    async def swept_policies(self, tenant: str) -> list[str]:
        """Digests of the default policy that all of the tenant's sessions were planned by; none: it was never told."""
        ...

    async def note_swept_policy(self, digest: str, tenant: str = "", *, first: bool = False) -> None:
        """Tells it, for a tenant or for everybody; `first`: only where nothing was told for everybody."""
        ...
