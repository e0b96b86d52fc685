"""Random messages that shrink: every shape that the chat format knows, fields that nobody knows among them."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.unit.engine.talk import (
    assistant,
    calling,
    legacy_call,
    legacy_result,
    reasoning,
    result,
    system,
    user,
)

Messages = st.SearchStrategy[dict[str, Any]]

IDS = ("a", "b", "c", "d")  # few, so that they are used again, also while they are open
LENGTHS = st.sampled_from((0, 4, 40, 400, 2000))
TEXTS = LENGTHS.map(lambda length: ("words and " * 200)[:length])
ODD_TEXTS = st.one_of(TEXTS, st.text(max_size=20), st.sampled_from(("\ud83d", "[Summary]\nno", "<|endoftext|>", " \n")))

_PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB"


def _texts(texts: st.SearchStrategy[str]) -> Messages:
    return texts.map(lambda text: {"type": "text", "text": text})


MEDIA: Messages = st.sampled_from(
    (
        {"type": "image_url", "image_url": {"url": _PIXEL}},
        {"type": "image_url", "image_url": {"url": "https://example.test/cat.png", "detail": "low"}},
        {"type": "input_audio", "input_audio": {"data": "AAAA", "format": "wav"}},
        {"type": "file", "file": {"file_id": "file-1"}},
        {"type": "file", "file": {"filename": "a.pdf", "file_data": "data:application/pdf;base64,AAAA"}},
        {"type": "hologram", "hologram": {"depth": 3}},
    )
)
THOUGHTS: Messages = st.sampled_from(
    (
        {"type": "thinking", "thinking": "hm", "signature": "c2lnbmVk"},
        {"type": "thinking", "thinking": "hm"},
        {"type": "redacted_thinking", "data": "xx"},
    )
)
HOSTED_CALLS: Messages = st.sampled_from(
    (
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"q": "x"}},
        {"type": "web_search_call", "name": "web", "text": "found"},
    )
)
USER_CONTENTS: st.SearchStrategy[Any] = st.one_of(
    ODD_TEXTS,
    st.lists(st.one_of(_texts(ODD_TEXTS), MEDIA), max_size=3),
)
ASSISTANT_CONTENTS: st.SearchStrategy[Any] = st.one_of(
    ODD_TEXTS,
    st.none(),
    st.lists(
        st.one_of(_texts(ODD_TEXTS), THOUGHTS, TEXTS.map(lambda text: {"type": "refusal", "refusal": text})),
        max_size=3,
    ),
)
# What may stand beside the content; the last two are known to nobody.
EXTRAS: Messages = st.fixed_dictionaries(
    {},
    optional={
        "name": st.just("ada"),
        "id": st.sampled_from(("m1", "m2")),
        "cache_control": st.just({"type": "ephemeral"}),
        "x_trace": st.just([1, None, {"deep": 10**20}]),
    },
)
MODEL_EXTRAS: Messages = st.fixed_dictionaries(
    {},
    optional={
        "refusal": st.one_of(st.none(), TEXTS),
        "audio": st.just({"id": "audio-1", "transcript": "spoken words"}),
        "reasoning_content": TEXTS,
        "reasoning": TEXTS,
        "reasoning_details": st.just([{"type": "reasoning.encrypted", "data": "xx", "format": "f"}]),
        "annotations": st.just([]),
    },
)


def _joined(*parts: dict[str, Any]) -> dict[str, Any]:
    return {name: value for part in parts for name, value in part.items()}


@st.composite
def assistants(draw: st.DrawFn) -> dict[str, Any]:
    """What a model says, thinks, or leaves empty, without a call."""
    return _joined({"role": "assistant", "content": draw(ASSISTANT_CONTENTS)}, draw(MODEL_EXTRAS), draw(EXTRAS))


@st.composite
def calls(draw: st.DrawFn) -> dict[str, Any]:
    """Calls of all kinds in one message; an id may stand in it twice."""
    made = [
        draw(
            st.sampled_from(
                (
                    {"id": call_id, "type": "function", "function": {"name": "look", "arguments": '{"q": "x"}'}},
                    {"id": call_id, "type": "function", "function": {"name": "look", "arguments": {"q": "x"}}},
                    {"id": call_id, "type": "function", "function": {"name": "bad name!", "arguments": "{"}},
                    {"id": call_id, "type": "custom", "custom": {"name": "shell", "input": "ls -l"}},
                )
            )
        )
        for call_id in draw(st.lists(st.sampled_from(IDS), min_size=1, max_size=3))
    ]
    legacy = draw(st.sampled_from(({}, {}, {}, {"function_call": {"name": "old", "arguments": "{}"}})))
    said = {"role": "assistant", "content": draw(ASSISTANT_CONTENTS), "tool_calls": made}
    return _joined(said, legacy, draw(MODEL_EXTRAS))


@st.composite
def hosted_calls(draw: st.DrawFn) -> dict[str, Any]:
    """A tool that the provider ran: call and result are parts of one message."""
    parts = draw(st.lists(st.one_of(_texts(TEXTS), HOSTED_CALLS, THOUGHTS), max_size=2))
    return {"role": "assistant", "content": [*parts, draw(HOSTED_CALLS)]}


@st.composite
def results(draw: st.DrawFn) -> dict[str, Any]:
    """An answer to a call, or to none."""
    content = draw(st.one_of(ODD_TEXTS, st.lists(_texts(TEXTS), max_size=2), st.none()))
    answer = {"role": "tool", "tool_call_id": draw(st.sampled_from((*IDS, *IDS, "nobody"))), "content": content}
    return _joined(answer, draw(EXTRAS))


@st.composite
def users(draw: st.DrawFn) -> dict[str, Any]:
    """What a user says and shows."""
    return _joined({"role": "user", "content": draw(USER_CONTENTS)}, draw(EXTRAS))


@st.composite
def systems(draw: st.DrawFn) -> dict[str, Any]:
    """An instruction, by either name of its role."""
    content = draw(st.one_of(TEXTS, st.lists(_texts(TEXTS), max_size=2)))
    return {"role": draw(st.sampled_from(("system", "developer"))), "content": content}


PLAIN: Messages = st.one_of(
    TEXTS.map(user),
    TEXTS.map(assistant),
    TEXTS.map(system),
    st.lists(st.sampled_from(IDS), min_size=1, max_size=3, unique=True).map(lambda ids: calling(*ids)),
    st.tuples(st.sampled_from((*IDS, "nobody")), TEXTS).map(lambda said: result(*said)),
    st.tuples(st.sampled_from(IDS), TEXTS).map(lambda said: result(*said)),
    st.just(reasoning()),
    st.just(legacy_call()),
    TEXTS.map(legacy_result),
)
ODD: Messages = st.one_of(users(), assistants(), calls(), hosted_calls(), results(), systems())
MESSAGES: Messages = st.one_of(PLAIN, ODD)
