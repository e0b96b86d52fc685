"""`Turnfold` as a backend uses it, on a real store: async, and from plain threads."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.support.sessions import EAGER, said
from turnfold import Turnfold, sync
from turnfold.embedded import EmbeddedServer
from turnfold.errors import BadInput, NotFound, Unavailable


@pytest.fixture(scope="module")
def server() -> Iterator[EmbeddedServer]:
    with EmbeddedServer() as started:
        yield started


async def test_a_backend_appends_and_asks_for_the_context(server: EmbeddedServer) -> None:
    tf = Turnfold(redis_url=server.redis_url, policy=EAGER)
    appended = await tf.append("async", said(8))
    turn = await tf.context("async")
    assert appended.job is not None
    assert (len(turn.messages), turn.pending_job) == (8, appended.job["id"])
    await tf.close()


def test_plain_threads_share_one(server: EmbeddedServer) -> None:
    tf = sync.Turnfold(redis_url=server.redis_url, policy=EAGER)
    with ThreadPoolExecutor(8) as threads:
        appends = [threads.submit(tf.append, "threads", said(1, n)) for n in range(1, 33)]
    assert sorted(append.result().first for append in appends) == list(range(1, 33))
    assert tf.context("threads").revision == 32
    assert tf.compact("threads").session == "threads"
    tf.delete("threads")
    with pytest.raises(NotFound):
        tf.context("threads")
    tf.close()


def test_without_a_store_the_error_says_what_to_set() -> None:
    with pytest.raises(BadInput, match="TURNFOLD_REDIS_URL"):
        Turnfold.from_env()


async def test_a_store_that_is_away_is_said_so_and_nothing_is_stored() -> None:
    tf = Turnfold(redis_url="redis://127.0.0.1:1/0")
    with pytest.raises(Unavailable):
        await tf.append("s", said(1))
    await tf.close()
