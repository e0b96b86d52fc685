"""One thing that was looked at."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit


@dataclass(frozen=True, slots=True)
class Check:
    """
    Attributes:
        said: what was found.
        mend: what to do about it; empty where all is well.
    """

    name: str
    said: str
    mend: str = ""

    @property
    def is_well(self) -> bool:
        return not self.mend

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"ok": self.is_well, "mend": self.mend or None}

    def __str__(self) -> str:
        mark = "ok" if self.is_well else "FAIL"
        return f"{mark:<5}{self.name:<17} {self.said}" + (f" → {self.mend}" if self.mend else "")


def place_of(url: str) -> str:
    """Where an address leads, without what is secret in it."""
    parts = urlsplit(url)
    host = parts.netloc.rpartition("@")[2]
    return f"{parts.scheme}://{host}{parts.path}"
