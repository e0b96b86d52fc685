"""Names of sessions that follow a history."""

from __future__ import annotations

import hashlib
from urllib.parse import quote

# Room for the number of a branch.
MAX_LENGTH = 240
# What a session's id can't have, and what tells escapes and branches.
_ESCAPED = frozenset("/%~")


def session_name(history_id: str) -> str:
    """The session of a history: its own id, where that will do; two histories never have one session."""
    name = history_id
    if not name.isprintable() or _ESCAPED.intersection(name):
        name = quote(name, safe=" !#$&'()*+,:;=?@[]", errors="surrogatepass").replace("~", "%7E")
    if len(name) <= MAX_LENGTH:
        return name
    return f"{name[: MAX_LENGTH - 33]}-{hashlib.blake2b(name.encode(), digest_size=16).hexdigest()}"


def branch_name(session_id: str, number: int) -> str:
    """The session of a branch; 0 is the session itself."""
    return f"{session_id}~{number}" if number else session_id
