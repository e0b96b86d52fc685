"""API keys in the store."""

from __future__ import annotations

import pytest

from turnfold.errors import BadInput, NotFound
from turnfold.operations.api_keys import make_key, revoke_key
from turnfold.sessions.api_keys import digest_of
from turnfold.sessions.store import SessionStore


async def test_a_key_is_kept_by_its_hash_alone(store: SessionStore) -> None:
    secret, key = await make_key(store, "acme", may_write=False, name="the dashboard")
    (kept,) = await store.api_keys()
    assert kept == key
    assert (kept.tenant, kept.may_write, kept.name, kept.digest) == ("acme", False, "the dashboard", digest_of(secret))
    assert secret not in repr(kept)
    assert kept.created_at_ms > 0


async def test_keys_are_listed_oldest_first_and_are_all_different(store: SessionStore) -> None:
    made = [await make_key(store, "acme") for _ in range(5)]
    assert {key.id for key in await store.api_keys()} == {key.id for _, key in made}
    assert len({secret for secret, _ in made}) == 5


async def test_a_key_is_revoked_by_its_id_or_by_itself(store: SessionStore) -> None:
    _, one = await make_key(store, "acme")
    secret, two = await make_key(store, "acme")
    assert await revoke_key(store, one.id) == one
    assert await revoke_key(store, secret) == two
    assert await store.api_keys() == []
    with pytest.raises(NotFound):
        await revoke_key(store, one.id)
    assert not await store.drop_api_key(one.digest)


@pytest.mark.parametrize("tenant", ["", "a:b", "a,b", "a b", "x" * 129, "a\n"])
async def test_a_tenant_that_no_setting_could_name_has_no_key(store: SessionStore, tenant: str) -> None:
    with pytest.raises(BadInput, match="tenant"):
        await make_key(store, tenant)
    assert await store.api_keys() == []
