"""What all tests share: which of them can run here, and an environment free of the developer's settings."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Callable

import pytest

from tests.support.examples import register_profiles
from tests.support.small_model import lacks_small_model

PREFIX = "TURNFOLD_"
# Of the test run itself, not of the system under test.
KEPT = ("TURNFOLD_CI", "TURNFOLD_CONFORMANCE", "TURNFOLD_DATA")
IN_CI = os.environ.get("TURNFOLD_CI") == "1"
# Debian keeps servers in sbin, which is not on everyone's PATH.
SEARCH_PATH = os.pathsep.join([os.environ.get("PATH", os.defpath), "/usr/local/sbin", "/usr/sbin"])


def _lacks_command(command: str) -> Callable[[], str | None]:
    return lambda: None if shutil.which(command, path=SEARCH_PATH) else f"{command} is not installed"


def _lacks_browser() -> str | None:
    if importlib.util.find_spec("playwright") is None:
        return "playwright is not installed"
    return _lacks_command("chromium")()


register_profiles()

# Marker to a question: what is missing for such a test, if anything?
REQUIREMENTS: dict[str, Callable[[], str | None]] = {
    "redis_server": _lacks_command("redis-server"),
    "rabbitmq": _lacks_command("rabbitmq-server"),
    "browser": _lacks_browser,
    "small_model": lacks_small_model,
}


def pytest_configure() -> None:
    """A test must not reach the store or the model that the developer's shell is set up for."""
    for name in [name for name in os.environ if name.startswith(PREFIX) and name not in KEPT]:
        del os.environ[name]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A test whose server is missing is skipped on a laptop, and fails where the build should have installed it."""
    for marker, lacks in REQUIREMENTS.items():
        if item.get_closest_marker(marker) and (reason := lacks()):
            pytest.fail(reason, pytrace=False) if IN_CI else pytest.skip(reason)
    for marker, runs in {"slow": IN_CI, "soak": False}.items():
        if item.get_closest_marker(marker) and not (runs or _asks_for(marker, item.config)):
            pytest.skip(f"{marker}: run it with -m {marker}")


def _asks_for(marker: str, config: pytest.Config) -> bool:
    return marker in str(config.getoption("markexpr"))
