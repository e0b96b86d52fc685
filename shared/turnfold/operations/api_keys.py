"""API keys: made, listed, revoked. Each is shown once, when it is made."""

from __future__ import annotations

import re
import secrets

from turnfold.errors import BadInput, Conflict, NotFound
from turnfold.sessions.api_keys import ID_DIGITS, StoredKey, digest_of
from turnfold.sessions.store import SessionStore

PREFIX = "tf_"
SECRET_BYTES = 32
MAX_NAME_CHARS = 200
_TENANT = re.compile(r"[^\x00-\x20\x7f-\x9f:,]{1,128}")
_ID = re.compile(rf"[0-9a-f]{{{ID_DIGITS},64}}")


async def make_key(
    store: SessionStore, tenant: str, *, may_write: bool = True, name: str = ""
) -> tuple[str, StoredKey]:
    """A new key of the tenant: the key itself, which is kept nowhere, and what is kept of it.

    Raises:
        BadInput: the tenant's name, or the key's, is not valid.
    """
    if not _TENANT.fullmatch(tenant):
        raise BadInput("tenant", "must be 1 to 128 characters, without spaces, colons and commas")
    if len(name) > MAX_NAME_CHARS or not name.isprintable():
        raise BadInput("name", f"must be at most {MAX_NAME_CHARS} printable characters")
    secret = PREFIX + secrets.token_urlsafe(SECRET_BYTES)
    now = await store.now_ms()
    key = StoredKey(digest=digest_of(secret), tenant=tenant, may_write=may_write, name=name, created_at_ms=now)
    await store.add_api_key(key)
    return secret, key


async def revoke_key(store: SessionStore, told: str) -> StoredKey:
    """Takes a key back, named by its id or by itself. Servers notice within seconds.

    Raises:
        NotFound: there is no such key.
        Conflict: the id is the beginning of several.
    """
    wanted = told if _ID.fullmatch(told) else digest_of(told)
    found = [key for key in await store.api_keys() if key.digest.startswith(wanted)]
    if not found:
        raise NotFound(f"there is no key {wanted[:ID_DIGITS]} in the store")
    if len(found) > 1:
        raise Conflict(f"several keys begin with {wanted}: give more digits")
    await store.drop_api_key(found[0].digest)
    return found[0]
