"""What the examples stand on: a model and a store, real ones where they are set, stand-ins otherwise."""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager

from turnfold import OpenAIChatClient
from turnfold.embedded import EmbeddedServer
from turnfold.processes import start_tied
from turnfold.testing import ScriptedModel
from turnfold.testing.scripted_model import Script

DEFAULT_MODEL = "gpt-5-mini"


def has_key() -> bool:
    """Whether a real model is set."""
    return bool(os.environ.get("OPENAI_API_KEY"))


@contextmanager
def chat_client(script: Script) -> Generator[OpenAIChatClient]:
    """A client of the model that the environment names; of one that follows the script, where it names none."""
    if has_key():
        yield OpenAIChatClient(os.environ.get("OPENAI_MODEL", DEFAULT_MODEL))
        return
    print("No OPENAI_API_KEY: the model follows a script.", flush=True)
    with ScriptedModel(script) as model:
        yield OpenAIChatClient(model.name, base_url=model.base_url)


@contextmanager
def store_url() -> Generator[str]:
    """The address of the session store."""
    if url := os.environ.get("TURNFOLD_REDIS_URL"):
        yield url
        return
    with EmbeddedServer() as server:
        yield server.redis_url


@contextmanager
def worker(redis_url: str) -> Generator[None]:
    """A worker beside this program, which makes the summaries; it ends with it, however that ends."""
    environment = {**os.environ, "TURNFOLD_REDIS_URL": redis_url}
    process = start_tied([sys.executable, "-m", "turnfold", "worker"], env=environment, stdout=sys.stderr.fileno())
    try:
        yield
    finally:
        process.terminate()
        process.wait()
