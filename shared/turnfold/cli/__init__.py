"""The command `turnfold`."""

from turnfold.cli.main import main

__all__ = ["main"]
