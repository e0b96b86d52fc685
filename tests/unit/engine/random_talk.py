"""Random histories and policies that shrink: every shape of message, calls answered at once, late, twice or never."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.unit.engine.talk import (
    Talk,
    assistant,
    calling,
    legacy_call,
    legacy_result,
    reasoning,
    result,
    system,
    user,
)

IDS = ("a", "b", "c", "d")  # few, so that they are used again, also while they are open
LENGTHS = st.sampled_from((0, 4, 40, 400, 2000))
TEXTS = LENGTHS.map(lambda length: ("words and " * 200)[:length])

MESSAGES: st.SearchStrategy[dict[str, Any]] = st.one_of(
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


@st.composite
def turns_with_tools(draw: st.DrawFn) -> Talk:
    """A user, perhaps calls with their results, and an answer."""
    ids = draw(st.lists(st.sampled_from(IDS), max_size=3, unique=True))
    called: Talk = [calling(*ids), *(result(i, draw(TEXTS)) for i in draw(st.permutations(ids)))] if ids else []
    return [user(draw(TEXTS)), *called, assistant(draw(TEXTS))]


HISTORIES: st.SearchStrategy[Talk] = st.lists(
    st.one_of(MESSAGES.map(lambda message: [message]), turns_with_tools()), max_size=16
).map(lambda stretches: [message for stretch in stretches for message in stretch])

NUMBERS = st.integers(0, 12)
TOKENS = st.sampled_from((0, 1, 10, 50, 100, 500, 1000, 3000))
TRIGGERS: st.SearchStrategy[Any] = st.recursive(
    st.one_of(
        st.sampled_from(("always", "never", "has_tool_calls")),
        TOKENS.map(lambda n: {"tokens_exceed": n}),
        TOKENS.map(lambda n: {"tokens_below": n}),
        NUMBERS.map(lambda n: {"messages_exceed": n}),
        NUMBERS.map(lambda n: {"turns_exceed": n}),
        NUMBERS.map(lambda n: {"groups_exceed": n}),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=2).map(lambda parts: {"all": parts}),
        st.lists(inner, max_size=2).map(lambda parts: {"any": parts}),
        inner.map(lambda part: {"not": part}),
    ),
    max_leaves=3,
)
FLOORS = st.integers(0, 5)
FLAGS = st.booleans()


def _strategy(name: str, required: dict[str, Any] | None = None, **optional: Any) -> st.SearchStrategy[dict[str, Any]]:
    fields = {"strategy": st.just(name), **(required or {})}
    return st.fixed_dictionaries(fields, optional=optional)


_TRIGGERED = {"trigger": TRIGGERS}
_COMMON = {"target": TRIGGERS, "minimum_preserved": FLOORS}
_KEEP = {"keep_last_tool_call_groups": st.integers(0, 3)}
LEAVES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    _strategy("truncation", _TRIGGERED, preserve_system=FLAGS, **_COMMON),
    _strategy("truncation", {"max_messages": st.integers(3, 9), "compact_to": st.integers(1, 3)}, **_COMMON),
    _strategy("truncation", {"max_tokens": st.integers(100, 2000)}, preserve_system=FLAGS, minimum_preserved=FLOORS),
    _strategy("sliding_window", _TRIGGERED, preserve_system=FLAGS, **_COMMON),
    _strategy("sliding_window", {"keep_last_turns": st.integers(1, 4)}, preserve_system=FLAGS, **_COMMON),
    _strategy("sliding_window", {"keep_last_groups": st.integers(1, 8)}, preserve_system=FLAGS, **_COMMON),
    _strategy("tool_result", _TRIGGERED, style=st.sampled_from(("results", "calls")), **_KEEP, **_COMMON),
    _strategy("tool_result", _KEEP, max_result_chars=st.integers(1, 100), max_chars=st.integers(20, 200)),
    _strategy("selective_tool_call", _TRIGGERED, **_KEEP, **_COMMON),
    _strategy("selective_tool_call", _KEEP, **_COMMON),
    _strategy("summarization", {**_TRIGGERED, "max_summary_input_tokens": st.none()}, **_COMMON),
    _strategy(
        "summarization",
        {"target_count": st.integers(1, 6), "max_summary_input_tokens": st.none()},
        threshold=st.integers(0, 4),
        minimum_preserved=FLOORS,
    ),
)
BUDGETS = _strategy(
    "token_budget",
    {"token_budget": st.integers(1, 3000)},
    strategies=st.lists(LEAVES, max_size=3),
    early_stop=FLAGS,
)
WINDOWS = _strategy(
    "context_window",
    {"max_context_window_tokens": st.integers(100, 3000), "max_output_tokens": st.integers(0, 50)},
    summarization_threshold=st.sampled_from((0.5, 0.6, 0.8)),
    minimum_preserved=FLOORS,
)
PIPELINES = _strategy("pipeline", {"strategies": st.lists(st.one_of(LEAVES, BUDGETS, WINDOWS), max_size=4)})
POLICIES = st.one_of(LEAVES, BUDGETS, WINDOWS, PIPELINES)
