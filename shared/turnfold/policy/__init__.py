"""Policies: strategies written as JSON, so that API, library and workers share them."""

from turnfold.policy.default import DEFAULT_POLICY
from turnfold.policy.policy import Policy

__all__ = ["DEFAULT_POLICY", "Policy"]
