"""How each adapter behaves: one suite for all of them."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest
from redis.asyncio import Redis

from tests.adapters.doubles import AwayStore, CountingSummarizer, SlowSummarizer
from tests.adapters.talk import LOST, Talk, Told, told_in, turn
from tests.support.sessions import Desk
from turnfold.embedded import EmbeddedServer
from turnfold.service import TurnfoldService
from turnfold.sessions.memory_store import MemoryStore
from turnfold.sessions.redis_store import RedisStore

ROOT = Path(__file__).parents[2]
# Two turns are ten messages. Nothing but summaries hides anything.
POLICY: dict[str, Any] = {
    "strategy": "summarization",
    "trigger": {"messages_exceed": 12},
    "target": {"not": {"messages_exceed": 6}},
    "minimum_preserved": 2,
    "min_source_tokens": 0,
}
OTHER_PROCESS_SECONDS = 120


class AdapterBehaviour:
    """The suite. Each framework's tests are a subclass that says how it talks."""

    talk_class: ClassVar[type[Talk]]
    mends_its_history: ClassVar[bool] = False
    """The framework takes results without a call out of its history by itself."""

    @pytest.fixture
    def desk(self) -> Desk:
        return Desk(MemoryStore(), POLICY)

    def talk(self, folder: Path, desk: Desk | None) -> Talk:
        return self.talk_class(folder, desk.service if desk else None)

    async def test_after_ten_turns_with_tools_the_model_sees_a_summary_and_the_tail(
        self, desk: Desk, tmp_path: Path
    ) -> None:
        talk = self.talk(tmp_path, desk)

        await _say(talk, range(1, 11), desk)

        seen = talk.seen[-1]
        summaries = [told for told in seen if told.text.startswith("[Summary]")]
        assert len(summaries) == 1
        tail = [told for told in seen if told.kind != "system" and told not in summaries]
        assert tail == told_in(range(1, 11))[:-1][-len(tail) :]  # all but the answer to this call
        assert 5 <= len(tail) < 20
        _assert_all_are_paired(talk.seen)

    async def test_the_framework_s_own_history_stays_whole_and_unchanged(self, desk: Desk, tmp_path: Path) -> None:
        talk = self.talk(tmp_path, desk)
        await _say(talk, range(1, 11), desk)
        assert await talk.stored() == told_in(range(1, 11))

    async def test_nothing_is_stored_twice(self, desk: Desk, tmp_path: Path) -> None:
        talk = self.talk(tmp_path, desk)
        await _say(talk, range(1, 11), desk)
        assert await _logs(desk.service) == [[t for t in told_in(range(1, 11)) if t.kind != "call"]]

    async def test_nothing_is_hidden_before_its_summary_is_there(self, desk: Desk, tmp_path: Path) -> None:
        talk = self.talk(tmp_path, desk)
        await _say(talk, range(1, 8))
        assert _without_instructions(talk.seen[-1]) == told_in(range(1, 8))[:-1]

    async def test_a_summary_is_ready_before_the_next_turn(self, desk: Desk, tmp_path: Path) -> None:
        talk = self.talk(tmp_path, desk)
        await _say(talk, range(1, 4))

        assert await desk.work() == 1  # planned when the turn ended, not when the next begins

        calls = len(talk.seen)
        await _say(talk, [4])
        assert any(told.text.startswith("[Summary]") for told in talk.seen[calls])

    async def test_streamed_turns_are_turns_like_others(self, desk: Desk, tmp_path: Path) -> None:
        talk = self.talk(tmp_path, desk)
        for number in range(1, 11):
            assert await talk.stream(turn(number)) == told_in([number])[-1].text
            await desk.work()
        assert await talk.stored() == told_in(range(1, 11))
        assert any(told.text.startswith("[Summary]") for told in talk.seen[-1])
        assert len(await _logs(desk.service)) == 1

    async def test_a_slow_summarizer_holds_no_turn_up(self, tmp_path: Path) -> None:
        summarizer = SlowSummarizer()
        desk = Desk(MemoryStore(), POLICY, summarizer)
        talk = self.talk(tmp_path, desk)
        await _say(talk, range(1, 4))
        working = asyncio.create_task(desk.work())
        await asyncio.wait_for(summarizer.asked.wait(), 5)

        await _say(talk, range(4, 8))

        assert not working.done()
        assert _without_instructions(talk.seen[-1]) == told_in(range(1, 8))[:-1]
        summarizer.may_write.set()
        await working
        await _say(talk, [8])
        assert any(told.text.startswith("[Summary]") for told in talk.seen[-1])

    async def test_after_a_restart_it_goes_on_with_the_same_summary(self, tmp_path: Path) -> None:
        store, summarizer = MemoryStore(), CountingSummarizer()
        before = Desk(store, POLICY, summarizer)
        await _say(self.talk(tmp_path, before), range(1, 5), before)
        made = summarizer.requests

        after = Desk(store, POLICY, summarizer)
        talk = self.talk(tmp_path, after)
        await _say(talk, [5])

        assert made > 0
        assert summarizer.requests == made
        assert any(told.text.startswith("[Summary]") for told in talk.seen[0])
        assert await talk.stored() == told_in(range(1, 6))
        assert len(await _logs(after.service)) == 1

    async def test_a_result_without_its_call_never_reaches_the_model(self, desk: Desk, tmp_path: Path) -> None:
        talk = self.talk(tmp_path, desk)
        await _say(talk, [1], desk)
        await talk.plant_result_without_call()
        await _say(talk, range(2, 6), desk)
        assert (LOST in [told.text for told in await talk.stored()]) is not self.mends_its_history
        assert all(told.ref != "lost" for seen in talk.seen for told in seen)
        _assert_all_are_paired(talk.seen)

    async def test_without_the_adapter_the_framework_goes_on_with_the_whole_history(
        self, desk: Desk, tmp_path: Path
    ) -> None:
        await _say(self.talk(tmp_path, desk), range(1, 9), desk)

        talk = self.talk(tmp_path, None)
        await _say(talk, [9])

        assert _without_instructions(talk.seen[-1]) == told_in(range(1, 10))[:-1]

    async def test_with_a_history_that_was_there_before_it_begins_at_once(self, desk: Desk, tmp_path: Path) -> None:
        await _say(self.talk(tmp_path, None), range(1, 9))

        talk = self.talk(tmp_path, desk)
        await _say(talk, [9], desk)
        await _say(talk, [10], desk)

        assert any(told.text.startswith("[Summary]") for told in talk.seen[-1])
        assert await talk.stored() == told_in(range(1, 11))

    async def test_while_its_store_is_away_turns_go_on_and_it_catches_up(self, tmp_path: Path) -> None:
        store = AwayStore()
        desk = Desk(store, POLICY)
        talk = self.talk(tmp_path, desk)
        await _say(talk, [1], desk)

        store.is_away = True
        await _say(talk, range(2, 5))
        assert _without_instructions(talk.seen[-1]) == told_in(range(1, 5))[:-1]

        store.is_away = False
        await _say(talk, range(5, 7), desk)
        assert any(told.text.startswith("[Summary]") for told in talk.seen[-1])
        assert await _logs(desk.service) == [[t for t in told_in(range(1, 7)) if t.kind != "call"]]

    @pytest.mark.timeout(180)
    async def test_two_processes_talk_in_one_session(
        self, server: EmbeddedServer, redis_desk: Desk, tmp_path: Path
    ) -> None:
        talk = self.talk(tmp_path, redis_desk)
        await _say(talk, range(1, 4), redis_desk)

        await self._elsewhere(server, tmp_path, range(4, 6))
        await redis_desk.work()
        await _say(talk, range(6, 8), redis_desk)

        assert await talk.stored() == told_in(range(1, 8))
        assert await _logs(redis_desk.service) == [[t for t in told_in(range(1, 8)) if t.kind != "call"]]
        assert any(told.text.startswith("[Summary]") for told in talk.seen[-1])

    @pytest.mark.timeout(180)
    async def test_two_processes_talk_at_the_same_time(
        self, server: EmbeddedServer, redis_desk: Desk, tmp_path: Path
    ) -> None:
        talk = self.talk(tmp_path, redis_desk)
        await _say(talk, range(1, 4), redis_desk)

        await asyncio.gather(self._elsewhere(server, tmp_path, range(21, 25)), _say(talk, range(31, 35), redis_desk))
        await redis_desk.work()
        await _say(talk, [41], redis_desk)

        stored = [told for told in await talk.stored() if told.kind != "call"]
        assert stored in await _logs(redis_desk.service)
        assert len(set(stored)) == len(stored)
        _assert_all_are_paired(talk.seen)

    @pytest.fixture
    def server(self) -> Any:
        with EmbeddedServer() as server:
            yield server

    @pytest.fixture
    async def redis_desk(self, server: EmbeddedServer) -> AsyncIterator[Desk]:
        client = Redis.from_url(server.redis_url, protocol=2)
        yield Desk(RedisStore(client), POLICY)
        await client.aclose()

    async def _elsewhere(self, server: EmbeddedServer, folder: Path, numbers: Sequence[int]) -> None:
        """Talks in another process."""
        talk = f"{self.talk_class.__module__}:{self.talk_class.__name__}"
        command = [sys.executable, "-m", "tests.adapters.other_process", talk, server.redis_url, str(folder)]
        process = await asyncio.create_subprocess_exec(
            *command, *map(str, numbers), cwd=ROOT, env={**os.environ}, stderr=subprocess.PIPE
        )
        _, errors = await asyncio.wait_for(process.communicate(), OTHER_PROCESS_SECONDS)
        assert process.returncode == 0, errors.decode()[-3000:]


