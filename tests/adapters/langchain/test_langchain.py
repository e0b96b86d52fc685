"""The adapter for LangChain and LangGraph."""

from __future__ import annotations

import pytest

pytest.importorskip("langchain", reason="langchain is not installed here: `make adapters` runs this")

from tests.adapters.behaviour import AdapterBehaviour
from tests.adapters.langchain.langchain_talk import LangChainTalk


class TestLangChain(AdapterBehaviour):
    talk_class = LangChainTalk
