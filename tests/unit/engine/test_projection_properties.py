"""Whatever a history and whatever a policy: what is left is valid in every format, and comes back from each."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from tests.support.examples import many
from tests.unit.engine.promises import run_policy
from tests.unit.engine.random_policies import POLICIES
from tests.unit.engine.random_talk import HISTORIES
from tests.unit.engine.talk import Talk, refused_by_providers
from tests.unit.formats.validity import wrong_in_anthropic, wrong_in_responses
from turnfold.formats import format_named
from turnfold.index import MessageIndex
from turnfold.messages import Message

pytestmark = pytest.mark.property

CHAT, RESPONSES, ANTHROPIC = format_named("chat"), format_named("responses"), format_named("anthropic")


def left_of(messages: Talk, policy: dict[str, Any]) -> list[Message]:
    index = MessageIndex(messages)
    run_policy(index, policy)
    return index.projection()


@many()
@given(HISTORIES, POLICIES)
def test_what_a_policy_leaves_of_a_chat_is_a_chat(messages: Talk, policy: dict[str, Any]) -> None:
    left = left_of(messages, policy)

    written = CHAT.write(left)["messages"]

    assert refused_by_providers(written) is None
    assert CHAT.read(written) == left


@many()
@given(HISTORIES, POLICIES)
def test_what_a_policy_leaves_of_a_chat_is_valid_as_responses_items(messages: Talk, policy: dict[str, Any]) -> None:
    written = RESPONSES.write(left_of(messages, policy))["messages"]

    assert wrong_in_responses(written) == []
    assert RESPONSES.write(RESPONSES.read(written))["messages"] == written


@many()
@given(HISTORIES, POLICIES)
def test_what_a_policy_leaves_of_a_chat_is_valid_for_anthropic(messages: Talk, policy: dict[str, Any]) -> None:
    written = ANTHROPIC.write(left_of(messages, policy))

    assert wrong_in_anthropic(written) == []
    assert ANTHROPIC.write(ANTHROPIC.read(written)) == written
