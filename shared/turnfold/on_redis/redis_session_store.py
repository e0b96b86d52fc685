"""Whole sessions in Redis."""

from __future__ import annotations

from turnfold.history.session import AgentSession
from turnfold.history.session_store import SessionStore, read, written
from turnfold.sessions.keys import encoded, shard_prefix
from turnfold.sessions.redis_store import RedisStore
from turnfold.sessions.session_key import SessionKey, checked_session_id
from turnfold.settings import Settings
from turnfold.wiring import build_store


class RedisSessionStore(SessionStore):
    """JSON under `{tf:007}:agent:TENANT:ID`, kept until it was idle for as long as any session.

    Args:
        redis_url: the store; `TURNFOLD_REDIS_URL` if not given.
        tenant: whose sessions.
        ttl_seconds: how long a session is kept after it was set last; `TURNFOLD_SESSION_TTL_SECONDS` if not given.
        store: a session store that is open already, in place of an address.
    """

    def __init__(
        self,
        redis_url: str | None = None,
        *,
        tenant: str = "default",
        ttl_seconds: int | None = None,
        store: RedisStore | None = None,
    ) -> None:
        settings = Settings()
        if redis_url is not None:
            settings = settings.model_copy(update={"redis_url": redis_url})
        self._settings, self._tenant = settings, tenant
        self._ttl_seconds = ttl_seconds or settings.session_ttl_seconds
        self._store, self._is_own = store, store is None

    async def get(self, session_id: str) -> AgentSession | None:
        store = self._opened()
        text = await store.ask(store.client.get(self._key(session_id)))
        return None if text is None else read(text)

    async def set(self, session_id: str, session: AgentSession) -> None:
        store = self._opened()
        await store.ask(store.client.set(self._key(session_id), written(session), ex=self._ttl_seconds))

    async def delete(self, session_id: str) -> None:
        store = self._opened()
        await store.ask(store.client.delete(self._key(session_id)))

    async def close(self) -> None:
        if self._is_own and self._store is not None:
            await self._store.close()
            self._store = None

    def _opened(self) -> RedisStore:
        if self._store is None:
            opened = build_store(self._settings)
            assert isinstance(opened, RedisStore)
            self._store = opened
        return self._store

    def _key(self, session_id: str) -> str:
        key = SessionKey(self._tenant, checked_session_id(session_id, "session_id"))
        return f"{shard_prefix(key.shard)}:agent:{encoded(key.tenant)}:{encoded(key.id)}"
