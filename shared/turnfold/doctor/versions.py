"""What is installed here."""

from __future__ import annotations

import platform
from importlib.metadata import PackageNotFoundError, version

from turnfold.doctor.check import Check

VERSIONS = "versions"
# Each with the extra that brings it.
PACKAGES = {"redis": "redis", "celery": "worker", "celery-redbeat": "worker", "openai": "openai", "fastapi": "api"}


def version_check() -> Check:
    """Versions of turnfold, Python, and what the service needs."""
    found = {name: _version(name) for name in PACKAGES}
    here = [f"turnfold {version('turnfold')}", f"Python {platform.python_version()}"]
    said = ", ".join([*here, *(f"{name} {told}" for name, told in found.items() if told)])
    missing = {name: PACKAGES[name] for name, told in found.items() if not told}
    if not missing:
        return Check(VERSIONS, said)
    extras = ",".join(dict.fromkeys(missing.values()))
    return Check(VERSIONS, f"{said}; without {', '.join(missing)}", f"pip install 'turnfold[{extras}]'")


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
