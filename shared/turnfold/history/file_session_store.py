"""Whole sessions in a folder, a file each."""

from __future__ import annotations

import asyncio
import hashlib
import os
import secrets
from pathlib import Path
from urllib.parse import quote

from turnfold.errors import BadInput
from turnfold.history.session import AgentSession
from turnfold.history.session_store import SessionStore, read, written
from turnfold.sessions.session_key import checked_session_id

LONGEST_NAME = 200


class FileSessionStore(SessionStore):
    """JSON files, readable by their owner alone, each replaced as a whole: a crash leaves the old one or the new one.

    Args:
        folder: made if it is not there.
    """

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)

    async def get(self, session_id: str) -> AgentSession | None:
        """
        Raises:
            BadInput: the file is no session; it is left as it is.
        """
        path = self._path(session_id)
        text = await asyncio.to_thread(_text, path)
        if text is None:
            return None
        try:
            return read(text)
        except BadInput:
            raise
        except (ValueError, TypeError, KeyError) as error:
            raise BadInput("session_id", f"{path.name} holds no session: {error}") from error

    async def set(self, session_id: str, session: AgentSession) -> None:
        await asyncio.to_thread(_replace, self._path(session_id), written(session))

    async def delete(self, session_id: str) -> None:
        await asyncio.to_thread(self._path(session_id).unlink, missing_ok=True)

    def _path(self, session_id: str) -> Path:
        name = quote(checked_session_id(session_id, "session_id"), safe="").replace(".", "%2E")
        if len(name) > LONGEST_NAME:  # file systems end names at 255 bytes
            name = f"{name[:100]}~{hashlib.sha256(session_id.encode()).hexdigest()}"
        return self.folder / f"{name}.json"


def _text(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _replace(path: Path, text: bytes) -> None:
    temporary = path.with_name(f"{path.name}.{secrets.token_hex(6)}.tmp")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
