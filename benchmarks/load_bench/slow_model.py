"""A model's server that takes its time: each conversation has a latency of its own, from half a second to three."""

from __future__ import annotations

import asyncio
import json
import re
import zlib
from typing import Self

FASTEST_SECONDS, SLOWEST_SECONDS = 0.5, 3.0
MARK = re.compile(rb"load-\d+")
SUMMARY = "The user asked where several parcels are, and wants each at depot nine by Friday; none has been lost so far."


def latency_seconds(session: str) -> float:
    """How long the model takes for this conversation, always the same."""
    share = zlib.crc32(session.encode()) / 2**32
    return FASTEST_SECONDS + (SLOWEST_SECONDS - FASTEST_SECONDS) * share


class SlowModel:
    """A context manager; speaks as much of Chat Completions as the summarizer needs.

    Args:
        pace: by what its latencies are multiplied.
    """

    def __init__(self, pace: float = 1.0) -> None:
        self.calls = 0
        self._pace = pace
        self._server: asyncio.Server | None = None

    @property
    def base_url(self) -> str:
        assert self._server is not None
        return f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}/v1"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0, backlog=1024)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = re.search(rb"content-length: *(\d+)", head, re.IGNORECASE)
                body = await reader.readexactly(int(length[1]) if length else 0)
                self.calls += 1
                mark = MARK.search(body)
                await asyncio.sleep(self._pace * latency_seconds(mark[0].decode() if mark else ""))
                writer.write(_answer())
                await writer.drain()
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):  # the client, or all of it, ends
            writer.close()


def _answer() -> bytes:
    message = {"role": "assistant", "content": SUMMARY}
    body = json.dumps({
        "id": "c", "object": "chat.completion", "created": 1, "model": "slow",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
        "usage": {"prompt_tokens": 400, "completion_tokens": 30, "total_tokens": 430},
    }).encode()  # fmt: skip
    return b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body)
