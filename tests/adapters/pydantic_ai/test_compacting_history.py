"""What the capability does beyond turns: prompts, parts of messages, other forms of content."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason="pydantic-ai is not installed here: `make adapters` runs this")

from pydantic_ai import Agent, BinaryContent, ImageUrl, RunContext
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import FunctionModel

from tests.adapters.behaviour import POLICY
from tests.adapters.pydantic_ai.pydantic_talk import PydanticTalk, lookup, told_by
from tests.adapters.talk import told_in, turn
from tests.support.sessions import Desk
from turnfold.adapters.following.lines import assembled
from turnfold.adapters.pydantic_ai import CompactingHistory
from turnfold.adapters.pydantic_ai.reading import input_tokens_of, lines_of
from turnfold.adapters.pydantic_ai.writing import made_message, shown_message
from turnfold.sessions.memory_store import MemoryStore


@pytest.fixture
def desk() -> Desk:
    return Desk(MemoryStore(), POLICY)


async def sessions_of(desk: Desk) -> list[str]:
    return sorted(name for _, name in await desk.store.list_sessions("default", None, 100))


def agent_of(talk: PydanticTalk, desk: Desk, **settings: Any) -> Agent[None, str]:
    capability = CompactingHistory[None](desk.service)
    return Agent(FunctionModel(talk._respond), tools=[lookup], capabilities=[capability], **settings)


async def test_the_session_is_that_of_the_conversation(desk: Desk, tmp_path: Any) -> None:
    agent = agent_of(PydanticTalk(tmp_path, None), desk)
    first = await agent.run(turn(1))
    await agent.run(turn(2), message_history=first.all_messages())
    (name,) = await sessions_of(desk)
    assert name == first.all_messages()[0].conversation_id


async def test_a_prompt_that_is_worked_out_anew_each_run_begins_no_branch(desk: Desk, tmp_path: Any) -> None:
    talk = PydanticTalk(tmp_path, None)
    agent = agent_of(talk, desk)
    runs: list[None] = []

    @agent.system_prompt(dynamic=True)
    def prompt(ctx: RunContext[None]) -> str:
        runs.append(None)
        return f"This is run {len(runs)}."

    history: Any = None
    for number in range(1, 6):
        result = await agent.run(turn(number), message_history=history, conversation_id="user-42")
        history = result.all_messages()
        await desk.work()

    system, summary, *_ = talk.seen[-1]
    assert system.text == f"This is run {len(runs)}."
    assert summary.text.startswith("[Summary]")
    assert await sessions_of(desk) == ["user-42"]


async def test_instructions_are_no_part_of_the_history(desk: Desk, tmp_path: Any) -> None:
    talk = PydanticTalk(tmp_path, None)
    for instructions in ("Be brief.", "Be long."):
        agent = agent_of(talk, desk, instructions=instructions)
        await agent.run(turn(1), conversation_id="user-42")
    assert await sessions_of(desk) == ["user-42"]


async def test_messages_of_the_run_stay_as_they_are(desk: Desk, tmp_path: Any) -> None:
    talk = PydanticTalk(tmp_path, None)
    agent = agent_of(talk, desk)
    history: Any = None
    for number in range(1, 6):
        result = await agent.run(turn(number), message_history=history, conversation_id="user-42")
        history = result.all_messages()
        assert told_by(result.new_messages()) == told_in([number])
        await desk.work()
    assert talk.seen[-1][0].text.startswith("[Summary]")
    assert told_by(history) == told_in(range(1, 6))


async def test_a_history_of_before_can_be_followed_ahead_of_its_first_turn(desk: Desk, tmp_path: Any) -> None:
    talk = PydanticTalk(tmp_path, None)
    for number in range(1, 6):
        await talk.say(turn(number))
    capability = CompactingHistory[None](desk.service)
    await capability.follow("user-42", talk._kept())
    assert await desk.work() > 0
    followed = PydanticTalk(tmp_path, desk.service)
    await followed.say(turn(6))
    assert followed.seen[0][0].text.startswith("[Summary]")


# Deprecated, and in histories that were stored before.
@pytest.mark.filterwarnings("ignore:`RetryPromptPart` is deprecated")
def test_each_part_of_a_request_is_a_message_and_a_response_is_one() -> None:
    messages: list[Any] = [
        ModelRequest(parts=[SystemPromptPart("Be brief."), UserPromptPart("Find it.")]),
        ModelResponse(parts=[ThinkingPart("Hm."), TextPart("I look."), ToolCallPart("f", {"a": 1}, tool_call_id="c1")]),
        ModelRequest(parts=[ToolReturnPart("f", {"b": 2}, tool_call_id="c1"), UserPromptPart("And?")]),
        ModelRequest(parts=[RetryPromptPart("No.", tool_name="f", tool_call_id="c2"), RetryPromptPart("Again.")]),
        ModelRequest(parts=[]),
    ]
    lines = lines_of(messages)
    assert [(line.message["role"], line.at, line.parts) for line in lines] == [
        ("system", 0, (0,)),
        ("user", 0, (1,)),
        ("assistant", 1, (0, 1, 2)),
        ("tool", 2, (0,)),
        ("user", 2, (1,)),
        ("tool", 3, (0,)),
        ("user", 3, (1,)),
        ("user", 4, ()),
    ]
    assert lines[2].message == {
        "role": "assistant",
        "content": "I look.",
        "reasoning_content": "Hm.",
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}],
    }
    assert lines[3].message["content"] == '{"b":2}'


def test_of_a_message_that_is_shown_in_part_the_other_parts_are_left_out() -> None:
    messages: list[Any] = [
        ModelRequest(parts=[ToolReturnPart("f", "x", tool_call_id="c1"), UserPromptPart("And?")]),
        ModelResponse(parts=[TextPart("Yes.")]),
    ]
    shown = assembled(
        [1, 2],
        lines_of(messages),
        part_of=lambda at, parts: shown_message(messages[at], parts),
        made=made_message,
    )
    assert [part.part_kind for part in shown[0].parts] == ["user-prompt"]
    assert shown[1] is messages[1]
    assert len(messages[0].parts) == 2


def test_images_and_files_are_read_as_such() -> None:
    picture = BinaryContent(b"\x89PNG", media_type="image/png")
    paper = BinaryContent(b"%PDF", media_type="application/pdf")
    prompt = UserPromptPart(["Look.", picture, ImageUrl("https://example.com/a.png"), paper])
    (line,) = lines_of([ModelRequest(parts=[prompt])])
    assert [part["type"] for part in line.message["content"]] == ["text", "image_url", "image_url", "file"]


async def test_reported_usage_is_read(desk: Desk, tmp_path: Any) -> None:
    agent = agent_of(PydanticTalk(tmp_path, None), desk)
    messages = (await agent.run(turn(1), conversation_id="user-42")).all_messages()
    lines = lines_of(messages)
    (call, answer) = (at for at, message in enumerate(messages) if isinstance(message, ModelResponse))
    told = [line.at for line in (lines[place] for place in input_tokens_of(messages, lines))]
    assert told == [call, answer]
