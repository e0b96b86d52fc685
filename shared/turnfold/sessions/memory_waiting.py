"""Sessions that are to be looked at, in this process."""

from __future__ import annotations

from turnfold.sessions.memory_state import MemoryState
from turnfold.sessions.session_key import SessionKey


class MemoryWaiting(MemoryState):
    """The part of the store that sweeps read."""

    async def look_later(self, key: SessionKey, delay_ms: int) -> None:
        self._waiting[key] = self._clock_ms() + delay_ms

    async def waiting_sessions(self, limit: int) -> list[tuple[int, SessionKey]]:
        now = self._clock_ms()
        return sorted((at, key) for key, at in self._waiting.items() if at <= now)[:limit]

    async def looked_at(self, key: SessionKey, since_ms: int) -> None:
        if self._waiting.get(key) == since_ms:
            del self._waiting[key]

    async def swept_policies(self, tenant: str) -> list[str]:
        return [self._swept_policies[name] for name in {"", tenant} if name in self._swept_policies]

    async def note_swept_policy(self, digest: str, tenant: str = "", *, first: bool = False) -> None:
        if first and "" in self._swept_policies:
            return
        if not tenant and not first:
            self._swept_policies.clear()
        self._swept_policies[tenant] = digest
