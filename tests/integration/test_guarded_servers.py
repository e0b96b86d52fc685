"""Servers as they stand in production: TLS and a user who may do little; a master that is followed by its replica."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.guarded_servers import pair_with_sentinel, server_with_tls_and_users
from tests.support.live_system import live_system
from tests.support.sessions import said
from tests.support.waiting import wait_until_async
from turnfold.audit import audit
from turnfold.errors import Unavailable
from turnfold.jobs.memory_queue import MemoryQueue
from turnfold.policy import Policy
from turnfold.service import TurnfoldService
from turnfold.settings import Settings
from turnfold.wiring import build_store

pytestmark = [pytest.mark.redis_server, pytest.mark.timeout(120)]


def test_store_and_broker_by_tls_with_a_user_who_may_do_no_more_than_is_needed(tmp_path: Path) -> None:
    with server_with_tls_and_users(tmp_path) as url:
        env = {"TURNFOLD_REDIS_URL": url.format(database=0)}
        with live_system(tmp_path, env=env) as system:
            worker = system.start_worker()
            system.start("-m", "turnfold", "beat", env={"TURNFOLD_SWEEP_INTERVAL_SECONDS": "1"})
            chat = system.chat()

            ended = chat.ended_job(chat.append_until_due())

            assert (ended["state"], ended["tries"]) == ("succeeded", 1)
            assert system.findings(chat) == []
            worker.wait_for("sweep.done")
            assert "NoPermission" not in worker.log()


async def test_after_a_failover_the_store_goes_on(tmp_path: Path) -> None:
    with pair_with_sentinel(tmp_path) as pair:
        store = build_store(Settings(redis_url=pair.url))
        service = TurnfoldService(store=store, queue=MemoryQueue(), policy=Policy.default(), ttl_seconds=3600)
        await service.append("s", said(3))

        pair.kill_master_in_step()

        async def takes_more() -> bool:
            try:
                await service.append("s", said(1, 4))
            except Unavailable:
                return False
            return True

        await wait_until_async(takes_more, description="the replica has taken over", timeout_seconds=60)
        texts = [entry.message.text for entry in (await service.messages("s")).entries.values()]
        assert texts == [message["content"] for message in said(4)]
        assert await audit(store, service.key("s"), service.policy) == []
        await service.close()
