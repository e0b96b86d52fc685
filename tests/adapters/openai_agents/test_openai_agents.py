"""The adapter for openai-agents."""

from __future__ import annotations

import pytest

pytest.importorskip("agents", reason="openai-agents is not installed here: `make adapters` runs this")

from tests.adapters.behaviour import AdapterBehaviour
from tests.adapters.openai_agents.openai_talk import OpenAITalk


class TestOpenAIAgents(AdapterBehaviour):
    talk_class = OpenAITalk
