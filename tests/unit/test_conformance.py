"""The conformance cases: `turnfold compact` checked from outside, by whoever has the cases."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

VARIABLE = "TURNFOLD_CONFORMANCE"
RUNNER = os.environ.get(VARIABLE)
COMMAND = Path(sys.executable).with_name("turnfold")


@pytest.mark.timeout(300)
@pytest.mark.skipif(RUNNER is None, reason=f"{VARIABLE} does not name the script that runs the cases")
def test_the_command_passes_every_conformance_case() -> None:
    ended = subprocess.run(
        [sys.executable, str(RUNNER), "--turnfold", str(COMMAND)], capture_output=True, text=True, check=False
    )

    assert ended.returncode == 0, ended.stdout + ended.stderr
