"""Ids of calls as they are written: unique, in the letters that providers take, the same for a call and its result."""

from __future__ import annotations

import re

_REFUSED = re.compile(r"[^a-zA-Z0-9_-]")
MAX_LENGTH = 64


class CallIds:
    """Hands out the id of each call, and finds it again for the call's result.

    Chats may use an id again once its call is answered, servers invent ids of any letters, and the legacy
    `function_call` has none; providers take each id once, and letters, digits, `_` and `-` only.
    """

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._open: dict[str, list[tuple[str, str]]] = {}

    def open(self, call_id: str | None, kind: str, *, as_it_is: bool = False) -> str:
        """The id to write for a call. `as_it_is`: it is written as it came."""
        written = (call_id or "") if as_it_is else self._free(call_id)
        self._used.add(written)
        self._open.setdefault(call_id or "", []).append((written, kind))
        return written

    def close(self, call_id: str | None) -> tuple[str, str]:
        """Id and kind of the call that a result answers: the oldest one of that id that is not answered."""
        waiting = self._open.get(call_id or "")
        return waiting.pop(0) if waiting else (self._free(call_id), "function")

    def _free(self, call_id: str | None) -> str:
        wanted = safe_name(call_id or "", MAX_LENGTH) or "call_legacy"
        written, number = wanted, 1
        while written in self._used:
            number += 1
            written = f"{wanted[: MAX_LENGTH - 8]}_{number}"
        return written


def safe_name(name: str, most: int = MAX_LENGTH) -> str:
    """The name in the letters that providers take for ids and names of tools."""
    return _REFUSED.sub("_", name)[:most]
