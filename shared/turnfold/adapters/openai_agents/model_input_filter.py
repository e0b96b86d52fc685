"""Long runs: what a run has added since it read its session, before each call of the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from agents.run_config import CallModelData, ModelInputData

from turnfold.adapters.following.history import History
from turnfold.adapters.following.passing_view import passing_view
from turnfold.adapters.openai_agents.items import items_of, messages_of, settled
from turnfold.errors import BadInput
from turnfold.policy import Policy


class ModelInputFilter(Protocol):
    """What `RunConfig(call_model_input_filter=…)` takes."""

    async def __call__(self, data: CallModelData[Any], /) -> ModelInputData: ...


def model_input_filter(policy: Policy | Mapping[str, Any] | None = None) -> ModelInputFilter:
    """A filter that runs a policy's steps that need no model on each call's input, in whole groups.

    Args:
        policy: a policy or its JSON; the default if not given. Its summarizations are left to workers.
    """
    chosen = policy if isinstance(policy, Policy) else Policy.default() if policy is None else Policy.parse(policy)

    async def filtered(data: CallModelData[Any], /) -> ModelInputData:
        given = data.model_data
        try:
            messages = messages_of(given.input)
        except BadInput:  # an item of a kind that can't be read: the input stays as it is
            return given
        known = settled(messages)
        shown = await passing_view(chosen, History.of(messages[:known]))
        items = items_of([*shown, *range(known, len(messages))], messages)
        return ModelInputData(input=items, instructions=given.instructions)

    return filtered
