"""Becomes a command that ends when its parent ends, even by SIGKILL.

Run as a file, `launcher.py PARENT_PID LIFELINE COMMAND …`: it starts in milliseconds and imports nothing of ours.
LIFELINE is `-` where the kernel can tell a process of its parent's death (Linux), elsewhere the reading end of a pipe
that only the parent holds open: a watchdog waits for its end.
"""

from __future__ import annotations

import os
import select
import signal
import sys

WATCHDOG_POLL_SECONDS = 0.25
_PR_SET_PDEATHSIG = 1
_HIGHEST_DESCRIPTOR = 4096


def main() -> None:
    """Does not return."""
    parent, lifeline, command = int(sys.argv[1]), sys.argv[2], sys.argv[3:]
    if lifeline == "-":
        _die_with_parent()
    else:
        _start_watchdog(int(lifeline))
    # The parent may have gone before the request above was in force: nobody would tell us any more.
    if os.getppid() != parent:
        os._exit(1)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        sys.exit(f"{command[0]}: {error.strerror}")


def _die_with_parent() -> None:
    import ctypes  # Linux only, and a third of this file's start-up time

    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0) != 0:
        sys.exit(f"prctl: {os.strerror(ctypes.get_errno())}")


def _start_watchdog(lifeline: int) -> None:
    """Leaves a child behind that ends what this process becomes."""
    watched = os.getpid()
    if os.fork() != 0:
        os.close(lifeline)
        return
    # Whoever reads the command's output, or waits for its locks, must not wait for the watchdog.
    os.closerange(0, lifeline)
    os.closerange(lifeline + 1, _HIGHEST_DESCRIPTOR)
    while os.getppid() == watched:
        ended, _, _ = select.select([lifeline], [], [], WATCHDOG_POLL_SECONDS)
        if ended and os.getppid() == watched:
            os.kill(watched, signal.SIGKILL)
            break
    os._exit(0)


if __name__ == "__main__":
    main()
