"""The history of an agent in Redis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Unpack

from turnfold.history.history_provider import HistoryOptions
from turnfold.history.stored_history_provider import StoredHistoryProvider
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.wiring import Turnfold

DEFAULT_SOURCE_ID = "redis"


class RedisHistoryProvider(StoredHistoryProvider):
    """Keeps the history in turnfold's session store: summaries are made by workers, ahead of the next run.

    Connections are made at first use, on the loop that uses them.

    Args:
        source_id: names its part of an agent's session.
        redis_url: the session store; `TURNFOLD_REDIS_URL` if not given.
        broker_url: Celery's broker; the store's server, next database, if not given.
        policy: of the sessions that are made here, kept with them, so that workers obey it: a policy, its JSON, or a
            file's name; without it the default holds, the backend's here and the workers' there.
        tenant: whose conversations.
        turnfold: a `Turnfold` that is there already, in place of all of these.
        options: as for every `HistoryProvider`: flags, filters, bounds.
    """

    def __init__(
        self,
        source_id: str = DEFAULT_SOURCE_ID,
        *,
        redis_url: str | None = None,
        broker_url: str | None = None,
        policy: Policy | Mapping[str, Any] | str | None = None,
        tenant: str = "default",
        turnfold: TurnfoldService | None = None,
        **options: Unpack[HistoryOptions],
    ) -> None:
        super().__init__(turnfold, source_id, **options)
        self._settings: dict[str, Any] = {
            "redis_url": redis_url, "broker_url": broker_url, "policy": policy, "tenant": tenant,
        }  # fmt: skip
        self._is_own = turnfold is None

    @property
    def service(self) -> TurnfoldService:
        """
        Raises:
            BadInput: there is no address of a store, or a setting is not valid.
        """
        if self._service is None:
            self._service = Turnfold(**self._settings)
        return self._service

    async def close(self) -> None:
        """Closes the connections that this provider has made."""
        if self._is_own and self._service is not None:
            await self._service.close()
            self._service = None
