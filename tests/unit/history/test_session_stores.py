"""Whole sessions in a store: every kind obeys the same rules."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import fakeredis
import pytest

from turnfold import AgentSession, FileSessionStore, MemorySessionStore, RedisSessionStore, SessionStore
from turnfold.errors import BadInput
from turnfold.sessions.redis_store import RedisStore


@pytest.fixture(params=["memory", "file", "redis"])
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[SessionStore]:
    if request.param == "redis":
        client = fakeredis.FakeAsyncRedis()
        yield RedisSessionStore(store=RedisStore(client, shebang=False))
        assert [key for key in await client.keys("*") if await client.pttl(key) < 0] == []
        await client.aclose()
    else:
        yield MemorySessionStore() if request.param == "memory" else FileSessionStore(tmp_path / "sessions")


async def test_a_session_comes_back_as_it_was_set(store: SessionStore) -> None:
    session = AgentSession(session_id="inner", service_session_id="resp_1")
    numbers: list[object] = [1, (2, 3)]
    session.state["p"] = {"n": numbers}
    await store.set("user-42", session)
    numbers.append("later")

    back = await store.get("user-42")

    assert back is not None
    assert (back.session_id, back.service_session_id, back.state) == ("inner", "resp_1", {"p": {"n": [1, (2, 3)]}})


async def test_what_was_read_is_the_reader_s_own(store: SessionStore) -> None:
    await store.set("a", AgentSession())
    first, second = await store.get("a"), await store.get("a")
    assert first is not None
    first.state["mine"] = {"x": 1}
    assert second is not None
    assert second.state == {}


async def test_a_later_write_replaces_an_earlier_one(store: SessionStore) -> None:
    await store.set("a", AgentSession(session_id="one"))
    await store.set("a", AgentSession(session_id="two"))
    back = await store.get("a")
    assert back is not None
    assert back.session_id == "two"


async def test_what_is_erased_is_gone_and_erasing_nothing_is_fine(store: SessionStore) -> None:
    await store.set("a", AgentSession())
    await store.delete("a")
    await store.delete("a")
    assert await store.get("a") is None


@pytest.mark.parametrize("name", ["..", "café:{x}", "a" * 256, "with space", "é" * 200])
async def test_any_id_is_a_session_of_its_own(store: SessionStore, name: str) -> None:
    await store.set(name, AgentSession(session_id="odd"))
    await store.set(name[:-1] + "z", AgentSession(session_id="other"))
    back = await store.get(name)
    assert back is not None
    assert back.session_id == "odd"


@pytest.mark.parametrize("name", ["", "a/b", "line\nbreak", "a" * 257])
async def test_an_id_that_is_not_valid_is_refused(store: SessionStore, name: str) -> None:
    with pytest.raises(BadInput, match="session_id"):
        await store.get(name)


async def test_what_could_not_be_restored_is_not_stored(store: SessionStore) -> None:
    session = AgentSession()
    session.state["p"] = {"handle": object()}
    with pytest.raises(BadInput, match=r"state\.p\.handle"):
        await store.set("a", session)
    assert await store.get("a") is None


async def test_files_survive_the_store_and_are_their_owner_s_alone(tmp_path: Path) -> None:
    await FileSessionStore(tmp_path).set("a", AgentSession(session_id="kept"))

    back = await FileSessionStore(tmp_path).get("a")

    assert back is not None
    assert back.session_id == "kept"
    assert [mode & 0o777 for mode in modes_in(tmp_path)] == [0o600]


async def test_a_file_that_is_no_session_is_named_and_left_as_it_is(tmp_path: Path) -> None:
    broken_file(tmp_path / "a.json")
    with pytest.raises(BadInput, match=r"a\.json holds no session"):
        await FileSessionStore(tmp_path).get("a")
    assert text_of(tmp_path / "a.json") == "{"


def modes_in(folder: Path) -> list[int]:
    return [file.stat().st_mode for file in folder.iterdir()]


def broken_file(file: Path) -> None:
    file.write_text("{")


def text_of(file: Path) -> str:
    return file.read_text()
