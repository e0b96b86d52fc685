"""Python functions as tools: what the model is told of them, and how its calls are answered."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import pytest
from pydantic import Field

from tests.support.agents import Model, broken_pairs, calls, texts
from turnfold import Agent, FunctionTool, tool
from turnfold.errors import BadInput


def book(city: str, nights: int = 1, kind: Literal["single", "double"] = "single") -> str:
    """Books a room.

    Prices are in euro.

    Args:
        city: where to sleep,
            by its English name.
        nights (int): how long.

    Returns:
        A confirmation.
    """
    return f"{kind} in {city}, {nights}"


def test_a_schema_is_read_from_types_and_docstring() -> None:
    assert FunctionTool(book).schema == {
        "type": "function",
        "function": {
            "name": "book",
            "description": "Books a room.\nPrices are in euro.",
            "parameters": {
                "type": "object",
                "properties": {
                    "city": {"type": "string", "description": "where to sleep, by its English name."},
                    "nights": {"type": "integer", "description": "how long.", "default": 1},
                    "kind": {"type": "string", "enum": ["single", "double"], "default": "single"},
                },
                "required": ["city"],
                "additionalProperties": False,
            },
        },
    }


def test_annotations_and_sphinx_docstrings_describe_parameters_too() -> None:
    def find(query: Annotated[str, Field(description="what")], limit: int = 3) -> None:
        """Finds.

        :param limit: how many at most
        """

    properties = FunctionTool(find).schema["function"]["parameters"]["properties"]
    assert (properties["query"]["description"], properties["limit"]["description"]) == ("what", "how many at most")


def test_parameters_may_have_any_name_and_nested_types() -> None:
    @dataclass
    class Point:
        x: int
        y: int

    def draw(schema: list[Point], _json: dict[str, int] | None = None, copy: bool = False) -> None:
        """Draws."""

    # A type of a function's own can't be looked up by name from outside.
    draw.__annotations__ |= {"schema": list[Point]}
    parameters = FunctionTool(draw).schema["function"]["parameters"]
    assert set(parameters["properties"]) == {"schema", "_json", "copy"}
    assert "Point" in str(parameters["$defs"])


def test_a_decorator_gives_another_name() -> None:
    @tool(name="reserve", description="Reserves.")
    def internal_name() -> None: ...

    assert internal_name.schema["function"]["name"] == "reserve"
    assert tool(book).name == "book"


def test_what_a_model_can_t_give_is_refused() -> None:
    def bad(*args: int) -> None: ...

    with pytest.raises(BadInput, match="args"):
        FunctionTool(bad)
    with pytest.raises(BadInput, match="two have the name 'book'"):
        Agent(Model(), tools=[book, book])
    with pytest.raises(BadInput, match=r"tools\[0\]"):
        Agent(Model(), tools=[7])  # type: ignore[list-item]  # the mistake that is tested


async def test_a_call_is_answered_and_the_model_goes_on() -> None:
    model = Model([calls(("book", {"city": "Rome", "nights": 2})), "Booked."])
    agent = Agent(model, tools=[book])
    response = await agent.run("book it")
    assert response.text == "Booked."
    assert model.sent[1][2] == {"role": "tool", "tool_call_id": "call_1_0", "content": "single in Rome, 2"}
    assert model.options[0]["tools"] == [FunctionTool(book).schema]


async def test_parallel_calls_run_at_once_and_are_answered_in_their_order() -> None:
    met = asyncio.Barrier(3)

    async def meet(name: str) -> str:
        await met.wait()
        return name

    model = Model([calls(*(("meet", {"name": n}) for n in "abc")), "all"])
    response = await asyncio.wait_for(Agent(model, tools=[meet]).run("go"), 5)
    assert texts(response.messages)[1:4] == ["a", "b", "c"]


async def test_a_plain_function_runs_in_a_thread_and_does_not_stop_the_loop() -> None:
    main, opened = threading.get_ident(), threading.Event()

    def wait() -> bool:
        return opened.wait(5) and threading.get_ident() != main

    async def release() -> str:
        opened.set()
        return "released"

    model = Model([calls(("wait", {}), ("release", {})), "done"])
    response = await Agent(model, tools=[wait, release]).run("go")
    assert texts(response.messages)[1:3] == ["true", "released"]


FAILURES: list[tuple[tuple[str, dict[str, Any]], str]] = [
    (("broken", {}), "Error: RuntimeError: no paper"),
    (("book", {"nights": 2}), "Error: ValidationError"),
    (("book", {"city": "Rome", "pets": 3}), "Error: ValidationError"),
    (("unknown", {}), "Error: there is no tool 'unknown'; known: book, broken"),
]


@pytest.mark.parametrize(("call", "told"), FAILURES)
async def test_a_call_that_fails_is_told_to_the_model_and_the_run_goes_on(call: tuple[str, Any], told: str) -> None:
    def broken() -> str:
        raise RuntimeError("no paper")

    model = Model([calls(call), "I see."])
    response = await Agent(model, tools=[book, broken]).run("go")
    assert response.messages[1].text.startswith(told)
    assert response.text == "I see."


async def test_arguments_that_are_no_json_are_told_to_the_model() -> None:
    reply = calls(("book", {}))
    reply["tool_calls"][0]["function"]["arguments"] = '{"city": "Ro'
    response = await Agent(Model([reply, "again"]), tools=[book]).run("go")
    assert "Error: ValidationError" in response.messages[1].text


@pytest.mark.parametrize(("result", "text"), [({"a": [1, "é"]}, '{"a": [1, "é"]}'), (None, "null"), (7, "7")])
async def test_results_become_texts(result: Any, text: str) -> None:
    def give() -> Any:
        return result

    response = await Agent(Model([calls(("give", {})), "done"]), tools=[give]).run("go")
    assert response.messages[1].text == text


async def test_tools_of_a_run_go_over_the_agent_s_of_the_same_name() -> None:
    def other(city: str) -> str:
        return f"other {city}"

    model = Model([calls(("book", {"city": "Rome"})), "done"])
    response = await Agent(model, tools=[book]).run("go", tools=[tool(name="book")(other)])
    assert response.messages[1].text == "other Rome"
    assert len(model.options[0]["tools"]) == 1


async def test_calls_of_a_tool_that_is_only_declared_are_the_caller_s_to_answer() -> None:
    schema = {"type": "function", "function": {"name": "ask_user", "parameters": {"type": "object"}}}
    model = Model([calls(("ask_user", {})), "Thank you."])
    agent = Agent(model, tools=[schema])
    session = agent.create_session()

    response = await agent.run("go", session=session)
    assert response.pending_tool_call_ids == ["call_1_0"]

    answer = {"role": "tool", "tool_call_id": "call_1_0", "content": "blue"}
    assert (await agent.run(answer, session=session)).text == "Thank you."
    assert broken_pairs(model.sent[-1]) == []
    assert len(model.sent[-1]) == 3


async def test_a_model_that_never_stops_calling_is_told_to_and_then_stopped() -> None:
    model = Model([calls(("book", {"city": "Rome"}))])
    response = await Agent(model, tools=[book], max_tool_rounds=3).run("go")
    assert len(model.sent) == 4
    assert [options.get("tool_choice") for options in model.options] == [None, None, None, "none"]
    assert response.pending_tool_call_ids == ["call_1_0"]


async def test_a_tool_choice_that_asks_for_a_call_is_asked_once() -> None:
    model = Model([calls(("book", {"city": "Rome"})), "done"])
    await Agent(model, tools=[book]).run("go", options={"tool_choice": "required"})
    assert [options.get("tool_choice") for options in model.options] == ["required", None]


async def test_calls_without_an_id_get_one_so_that_their_results_can_be_joined() -> None:
    reply = calls(("book", {"city": "Rome"}), ("book", {"city": "Bonn"}))
    for call in reply["tool_calls"]:
        call["id"] = ""
    model = Model([reply, "done"])
    agent = Agent(model, tools=[book])
    session = agent.create_session()
    assert (await agent.run("go", session=session)).text == "done"
    assert broken_pairs(model.sent[-1]) == []
    assert texts(model.sent[-1])[2:] == ["single in Rome, 1", "single in Bonn, 1"]
