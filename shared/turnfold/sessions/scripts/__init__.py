"""The Lua scripts of the Redis store; each file's head tells its keys and arguments."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files


@lru_cache(maxsize=32)
def script(name: str, *, shebang: bool = True) -> str:
    """A script's text. fakeredis can't read the first line; a real server refuses early by it when out of memory."""
    text = _text(name)
    if name in _FOLLOWED_BY:
        text += _text(_FOLLOWED_BY[name]).partition("\n")[2]
    return text if shebang else text.partition("\n")[2]


# What one script does first, before it does what another one does.
_FOLLOWED_BY = {"serve": "read"}


def _text(name: str) -> str:
    return files(__name__).joinpath(f"{name}.lua").read_text(encoding="utf-8")
