"""What to install for an adapter whose framework is not there."""

from __future__ import annotations


def missing_extra(error: ModuleNotFoundError, extra: str) -> ImportError:
    """The error to raise in place of `error`."""
    return ImportError(f"{error.name} is not installed: pip install 'turnfold[{extra}]'", name=error.name)
