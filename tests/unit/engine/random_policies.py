"""Random policies that shrink."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

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

# What only ever stops holding as groups go, and what only ever begins to.
FALLING: st.SearchStrategy[Any] = st.one_of(
    TOKENS.map(lambda n: {"tokens_exceed": n}),
    NUMBERS.map(lambda n: {"messages_exceed": n}),
    NUMBERS.map(lambda n: {"turns_exceed": n}),
    NUMBERS.map(lambda n: {"groups_exceed": n}),
    st.just("has_tool_calls"),
)
RISING: st.SearchStrategy[Any] = st.one_of(
    TOKENS.map(lambda n: {"tokens_below": n}), FALLING.map(lambda trigger: {"not": trigger}), st.just("never")
)
_FALLING = {"trigger": FALLING}
_RISING = {"target": RISING, "minimum_preserved": FLOORS}
# Pipelines of steps that start and stop with the counts falling: such a one is done when it has run once.
DECREASING = _strategy(
    "pipeline",
    {
        "strategies": st.lists(
            st.one_of(
                _strategy("truncation", _FALLING, preserve_system=FLAGS, **_RISING),
                _strategy("sliding_window", _FALLING, preserve_system=FLAGS, **_RISING),
                _strategy("tool_result", _FALLING, **_KEEP, **_RISING),
                _strategy("selective_tool_call", _FALLING, **_KEEP, **_RISING),
                BUDGETS,
                WINDOWS,
            ),
            max_size=4,
        )
    },
)
