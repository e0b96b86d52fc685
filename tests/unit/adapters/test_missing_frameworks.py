"""An adapter without its framework says what to install."""

from __future__ import annotations

import importlib
import importlib.util

import pytest

EXTRAS = {
    "openai_agents": ("agents", "openai-agents"),
    "agent_framework": ("agent_framework", "agent-framework"),
    "langchain": ("langchain", "langchain"),
    "pydantic_ai": ("pydantic_ai", "pydantic-ai"),
}


@pytest.mark.parametrize("name", EXTRAS)
def test_an_adapter_without_its_framework_says_what_to_install(name: str) -> None:
    module, extra = EXTRAS[name]
    if importlib.util.find_spec(module) is not None:
        pytest.skip(f"{module} is installed here")
    with pytest.raises(ImportError, match=rf"pip install 'turnfold\[{extra}\]'"):
        importlib.import_module(f"turnfold.adapters.{name}")
