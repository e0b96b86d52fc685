"""The adapter for pydantic-ai."""

from __future__ import annotations

import pytest

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed here: `make adapters` runs this")

from tests.adapters.behaviour import AdapterBehaviour
from tests.adapters.pydantic_ai.pydantic_talk import PydanticTalk


class TestPydanticAI(AdapterBehaviour):
    talk_class = PydanticTalk
    mends_its_history = True
