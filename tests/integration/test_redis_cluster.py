"""A store of three nodes, a broker beside it, and real parts: the same promises as on one server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.chat import Chat
from tests.support.live_system import LiveSystem, live_system
from tests.support.redis_cluster import redis_cluster
from turnfold.errors import BadInput
from turnfold.sessions.redis_servers import Servers, servers_of
from turnfold.settings import Settings
from turnfold.wiring import build_queue, build_store

STORE = "TURNFOLD_REDIS_URL"
CHATS = 6


@pytest.fixture(scope="module")
def cluster_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with redis_cluster(tmp_path_factory.mktemp("cluster")) as ports:
        yield "redis+cluster://" + ",".join(f"127.0.0.1:{port}" for port in ports)


@pytest.fixture
def system(cluster_url: str, tmp_path: Path) -> Iterator[LiveSystem]:
    """The embedded server of this system is the broker alone."""
    with live_system(tmp_path, env={STORE: cluster_url}, broker_beside=True) as running:
        yield running


@pytest.mark.redis_server
def test_summaries_land_on_every_node_and_a_beat_sweeps(system: LiveSystem) -> None:
    worker = system.start_worker()
    system.start("-m", "turnfold", "beat", env={"TURNFOLD_SWEEP_INTERVAL_SECONDS": "1"})
    chats: list[Chat] = [system.chat() for _ in range(CHATS)]

    jobs = [chat.append_until_due() for chat in chats]

    for chat, job in zip(chats, jobs, strict=True):
        assert chat.ended_job(job)["state"] == "succeeded"
        assert len(system.model.calls(chat.mark)) == 1
        assert chat.logged() == chat.said
        assert system.findings(chat) == []
    worker.wait_for("sweep.done")
    chats[0].erase()


@pytest.mark.redis_server
async def test_it_is_asked_for_its_health(cluster_url: str) -> None:
    store = build_store(Settings(redis_url=cluster_url))
    health = await store.health()
    await store.close()

    assert health.reachable
    assert health.problems == ()


def test_a_cluster_can_not_be_the_broker() -> None:
    with pytest.raises(BadInput, match="TURNFOLD_BROKER_URL"):
        build_queue(Settings(redis_url="redis+cluster://a:1,b:2"))


@pytest.mark.parametrize(
    ("url", "servers"),
    [
        (
            "redis+cluster://a:1,b",
            Servers(kind="cluster", hosts=(("a", 1), ("b", 6379)), tls=False),
        ),
        (
            "rediss+sentinel://me:p%40ss@a,b:2/main/3",
            Servers(
                kind="sentinel", hosts=(("a", 26379), ("b", 2)), tls=True, username="me", password="p@ss",
                service="main", database=3,
            ),
        ),
    ],
)  # fmt: skip
def test_addresses_are_read(url: str, servers: Servers) -> None:
    assert servers_of(url) == servers


@pytest.mark.parametrize(
    "url",
    ["redis+cluster://", "redis+cluster://a:x", "redis+cluster://a:0", "redis+cluster://a/1", "redis+sentinel://a:1",
     "redis+sentinel://secret:secret@a:1/main/x"],
)  # fmt: skip
def test_wrong_ones_are_refused_without_being_quoted(url: str) -> None:
    with pytest.raises(BadInput, match="write redis") as refused:
        servers_of(url)

    assert refused.value.path == STORE
    assert "secret" not in json.dumps(refused.value.message)
