"""What holds for every history, every policy and every number of runs."""

from __future__ import annotations

import asyncio
import json
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.engine.promises import check
from tests.unit.engine.random_talk import HISTORIES, POLICIES
from tests.unit.engine.talk import ScriptedSummarizer, Talk, refused_by_providers, user
from turnfold import AgentSession
from turnfold.compaction.run import CompactionRun
from turnfold.history.compaction_view import CompactionView, read_view, write_view
from turnfold.history.conversation import Conversation
from turnfold.policy import Policy

quick = settings(max_examples=150, deadline=None)


def compacted(conversation: Conversation, policy: dict[str, Any]) -> None:
    run = CompactionRun(summarizer=ScriptedSummarizer("They spoke of words."))
    asyncio.run(conversation.compact(Policy.parse(policy).strategy, run=run))


def stored(view: CompactionView) -> CompactionView:
    """As a session gives it back from any store of JSON."""
    session = AgentSession()
    write_view(session.state_of("compaction"), view)
    back = AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))
    return read_view(back.state["compaction"])


@quick
@given(HISTORIES, POLICIES)
def test_the_next_run_begins_with_what_this_one_ended_with(messages: Talk, policy: dict[str, Any]) -> None:
    conversation = Conversation(messages)
    compacted(conversation, policy)

    again = Conversation(messages, view=stored(conversation.view()))

    assert again.projection() == conversation.projection()
    assert again.index.included == conversation.index.included
    assert stored(again.view()) == stored(conversation.view())


@quick
@given(st.lists(HISTORIES, min_size=1, max_size=4), POLICIES)
def test_run_after_run_every_message_is_shown_hidden_or_covered_and_pairs_stay_whole(
    turns: list[Talk], policy: dict[str, Any]
) -> None:
    messages: Talk = []
    view = CompactionView()
    for turn in turns:
        messages = [*messages, *turn]
        conversation = Conversation(messages, view=view)
        compacted(conversation, policy)
        check(conversation.index, messages)
        assert refused_by_providers(conversation.projection()) is None
        view = stored(conversation.view())


@quick
@given(HISTORIES, HISTORIES, POLICIES)
def test_a_history_that_grows_within_a_run_is_the_same_as_one_that_is_read_whole(
    messages: Talk, more: Talk, policy: dict[str, Any]
) -> None:
    whole, grown = Conversation([*messages, *more]), Conversation(messages)
    grown.append(more)
    for conversation in (whole, grown):
        compacted(conversation, policy)
    assert whole.projection() == grown.projection()


@quick
@given(HISTORIES, POLICIES, st.integers(1, 16))
def test_on_the_end_of_a_history_a_view_of_the_whole_hides_nothing(
    messages: Talk, policy: dict[str, Any], start: int
) -> None:
    whole = [user("The very first."), *messages]
    conversation = Conversation(whole)
    compacted(conversation, policy)
    end = Conversation(whole[start:], view=stored(conversation.view()))
    assert end.projection() == Conversation(whole[start:]).projection()


@quick
@given(HISTORIES, POLICIES)
def test_what_a_projection_holds_is_known_again_when_it_is_a_history_itself(
    messages: Talk, policy: dict[str, Any]
) -> None:
    conversation = Conversation(messages)
    compacted(conversation, policy)
    projection = conversation.projection()
    again = Conversation(projection)
    assert again.projection() == projection
    made = [group for group in conversation.index.made_groups if group.included]
    assert len(again.index.made_groups) == len(made)
