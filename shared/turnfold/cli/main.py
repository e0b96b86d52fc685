"""Runs the command and turns errors into exit codes: 1 the command's own "no", 2 bad input, in one line."""

from __future__ import annotations

import os
import sys

from turnfold.errors import TurnfoldError


def main() -> None:
    """The console script."""
    from turnfold.cli.app import app  # after the console script's own imports, so that errors there are ours to show

    try:
        app()
    except TurnfoldError as error:
        sys.stderr.write(f"turnfold: {error.detail}\n")
        sys.exit(2)
    except BrokenPipeError:  # the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)
