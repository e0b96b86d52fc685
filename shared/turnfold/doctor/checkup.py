"""All checks, in the order in which they are told."""

from __future__ import annotations

from turnfold.doctor.broker_check import broker_checks
from turnfold.doctor.check import Check
from turnfold.doctor.model_check import model_check
from turnfold.doctor.store_check import store_checks
from turnfold.doctor.versions import version_check
from turnfold.errors import BadInput
from turnfold.settings import Settings
from turnfold.wiring import build_policy


async def checkup(settings: Settings) -> list[Check]:
    """What was found with these settings. It changes nothing, and asks nothing that costs anything."""
    store, broker = await store_checks(settings), await broker_checks(settings)
    return [*store, *broker, version_check(), await model_check(settings), _policy_check(settings)]


def _policy_check(settings: Settings) -> Check:
    try:
        policy = build_policy(settings)
    except BadInput as error:
        return Check("policy", "the policy can't be used", f"{error.path} {error.message}")
    where = "of TURNFOLD_POLICY" if settings.policy else "the default one"
    return Check("policy", f"{where}, counted by {policy.tokenizer_name}")
