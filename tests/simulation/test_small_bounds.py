"""The same random lives where little is remembered and reading moves at once: what is rare elsewhere happens always."""

from __future__ import annotations

import pytest

from tests.simulation.test_sessions import Life
from turnfold.sessions import open_end, view_of
from turnfold.sessions.memory_store import MemoryStore

SEEDS = range(400, 520)


@pytest.fixture(autouse=True)
def _small_bounds(monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]  # a fixture
    for name, most in (("MOST_GROUPS", 2), ("MOST_CALLS", 4), ("MOST_REASONING", 2)):
        monkeypatch.setattr(open_end, name, most)
    for name, most in (("MAX_KEPT", 3), ("MAX_IN_VAIN", 0)):
        monkeypatch.setattr(view_of, name, most)


@pytest.mark.parametrize("seed", SEEDS)
async def test_every_promise_holds_where_old_calls_are_forgotten(seed: int) -> None:
    await Life(MemoryStore(), seed).play()
