"""Python functions as tools of a model."""

from __future__ import annotations

import asyncio
import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, cast, overload

from turnfold.agent.tool_schema import ArgumentsModel, arguments_model, description_of, given_arguments, schema_of
from turnfold.errors import BadInput
from turnfold.jsonio import is_object
from turnfold.messages import Message


class FunctionTool:
    """A function that a model may call: its schema is read from its types and its docstring.

    Args:
        function: plain or async; a plain one runs in a thread. Its result is a text, or becomes one as JSON.
        name, description: in place of the function's own.

    Raises:
        BadInput: the function has parameters that a model can't give: positional-only ones, or `*args`.
    """

    def __init__(
        self, function: Callable[..., Any], *, name: str | None = None, description: str | None = None
    ) -> None:
        self.function = function
        self.name = name or str(getattr(function, "__name__", type(function).__name__))
        self.description = description_of(function) if description is None else description
        self._model: ArgumentsModel = arguments_model(function, self.name)

    @property
    def schema(self) -> dict[str, Any]:
        """As Chat Completions takes it."""
        function = {"name": self.name, "description": self.description, "parameters": schema_of(self._model)}
        return {"type": "function", "function": function}

    async def call(self, arguments: str) -> str:
        """The result of a call, as a text.

        Args:
            arguments: a JSON object, as the model wrote it.

        Raises:
            ValueError: the arguments are not what the function takes. And whatever the function raises.
        """
        values = given_arguments(self._model, arguments or "{}")
        if inspect.iscoroutinefunction(self.function):
            return as_text(await self.function(**values))
        result = await asyncio.to_thread(self.function, **values)
        return as_text(await result if inspect.isawaitable(result) else result)


@overload
def tool(function: Callable[..., Any], /) -> FunctionTool: ...
@overload
def tool(
    *, name: str | None = None, description: str | None = None
) -> Callable[[Callable[..., Any]], FunctionTool]: ...
def tool(
    function: Callable[..., Any] | None = None, /, *, name: str | None = None, description: str | None = None
) -> FunctionTool | Callable[[Callable[..., Any]], FunctionTool]:
    """Makes a tool of a function, as a decorator, with another name or description than its own."""

    def made(given: Callable[..., Any]) -> FunctionTool:
        return FunctionTool(given, name=name, description=description)

    return made if function is None else made(function)


Tool = FunctionTool | Callable[..., Any] | Mapping[str, Any]


def as_tools(tools: Tool | Iterable[Tool] | None) -> list[FunctionTool | Mapping[str, Any]]:
    """Functions as tools; a schema stands for a tool that is only declared: the caller answers its calls.

    Raises:
        BadInput: one is neither a function nor a schema, or two have one name.
    """
    if tools is None:
        return []
    given: list[Any] = [tools] if callable(tools) or isinstance(tools, (FunctionTool, Mapping)) else list(tools)
    made: list[FunctionTool | Mapping[str, Any]] = []
    for n, one in enumerate(given):
        if isinstance(one, FunctionTool) or is_object(one):
            made.append(one)
        elif callable(one):
            made.append(FunctionTool(one))
        else:
            raise BadInput(f"tools[{n}]", f"must be a function or a schema, not {one!r}")
    names = [one.name for one in made if isinstance(one, FunctionTool)]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise BadInput("tools", f"two have the name {twice[0]!r}")
    return made


def schemas_of(tools: Iterable[Any]) -> list[Mapping[str, Any]]:
    """Of each tool the schema, as Chat Completions takes it."""
    return [one.schema if isinstance(one, FunctionTool) else one for one in as_tools(list(tools))]


def name_of(tool: FunctionTool | Mapping[str, Any]) -> str:
    """By which the model calls it."""
    if isinstance(tool, FunctionTool):
        return tool.name
    function: Any = tool.get("function")
    return str(function.get("name") if is_object(function) else tool.get("name") or tool.get("type"))


def as_text(result: Any) -> str:
    """A tool's result as the model reads it."""
    if isinstance(result, str):
        return result
    if isinstance(result, Message):
        return result.text
    dump = getattr(result, "model_dump_json", None)
    return cast("str", dump()) if callable(dump) else json.dumps(result, ensure_ascii=False, default=str)
