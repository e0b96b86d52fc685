"""Random histories that shrink: calls answered at once, late, twice or never. `POLICIES` to go with them."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.unit.engine.random_messages import IDS, MESSAGES, TEXTS
from tests.unit.engine.random_policies import POLICIES
from tests.unit.engine.talk import Talk, assistant, calling, result, user

__all__ = ["HISTORIES", "POLICIES", "turns_with_tools"]


@st.composite
def turns_with_tools(draw: st.DrawFn) -> Talk:
    """A user, perhaps calls with their results, and an answer."""
    ids = draw(st.lists(st.sampled_from(IDS), max_size=3, unique=True))
    called: Talk = [calling(*ids), *(result(i, draw(TEXTS)) for i in draw(st.permutations(ids)))] if ids else []
    return [user(draw(TEXTS)), *called, assistant(draw(TEXTS))]


HISTORIES: st.SearchStrategy[Talk] = st.lists(
    st.one_of(MESSAGES.map(lambda message: [message]), turns_with_tools()), max_size=16
).map(lambda stretches: [message for stretch in stretches for message in stretch])
