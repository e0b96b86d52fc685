"""The folder in which a store keeps its data: one store at a time, gone afterwards if it was temporary."""

from __future__ import annotations

import os
import shutil
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from turnfold.errors import BadInput

LOCK_FILE = "turnfold.lock"
# How long a store that was killed a moment ago may take to let go.
LOCK_WAIT_SECONDS = 1.0
_LOCK_POLL_SECONDS = 0.02


@dataclass(frozen=True)
class DataFolder:
    """A folder that is ours until `close`.

    Attributes:
        path: the folder.
        lock: descriptor of the locked file. A process that inherits it keeps the folder locked while it lives.
        temporary: removed by `close`.
    """

    path: Path
    lock: int
    temporary: bool

    @classmethod
    def open(cls, path: Path | None = None) -> DataFolder:
        """
        Args:
            path: made if missing; a temporary folder if not given.

        Raises:
            BadInput: it can't be used, or another store uses it.
        """
        if path is None:
            folder = Path(tempfile.mkdtemp(prefix="turnfold-"))
            return cls(folder, _locked(folder), temporary=True)
        folder = path.expanduser().absolute()
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            return cls(folder, _locked(folder), temporary=False)
        except OSError as error:
            raise BadInput("--data", f"{path} can't be used: {error.strerror}") from None

    def close(self) -> None:
        """Lets go of the folder."""
        if self.temporary:
            shutil.rmtree(self.path, ignore_errors=True)
        os.close(self.lock)


def _locked(folder: Path) -> int:
    lock = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    deadline = time.monotonic() + LOCK_WAIT_SECONDS
    while not _lock_taken(lock):
        if time.monotonic() > deadline:
            os.close(lock)
            raise BadInput("--data", f"{folder} is in use by another turnfold")
        time.sleep(_LOCK_POLL_SECONDS)
    return lock


def _lock_taken(lock: int) -> bool:
    import fcntl  # not on Windows, where there is no embedded store

    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
