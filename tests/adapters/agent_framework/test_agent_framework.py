"""The adapter for the Agent Framework."""

from __future__ import annotations

import pytest

pytest.importorskip("agent_framework", reason="agent-framework is not installed here: `make adapters` runs this")

from tests.adapters.agent_framework.framework_talk import FrameworkTalk
from tests.adapters.behaviour import AdapterBehaviour

# The provider that the tests keep histories in says so of itself.
pytestmark = pytest.mark.filterwarnings("ignore:.*FileHistoryProvider is experimental")


class TestAgentFramework(AdapterBehaviour):
    talk_class = FrameworkTalk
