"""The peers, each in an environment of its own (their pins clash), on the same chat."""

from __future__ import annotations

import json
import subprocess
import sys
import venv
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ENVIRONMENTS = Path(".bench/engine")
PEERS = {
    "agent-framework": ["agent-framework-core==1.23.0"],
    "langchain": ["langchain==1.5.2"],
    "langmem": ["langmem==0.0.30"],
    "semantic-kernel": ["semantic-kernel==1.45.0"],
    "pydantic-ai-harness": ["pydantic-ai-harness==0.62.0"],
}
SECONDS = 300


def run(name: str, chat: Path) -> list[dict[str, Any]]:
    """The peer's measurements in milliseconds; one with `error` instead where it could not be run."""
    try:
        python = installed(name)
        script = HERE / "peers" / f"{name.replace('-', '_')}_peer.py"
        done = subprocess.run(
            [python, script, chat], capture_output=True, text=True, timeout=SECONDS, check=True, cwd=script.parent
        )
    except subprocess.SubprocessError as error:
        return [{"peer": name, "error": _last_line(error)}]
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    return [{"peer": name, **json.loads(line)} for line in lines]


def installed(name: str) -> Path:
    """The Python of the peer's environment, made once."""
    environment = (ENVIRONMENTS / name).resolve()
    python = environment / "bin" / "python"
    stamp = environment / ".installed"
    if not stamp.exists() or stamp.read_text() != str(PEERS[name]):
        print(f"Installing {' '.join(PEERS[name])} (once) …", file=sys.stderr)
        venv.create(environment, with_pip=True)
        command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *PEERS[name]]
        subprocess.run(command, check=True, capture_output=True, text=True)
        stamp.write_text(str(PEERS[name]))
    return python


def _last_line(error: subprocess.SubprocessError) -> str:
    said = getattr(error, "stderr", None) or str(error)
    return str(said).strip().splitlines()[-1]
