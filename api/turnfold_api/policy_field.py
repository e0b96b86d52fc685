"""A policy within a body."""

from __future__ import annotations

from typing import Any

from turnfold.errors import PolicyError
from turnfold.policy import Policy

FIELD = "policy"


def parse_policy(value: Any) -> Policy:
    """
    Raises:
        PolicyError: with the path from the body's top: `policy.strategies[0].trigger`.
    """
    try:
        return Policy.parse(value)
    except PolicyError as error:
        path = error.path if error.path in ("", FIELD) else f"{FIELD}.{error.path}"
        raise PolicyError(path or FIELD, error.message) from None
