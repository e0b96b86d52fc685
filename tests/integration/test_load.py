"""The load benchmark, small and fast: it measures what it says, and nothing is left after expiry."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
SMALL = "--sessions 12 --turns 96 --workers 2 --pace 0.2 --first-rate 10 --most-rate 10 --ramp-turns 5"


def test_summaries_are_there_before_the_next_turn_and_nothing_outlives_its_session(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "benchmarks/load.py"), *SMALL.split(), "--no-bars"]

    subprocess.run(command, check=True, cwd=tmp_path, timeout=55, stdout=subprocess.DEVNULL)

    told = json.loads((tmp_path / "build/bench-load.json").read_text())
    assert told["turns"] == 96
    assert told["summaries_due"] >= 12
    assert told["model_calls"] >= told["summaries_due"]
    # Two cores that are shared with the rest of the build: all but a few.
    assert told["ready_before_next_turn"] >= 0.9
    assert told["requests_over_deadline"] == 0
    assert (told["after_expiry"]["session_keys"], told["after_expiry"]["index_entries"]) == (0, 0)
