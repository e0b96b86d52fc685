"""A policy given on the command line, or in a setting: a file, or JSON itself."""

from __future__ import annotations

from pathlib import Path

from turnfold import jsonio
from turnfold.errors import PolicyError
from turnfold.policy import Policy


def policy_from_argument(text: str) -> Policy:
    """
    Raises:
        PolicyError: naming the path of what is wrong, or the file that can't be read.
    """
    if names_a_file(text):
        text = _of_file(text)
    try:
        return Policy.parse(jsonio.loads(text))
    except PolicyError:
        raise
    except ValueError as error:
        raise PolicyError("policy", f"is not JSON: {error}") from None


def names_a_file(text: str) -> bool:
    """Whether it is no JSON that a policy, or something like one, could be."""
    return not text.lstrip().startswith(("{", "[", '"'))


def _of_file(name: str) -> str:
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise PolicyError("policy", f"is neither JSON nor a file that can be read: {name} ({error})") from None
