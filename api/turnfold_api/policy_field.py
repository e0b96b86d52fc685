"""A policy within a body."""

from __future__ import annotations

from typing import Any

from turnfold.allowed_models import AllowedModels
from turnfold.errors import PolicyError
from turnfold.policy import Policy

FIELD = "policy"


def parse_policy(value: Any, *, allowed: AllowedModels | None = None) -> Policy:
    """A policy, whose summaries are written by models that are `allowed`.

    Raises:
        PolicyError: with the path from the body's top: `policy.strategies[0].trigger`.
    """
    try:
        policy = Policy.parse(value)
        if allowed is not None:
            allowed.check_policy(policy)
        return policy
    except PolicyError as error:
        path = error.path if error.path in ("", FIELD) else f"{FIELD}.{error.path}"
        raise PolicyError(path or FIELD, error.message) from None
