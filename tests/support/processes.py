"""Looking at processes from outside."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PS = ["ps", "-A", "-o", "pid=,ppid=,stat=,command="]
PROCESS_TABLE_IN_FILES = sys.platform == "linux"


def descendants_of(pid: int) -> dict[int, str]:
    """Command line by process id of all living processes that the given one has started, directly or not."""
    table = _table()
    found: dict[int, str] = {}
    parents = {pid}
    while parents:
        children = {child: words for child, (parent, words) in table.items() if parent in parents}
        found |= children
        parents = set(children)
    return found


def is_alive(pid: int) -> bool:
    """Whether the process runs; one that has ended and waits for its parent to notice does not."""
    return pid in _table()


def _table() -> dict[int, tuple[int, str]]:
    """Parent and command line by process id."""
    return dict(_of_linux() if PROCESS_TABLE_IN_FILES else _of_ps())


def _of_linux() -> list[tuple[int, tuple[int, str]]]:
    rows: list[tuple[int, tuple[int, str]]] = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            state, parent = (folder / "stat").read_bytes().rpartition(b")")[2].decode().split()[:2]
            words = (folder / "cmdline").read_bytes().decode(errors="replace").replace("\0", " ").strip()
        except OSError:  # it has just ended
            continue
        if state not in "ZX":
            rows.append((int(folder.name), (int(parent), words)))
    return rows


def _of_ps() -> list[tuple[int, tuple[int, str]]]:
    rows: list[tuple[int, tuple[int, str]]] = []
    for line in subprocess.run(PS, capture_output=True, text=True, check=True).stdout.splitlines():
        pid, parent, state, words = line.split(None, 3)
        if not state.startswith("Z"):
            rows.append((int(pid), (int(parent), words)))
    return rows
