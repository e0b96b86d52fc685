"""Runs each adapter's tests in an environment of its own: the frameworks' requirements clash.

    .venv/bin/python .ci/adapters.py [--oldest] [NAME…]

An environment is made once, by pip from wheels, below .venv-adapters, and brought up to date when pyproject.toml or
this file asks for something else, and after a day: to the newest release. With --oldest: the oldest supported one.
"""

from __future__ import annotations

import argparse
import hashlib
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
ENVIRONMENTS = ROOT / ".venv-adapters"
# Extras by the package of the adapter.
EXTRAS = {
    "openai_agents": "openai-agents",
    "agent_framework": "agent-framework",
    "langchain": "langchain",
    "pydantic_ai": "pydantic-ai",
}
TOOLS = ["pytest>=8.3", "pytest-asyncio>=1.0", "pytest-timeout>=2.3", "hypothesis>=6.120", "mypy>=1.14"]
# What the tests of one need beside those.
OWN_TOOLS = {"langchain": ["langgraph-checkpoint-sqlite"]}
DAY_SECONDS = 86_400


def main() -> int:
    """0 where all adapters pass."""
    parser = argparse.ArgumentParser(description="runs each adapter's tests in an environment of its own")
    parser.add_argument("names", nargs="*", metavar="NAME", help=", ".join(EXTRAS))
    parser.add_argument("--oldest", action="store_true", help="against the oldest supported release")
    arguments = parser.parse_args()
    names: list[str] = arguments.names or list(EXTRAS)
    if unknown := set(names).difference(EXTRAS):
        parser.error(f"there is no adapter {', '.join(sorted(unknown))}")
    failed = [name for name in names if not passes(name, oldest=arguments.oldest)]
    say(f"failed: {', '.join(failed)}" if failed else "all pass")
    return 1 if failed else 0


def passes(name: str, *, oldest: bool) -> bool:
    """Whether the adapter's types and tests are right; in the oldest environment only tests are run."""
    folder = ENVIRONMENTS / (f"oldest-{name}" if oldest else name)
    pins = lower_bounds(EXTRAS[name]) if oldest else []
    make(folder, [f"-e.[{EXTRAS[name]},embedded]", *TOOLS, *OWN_TOOLS.get(name, []), *pins])
    say(f"{name}, {version(folder, EXTRAS[name])}")
    python = str(folder / "bin/python")
    tests = [python, "-m", "pytest", "-q", f"tests/adapters/{name}"]
    return (oldest or run(types(python, name))) and run(tests)


def types(python: str, name: str) -> list[str]:
    """The types of the adapter and of its tests, as the framework declares its own."""
    folders = (ROOT / "shared/turnfold/adapters" / name, ROOT / "tests/adapters" / name)
    files = [str(file.relative_to(ROOT)) for folder in folders for file in sorted(folder.glob("*.py"))]
    cache = f".venv-adapters/{name}/.mypy_cache"
    # What does not know the framework is checked elsewhere.
    return [python, "-m", "mypy", "--follow-imports", "silent", "--cache-dir", cache, *files]


def make(folder: Path, requirements: list[str]) -> None:
    """The environment, unless it is there as it should be."""
    stamp = folder / ".installed"
    told = [requirements, project()["dependencies"], project()["optional-dependencies"]]
    wanted = hashlib.sha256(repr(told).encode()).hexdigest()
    is_complete = stamp.exists() and stamp.read_text() == wanted
    if is_complete and time.time() - stamp.stat().st_mtime < DAY_SECONDS:
        return
    say(f"installing into {folder.relative_to(ROOT)} (a minute, once) …")
    folder.parent.mkdir(exist_ok=True)
    run([str(ROOT / ".ci/venv"), str(folder)], check=True)
    pip = [str(folder / "bin/python"), "-m", "pip", "install", "--quiet", "--upgrade", "--only-binary", ":all:"]
    # Without a network, an environment that is only a day old will do.
    if run([*pip, *requirements], check=not is_complete):
        stamp.write_text(wanted)


def project() -> dict[str, Any]:
    """What pyproject.toml says of the project."""
    told: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return told


def lower_bounds(extra: str) -> list[str]:
    """The oldest supported releases of an extra's packages, as versions to install."""
    wanted = [one for one in project()["optional-dependencies"][extra] if not one.startswith("turnfold[")]
    return [one.partition(",")[0].replace(">=", "==") for one in wanted]


def version(folder: Path, extra: str) -> str:
    """Name and version of the framework that is installed."""
    package = lower_bounds(extra)[0].partition("==")[0]
    told = f"import importlib.metadata as m; print({package!r}, m.version({package!r}))"
    asked = subprocess.run([folder / "bin/python", "-c", told], check=True, capture_output=True, text=True)
    return asked.stdout.strip()


def run(command: list[str], *, check: bool = False) -> bool:
    """Whether the command ended well."""
    return subprocess.run(command, cwd=ROOT, check=check).returncode == 0


def say(text: str) -> None:
    """A line at once, among those of the commands."""
    sys.stdout.write(f"adapters: {text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
