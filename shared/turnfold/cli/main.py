"""Runs the command and turns errors into exit codes: 1 the command's own "no", 2 bad input, in one line."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Sequence

from turnfold.errors import TurnfoldError

_CANT_WRITE = (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT, errno.EBADF)


def main(arguments: Sequence[str] | None = None) -> None:
    """The console script; `arguments` in place of the command line's."""
    _open_what_is_closed()
    sys.exit(_run(arguments))


def _open_what_is_closed() -> None:
    """A standard stream that the caller closed is there, and empty."""
    sys.stdin = sys.stdin or open(os.devnull, encoding="utf-8")  # noqa: SIM115, PTH123  # as long as the process
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123


def _run(arguments: Sequence[str] | None) -> int:
    from typer.exceptions import Abort, TyperException

    from turnfold.cli.app import app

    try:
        code = app(arguments, standalone_mode=False)
        sys.stdout.flush()  # here, where what goes wrong can still be told
    except TurnfoldError as error:
        return _refused(error.detail)
    except Abort:  # Ctrl-C
        return 130
    except TyperException as error:
        return _misused(error)
    except BrokenPipeError:  # the reader has seen enough
        _drop_output()
        return 0
    except OSError as error:
        if error.errno not in _CANT_WRITE:
            raise
        _drop_output()
        return _refused(f"the output can't be written: {error.strerror}")
    return code if isinstance(code, int) else 0


def _drop_output() -> None:
    """What is still to be written goes nowhere; the interpreter would complain at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _misused(error: Exception) -> int:
    """A wrong word on the command line. A command without any shows its help, which is no single line."""
    message = str(getattr(error, "format_message", lambda: error)())
    if type(error).__name__ == "NoArgsIsHelpError":
        sys.stderr.write(f"{message}\n")
        return 2
    return _refused(message)


def _refused(message: str) -> int:
    sys.stderr.write(f"turnfold: {' '.join(message.split())}\n")
    return 2
