"""The model's server behind the proxy."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import httpx

from turnfold import jsonio
from turnfold_api.proxy.openai_errors import UpstreamFailed

CONNECT_SECONDS = 10.0
# A model may think for long before its first word.
READ_SECONDS = 600.0
# Of a client's headers, those that say for whom the call is made.
PASSED_ON = ("openai-organization", "openai-project", "openai-beta")


class Upstream:
    """
    Args:
        base_url: of any server that speaks Chat Completions, with its /v1.
        api_key: sent with every call.
        passes_keys: whether, without an `api_key`, the client's own key goes through: no key of ours may.
    """

    def __init__(self, base_url: str, *, api_key: str | None, passes_keys: Callable[[], bool]) -> None:
        self._base_url = base_url.rstrip("/")
        self._api_key, self._passes_keys = api_key, passes_keys
        timeout = httpx.Timeout(READ_SECONDS, connect=CONNECT_SECONDS, pool=CONNECT_SECONDS)
        limits = httpx.Limits(max_connections=None, max_keepalive_connections=100)
        self._client = httpx.AsyncClient(timeout=timeout, limits=limits, trust_env=False)
        self._running = set[asyncio.Task[None]]()

    async def call(self, path: str, headers: Mapping[str, str], body: Mapping[str, Any] | None) -> httpx.Response:
        """The answer, of which nothing has been read yet; whoever calls closes it.

        Raises:
            UpstreamFailed: there is none.
        """
        content = None if body is None else jsonio.dumps(body)
        request = self._client.build_request(
            "GET" if body is None else "POST",
            f"{self._base_url}{path}",
            content=content,
            headers=self._headers(headers),
        )
        try:
            return await self._client.send(request, stream=True)
        except httpx.TimeoutException:
            raise UpstreamFailed("the model's server did not answer in time", 504) from None
        except httpx.HTTPError as error:
            raise UpstreamFailed(f"the model's server is out of reach: {type(error).__name__}", 502) from None

    def run(self, work: Coroutine[Any, Any, None]) -> None:
        """Goes on with work whose request has gone."""
        task = asyncio.create_task(work)
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def close(self) -> None:
        await asyncio.gather(*self._running, return_exceptions=True)
        await self._client.aclose()

    def _headers(self, given: Mapping[str, str]) -> dict[str, str]:
        headers = {name: given[name] for name in PASSED_ON if name in given}
        headers |= {"content-type": "application/json", "accept-encoding": "identity"}
        if self._api_key:
            headers["authorization"] = f"Bearer {self._api_key}"
        elif self._passes_keys() and "authorization" in given:
            headers["authorization"] = given["authorization"]
        return headers
