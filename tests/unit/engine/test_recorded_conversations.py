"""Recorded conversations through every strategy and every format: nothing breaks, and every promise holds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.conversations import VARIABLE, conversations, files
from tests.unit.engine.promises import check, run_strategy
from tests.unit.engine.talk import refused_by_providers, snapshot
from tests.unit.formats.validity import wrong_in_anthropic, wrong_in_responses
from turnfold.formats import FORMATS, format_named
from turnfold.index import MessageIndex
from turnfold.messages import Message
from turnfold.policy import DEFAULT_POLICY, Policy
from turnfold.summaries.extractive import ExtractiveSummarizer

UNBOUNDED = {"max_summary_input_tokens": None}
# A summary reads so much at a time: these go on where their first run ended.
IN_SEVERAL_RUNS = ("context_window", "pipeline")
# From a conversation's tokens to a policy that has something to do on it.
POLICIES: dict[str, Callable[[int], dict[str, Any]]] = {
    "truncation": lambda tokens: {"strategy": "truncation", "max_tokens": tokens // 2 + 1},
    "truncation of messages": lambda _tokens: {"strategy": "truncation", "max_messages": 12, "preserve_system": False},
    "sliding_window of turns": lambda _tokens: {"strategy": "sliding_window", "keep_last_turns": 2},
    "sliding_window of groups": lambda _tokens: {"strategy": "sliding_window", "keep_last_groups": 7},
    "tool_result": lambda _tokens: {"strategy": "tool_result", "keep_last_tool_call_groups": 1},
    "selective_tool_call": lambda _tokens: {"strategy": "selective_tool_call", "keep_last_tool_call_groups": 0},
    "summarization": lambda tokens: {
        "strategy": "summarization",
        "trigger": {"tokens_exceed": tokens // 2},
        **UNBOUNDED,
    },
    "token_budget": lambda tokens: {
        "strategy": "token_budget",
        "token_budget": tokens // 3 + 1,
        "strategies": [
            {"strategy": "tool_result", "trigger": "always"},
            {"strategy": "summarization", **UNBOUNDED},
        ],
    },
    "context_window": lambda tokens: {
        "strategy": "context_window",
        "max_context_window_tokens": tokens + 2,
        "max_output_tokens": 1,
        "summarization_threshold": 0.7,
    },
    "pipeline": lambda _tokens: {**DEFAULT_POLICY, "tokenizer": "estimate"},
}
REFUSED: dict[str, Callable[[Mapping[str, Any]], object]] = {
    "chat": lambda written: refused_by_providers(written["messages"]),
    "responses": lambda written: wrong_in_responses(written["messages"]),
    "anthropic": wrong_in_anthropic,
}


NONE = pytest.mark.skip(reason=f"{VARIABLE} does not name a folder with conversations")
CASES = [
    pytest.param(file, name, format_name, id=f"{file.stem}-{name}-{format_name}")
    for file in files()
    for name in POLICIES
    for format_name in FORMATS
] or [pytest.param(Path(), "", "", marks=NONE)]


def read_in(format_name: str, conversation: Sequence[Message]) -> list[Message]:
    """The conversation as it is read from a client of that format."""
    one = format_named(format_name)
    return list(conversation) if format_name == "chat" else one.read(_input(one.write(conversation)))


def _input(written: dict[str, Any]) -> Any:
    return written if "system" in written else written["messages"]


@pytest.mark.timeout(600)
@pytest.mark.parametrize(("file", "name", "format_name"), CASES)
def test_every_promise_holds_on_every_conversation(file: Path, name: str, format_name: str) -> None:
    for number, conversation in enumerate(conversations(file)):
        messages = read_in(format_name, conversation)
        index = MessageIndex(messages)
        strategy = Policy.parse(POLICIES[name](index.all.tokens)).strategy

        run_strategy(index, strategy, ExtractiveSummarizer())

        check(index, messages)
        assert not REFUSED[format_name](format_named(format_name).write(index.projection())), f"{file.name}:{number}"
        if name not in IN_SEVERAL_RUNS:
            once = snapshot(index)
            assert not run_strategy(index, strategy, ExtractiveSummarizer())
            assert snapshot(index) == once
