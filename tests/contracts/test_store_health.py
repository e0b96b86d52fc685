"""What a store says of itself."""

from __future__ import annotations

from turnfold.sessions.store import SessionStore


async def test_a_store_that_is_well_says_so(store: SessionStore) -> None:
    # when
    health = await store.health()

    # then
    assert health.reachable
    assert health.problems == ()
