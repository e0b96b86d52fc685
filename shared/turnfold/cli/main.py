"""Runs the command and turns errors into exit codes: 1 the command's own "no", 2 bad input, in one line."""

from __future__ import annotations

import errno
import sys
from collections.abc import Sequence

from turnfold.cli.streams import lead_nowhere, open_streams
from turnfold.errors import TurnfoldError

_CANT_WRITE = (errno.ENOSPC, errno.EIO, errno.EFBIG, errno.EDQUOT, errno.EBADF)


def main(arguments: Sequence[str] | None = None) -> None:
    """The console script; `arguments` in place of the command line's."""
    open_streams()
    sys.exit(_run(arguments))


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
    except OSError as error:
        if error.errno not in _CANT_WRITE:
            raise
        lead_nowhere(sys.stdout.fileno())
        return _refused(f"the output can't be written: {error.strerror}")
    return code if isinstance(code, int) else 0


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
