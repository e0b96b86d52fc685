"""Recorded conversations of a folder that the machine may have: JSON lines, a conversation each."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from turnfold import jsonio
from turnfold.jsonio import is_object
from turnfold.messages import Message, checked_messages

VARIABLE = "TURNFOLD_DATA"
FOLDER = os.environ.get(VARIABLE)


def files() -> list[Path]:
    """The files of the folder that hold conversations; none where the variable names no folder."""
    return [file for file in sorted(Path(FOLDER).glob("*.jsonl")) if conversations(file)] if FOLDER else []


@lru_cache(maxsize=32)
def conversations(file: Path) -> tuple[list[Message], ...]:
    """The conversations of a file; none where its lines are something else."""
    values = [jsonio.loads(line) for line in file.read_bytes().split(b"\n") if line.strip()]
    return tuple(checked_messages(value["messages"]) for value in values if is_object(value) and "messages" in value)
