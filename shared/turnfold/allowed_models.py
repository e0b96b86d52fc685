"""Which models a session's policy, or a rebuild, may have its summaries written by."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from turnfold import jsonio
from turnfold.errors import BadInput, PolicyError
from turnfold.policy import Policy
from turnfold.settings import Settings


@dataclass(frozen=True, slots=True)
class AllowedModels:
    """
    Attributes:
        names: the models that may be named; none: any.
    """

    names: frozenset[str] = frozenset()

    def has(self, model: str | None) -> bool:
        """Whether the model may be named; naming none is always allowed."""
        return not model or not self.names or model in self.names

    def check(self, path: str, model: str | None) -> None:
        """
        Raises:
            BadInput: the model at this path may not be named.
        """
        if not self.has(model):
            raise BadInput(path, self._refusal(model))

    def check_policy(self, policy: Policy) -> None:
        """
        Raises:
            PolicyError: naming the path of a model that may not be named.
        """
        for path, model in _models(jsonio.loads(policy.json), ""):
            if not self.has(model):
                raise PolicyError(path, self._refusal(model))

    def _refusal(self, model: str | None) -> str:
        return f"{model!r} is not allowed here; allowed: {', '.join(sorted(self.names))}"


def allowed_models(settings: Settings) -> AllowedModels:
    """Those of the settings; the summarizer's own models are among them."""
    named = {name for part in settings.allowed_models.split(",") if (name := part.strip())}
    own = {name for name in (settings.summary_model, settings.summary_fallback_model) if name}
    return AllowedModels(frozenset(named | own) if named else frozenset())


def _models(strategy: dict[str, Any], path: str) -> Iterator[tuple[str, str]]:
    """The path and the name of each model in a checked policy."""
    if model := strategy.get("model"):
        yield f"{path}model", model
    for number, child in enumerate(strategy.get("strategies", ())):
        yield from _models(child, f"{path}strategies[{number}].")
