"""A session is a value: all of it is stored, and all of it comes back."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from turnfold import AgentSession, Message, register_state_type
from turnfold.errors import BadInput


@register_state_type
@dataclass
class Basket:
    """What a provider of a shop keeps."""

    items: list[str]


class Clock:
    """A type with functions of its own to be stored by."""

    def __init__(self, hour: int) -> None:
        self.hour = hour


register_state_type(Clock, type_id="tests.clock", encoder=lambda clock: clock.hour, decoder=Clock)


def restored(session: AgentSession) -> AgentSession:
    """As it comes back from any store of JSON."""
    return AgentSession.from_dict(json.loads(json.dumps(session.to_dict())))


def test_all_of_a_session_comes_back() -> None:
    session = AgentSession(session_id="s-1", service_session_id="resp_9", metadata={"tier": "gold"})
    session.state["notes"] = {"n": 1, "deep": [{"a": None, "b": [True, 0.5]}], "pair": (1, "two")}

    back = restored(session)

    assert (back.session_id, back.service_session_id, back.metadata) == ("s-1", "resp_9", {"tier": "gold"})
    assert back.state == session.state


def test_the_service_session_id_stands_under_its_own_name() -> None:
    assert AgentSession(service_session_id="conv_1").to_dict()["service_session_id"] == "conv_1"


def test_a_session_without_an_id_gets_one_of_its_own() -> None:
    assert AgentSession().session_id != AgentSession().session_id


def test_messages_in_a_state_come_back_as_messages_with_their_metadata() -> None:
    session = AgentSession()
    session.state["memory"] = {"messages": [Message.marked({"role": "user", "content": "hi"}, {"id": "m1"})]}

    (message,) = restored(session).state["memory"]["messages"]

    assert isinstance(message, Message)
    assert (message, message.metadata) == ({"role": "user", "content": "hi"}, {"id": "m1"})


def test_registered_types_come_back_as_themselves() -> None:
    session = AgentSession()
    session.state["shop"] = {"basket": Basket(["tea"]), "clocks": [Clock(9)]}

    back = restored(session).state["shop"]

    assert back["basket"] == Basket(["tea"])
    assert [clock.hour for clock in back["clocks"]] == [9]


@pytest.mark.parametrize(
    ("value", "path"),
    [
        ({"cache": {1, 2}}, r"state\.mine\.cache"),
        ({"list": [1, object()]}, r"state\.mine\.list\[1\]"),
        ({"number": float("nan")}, r"state\.mine\.number"),
        ({1: "one"}, r"state\.mine"),
    ],
)
def test_what_could_not_be_restored_is_refused_with_its_path(value: dict[Any, Any], path: str) -> None:
    session = AgentSession()
    session.state["mine"] = value

    with pytest.raises(BadInput, match=path):
        session.to_dict()


def test_a_type_that_is_not_registered_where_a_session_is_restored_is_named_with_its_path() -> None:
    session = AgentSession()
    session.state["shop"] = {"basket": Basket(["tea"])}
    text = json.dumps(session.to_dict()).replace("test_agent_session.Basket", "elsewhere.Basket")

    with pytest.raises(BadInput, match=r"state\.shop\.basket: the type .*elsewhere\.Basket"):
        AgentSession.from_dict(json.loads(text))


def test_a_mapping_that_looks_like_a_type_is_only_a_mapping() -> None:
    session = AgentSession()
    session.state["mine"] = {"odd": {"$type": "tests.clock", "$value": 4}}

    assert restored(session).state == session.state


def test_two_classes_can_t_have_one_type_id() -> None:
    with pytest.raises(ValueError, match=r"tests\.clock"):
        register_state_type(int, type_id="tests.clock", encoder=int, decoder=int)


def test_what_is_no_session_is_refused() -> None:
    with pytest.raises(BadInput, match="session_id"):
        AgentSession.from_dict({"state": {}})
    with pytest.raises(BadInput, match="session_id"):
        AgentSession(session_id="")
