"""Conversations in the providers' formats, whole and by chance."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

Item = dict[str, Any]


def said(role: str, text: str, **fields: Any) -> Item:
    return {"type": "message", "role": role, "content": text, **fields}


def thought(number: str = "1", *, encrypted: bool = True) -> Item:
    item: Item = {
        "type": "reasoning",
        "id": f"rs_{number}",
        "summary": [{"type": "summary_text", "text": "Look first."}],
    }
    return item | ({"encrypted_content": "gAAAA" * 20} if encrypted else {})


def call(call_id: str, name: str = "look", **fields: Any) -> Item:
    return {
        "type": "function_call",
        "id": f"fc_{call_id}",
        "call_id": call_id,
        "name": name,
        "arguments": "{}",
    } | fields


def output(call_id: str, text: Any = "found") -> Item:
    return {"type": "function_call_output", "call_id": call_id, "output": text}


def text(said: str, **fields: Any) -> Item:
    return {"type": "text", "text": said, **fields}


def thinking(said: str = "hm") -> Item:
    return {"type": "thinking", "thinking": said, "signature": "c2lnbmVk"}


def use(call_id: str, name: str = "look", **given: Any) -> Item:
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def result(call_id: str, content: Any = "found", **fields: Any) -> Item:
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **fields}


def user(*content: Any) -> Item:
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else list(content)}


def assistant(*content: Any) -> Item:
    return {"role": "assistant", "content": content[0] if isinstance(content[0], str) else list(content)}


WORDS = st.text(min_size=1, max_size=30).filter(lambda said: bool(said.strip()))


@st.composite
def responses_talk(draw: st.DrawFn) -> list[Item]:
    """Turns as the API gives them: reasoning, text, calls, and the outputs of all of them."""
    items: list[Item] = []
    for turn in range(draw(st.integers(1, 5))):
        items.append(said("user", draw(WORDS)))
        for step in range(draw(st.integers(0, 3))):
            name = f"{turn}_{step}"
            calls = [call(f"c{name}_{n}") for n in range(draw(st.integers(1, 3)))]
            items += [thought(name)] * draw(st.integers(0, 1))
            items += calls
            items += [output(one["call_id"], draw(WORDS)) for one in draw(st.permutations(calls))]
        if draw(st.booleans()):
            items.append(said("assistant", draw(WORDS), id=f"msg_{turn}", status="completed"))
    return items


@st.composite
def anthropic_talk(draw: st.DrawFn) -> list[Item]:
    """Messages that take turns, a user's first and last."""
    messages: list[Item] = [user(draw(WORDS))]
    for turn in range(draw(st.integers(0, 6))):
        said_first = [thinking()] * draw(st.integers(0, 1)) + [text(draw(WORDS))] * draw(st.integers(0, 1))
        uses = [use(f"t{turn}_{n}", q=draw(WORDS)) for n in range(draw(st.integers(0, 3)))]
        blocks = [*said_first, *uses]
        if not blocks or blocks[-1]["type"] == "thinking":
            blocks.append(text("well"))
        answers: list[Item] = [result(one["id"], draw(WORDS), is_error=draw(st.booleans())) for one in uses]
        if not answers or draw(st.booleans()):
            answers.append(text(draw(WORDS), cache_control={"type": "ephemeral"}))
        messages += [assistant(*blocks), user(*answers)]
    return messages