async def _say(talk: Talk, numbers: Sequence[int], desk: Desk | None = None) -> None:
    """The turns, one after the other; with a desk, its worker works after each."""
    for number in numbers:
        assert await talk.say(turn(number)) == told_in([number])[-1].text
        if desk is not None:
            await desk.work()


async def _logs(service: TurnfoldService) -> list[list[Told]]:
    """What all sessions have stored, calls left out."""
    found = await service.store.list_sessions("default", None, 100)
    logs: list[list[Told]] = []
    for _, name in sorted(found):
        read = await service.messages(name, limit=10_000)
        messages = [read.entries[position].message for position in sorted(read.entries)]
        told = [
            Told("result" if one.role == "tool" else one.role, one.text, str(one.get("tool_call_id", "")))
            for one in messages
            if not one.get("tool_calls") and one.role != "system"
        ]
        logs.append(told)
    return logs


def _without_instructions(seen: Sequence[Told]) -> list[Told]:
    return [told for told in seen if told.kind != "system"]


def _assert_all_are_paired(calls_of_the_model: Sequence[Sequence[Told]]) -> None:
    for seen in calls_of_the_model:
        calls = [told.ref for told in seen if told.kind == "call"]
        results = [told.ref for told in seen if told.kind == "result"]
        assert sorted(calls) == sorted(results)
