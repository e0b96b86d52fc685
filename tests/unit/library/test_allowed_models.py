"""Which models a policy may name."""

from __future__ import annotations

from typing import Any

import pytest

from turnfold.allowed_models import allowed_models
from turnfold.errors import PolicyError
from turnfold.policy import Policy
from turnfold.settings import Settings

FOLD: dict[str, Any] = {"strategy": "summarization", "model": "dear"}
IN_A_PIPELINE: dict[str, Any] = {
    "strategy": "pipeline",
    "strategies": [{"strategy": "sliding_window", "keep_last_turns": 9}, FOLD],
}


@pytest.mark.parametrize(("policy", "path"), [(FOLD, "model"), (IN_A_PIPELINE, "strategies[1].model")])
def test_one_that_is_not_allowed_is_named_with_those_that_are(policy: dict[str, Any], path: str) -> None:
    allowed = allowed_models(Settings(allowed_models="cheap, small", summary_model="own"))

    with pytest.raises(PolicyError, match="'dear' is not allowed here; allowed: cheap, own, small") as refused:
        allowed.check_policy(Policy.parse(policy))

    assert refused.value.path == path


@pytest.mark.parametrize("settings", [{}, {"allowed_models": "dear"}, {"allowed_models": "x", "summary_model": "dear"}])
def test_without_a_list_all_are_and_the_summarizers_own_always_is(settings: dict[str, str]) -> None:
    allowed_models(Settings(**settings)).check_policy(Policy.parse(FOLD))


def test_a_policy_that_names_none_is_allowed() -> None:
    allowed_models(Settings(allowed_models="x")).check_policy(Policy.parse({"strategy": "summarization"}))
