"""A context is served also where it can't be booked."""

from __future__ import annotations

from redis.asyncio import Redis

from tests.support.sessions import Desk, said


async def test_a_full_store_serves_contexts_and_books_them(desk: Desk, client: Redis) -> None:
    await desk.service.append("s", said(4))
    await client.config_set("maxmemory", 1024 * 1024 // 2)
    try:
        assert len((await desk.service.context("s")).messages) == 4
        assert (await desk.store.ledger("default")).contexts == 1
    finally:
        await client.config_set("maxmemory", 0)


async def test_a_store_that_takes_no_writes_serves_contexts(desk: Desk, client: Redis) -> None:
    await desk.service.append("s", said(4))
    await client.replicaof("127.0.0.1", 1)  # of nobody: it goes on with what it has, read-only
    try:
        assert len((await desk.service.context("s")).messages) == 4
        assert (await desk.store.ledger("default")).contexts == 0
    finally:
        await client.replicaof("NO", "ONE")
