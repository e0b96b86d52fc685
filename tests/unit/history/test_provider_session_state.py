"""A provider's own state in a session, typed."""

from __future__ import annotations

import json
from typing import Any

from turnfold import AgentSession, ProviderSessionState


def counted(session: AgentSession | None) -> dict[str, Any]:
    return {"db_key": "k-1" if session else "none", "n": 0}


def test_a_state_is_made_once_a_session_and_then_kept() -> None:
    state = ProviderSessionState(counted, "database")
    session = AgentSession()
    value = state.get_or_initialize(session)
    value["n"] = 5
    state.save(session, value)

    assert state.get_or_initialize(session) == {"db_key": "k-1", "n": 5}
    assert state.get_or_initialize(AgentSession())["n"] == 0


def test_it_comes_back_with_the_session() -> None:
    state = ProviderSessionState(counted, "database")
    session = AgentSession()
    state.save(session, {"n": 7})
    assert state.get_or_initialize(AgentSession.from_dict(session.to_dict())) == {"n": 7}


def test_a_serializer_writes_what_a_session_could_not() -> None:
    class AsList:
        def dumps(self, value: set[str]) -> str:
            return json.dumps(sorted(value))

        def loads(self, text: str) -> set[str]:
            return set(json.loads(text))

    state = ProviderSessionState[set[str]](lambda _session: set(), "seen", AsList())
    session = AgentSession()
    state.save(session, {"a", "b"})

    back = AgentSession.from_dict(session.to_dict())

    assert back.state["seen"] == '["a", "b"]'
    assert state.get_or_initialize(back) == {"a", "b"}


def test_without_a_session_nothing_is_kept() -> None:
    state = ProviderSessionState(counted, "database")
    state.save(None, {"n": 1})
    assert state.get_or_initialize(None) == {"db_key": "none", "n": 0}
