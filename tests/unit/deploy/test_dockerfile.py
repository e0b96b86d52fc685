"""The image: small, without root, with a probe, and made of files and extras that exist."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).parents[3]
TEXT = (ROOT / "deploy" / "Dockerfile").read_text(encoding="utf-8")
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def _instructions() -> Iterator[tuple[str, str]]:
    """Each instruction and its argument, comments left out, continued lines joined."""
    lines = [line for line in TEXT.splitlines() if line.strip() and not line.startswith("#")]
    for line in "\n".join(lines).replace("\\\n", " ").splitlines():
        name, _, argument = line.partition(" ")
        yield name, argument.strip()


INSTRUCTIONS = list(_instructions())
LAST_STAGE = INSTRUCTIONS[max(i for i, (name, _) in enumerate(INSTRUCTIONS) if name == "FROM") :]


def _arguments(name: str) -> list[str]:
    return [argument for instruction, argument in INSTRUCTIONS if instruction == name]


def test_every_stage_is_slim_and_of_a_python_that_turnfold_supports() -> None:
    versions = [re.match(r"python:3\.(\d+)-slim\b", image) for image in _arguments("FROM")]

    assert len(versions) == 2
    assert all(
        version and f"Programming Language :: Python :: 3.{version[1]}" in PROJECT["classifiers"]
        for version in versions
    )


def test_the_image_does_not_run_as_root() -> None:
    users = [argument for name, argument in LAST_STAGE if name == "USER"]

    assert users
    assert users[-1] not in {"root", "0"}


def test_all_that_is_copied_from_the_repository_exists_and_is_in_the_build_context() -> None:
    copied = [path for argument in _arguments("COPY") if "--from" not in argument for path in argument.split()[:-1]]
    allowed = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()

    assert copied
    assert all((ROOT / path).exists() for path in copied)
    assert {f"!{path}" for path in copied} <= {line.rstrip("/") for line in allowed}


def test_the_extras_that_are_installed_exist() -> None:
    extras = re.search(r"pip install '\.\[([\w,]+)\]'", TEXT)

    assert extras
    assert set(extras[1].split(",")) <= set(PROJECT["optional-dependencies"])


def test_the_image_and_the_compose_file_start_and_probe_the_api_alike() -> None:
    compose = yaml.safe_load((ROOT / "docker-compose.yml").read_text(encoding="utf-8"))
    api = compose["services"]["api"]
    probe = _arguments("HEALTHCHECK")[0].partition("CMD ")[2]

    assert json.loads(_arguments("CMD")[0]) == api["command"]
    assert json.loads(probe) == api["healthcheck"]["test"][1:]
