"""Where people read what a command prints."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

# Wider than any line.
UNBOUNDED = 10_000


def open_screen() -> Console:
    """As wide as the terminal; what goes to a file or a program is not cut to the width of a screen."""
    from rich.console import Console

    screen = Console()
    return screen if screen.is_terminal else Console(width=UNBOUNDED)
