"""A worker whose machine's clock is wrong, run as a module with the number of seconds. All else is the real worker."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable


def shifted(clock: Callable[[], float], seconds: float) -> Callable[[], float]:
    return lambda: clock() + seconds


def main(seconds: float) -> int:
    # Before anything is imported that might keep the right clock for itself.
    time.time = shifted(time.time, seconds)
    from turnfold.settings import Settings
    from turnfold_workers.main import run_worker

    return run_worker(Settings())


if __name__ == "__main__":
    sys.exit(main(float(sys.argv[1])))
