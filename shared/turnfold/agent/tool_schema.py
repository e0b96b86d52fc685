"""A function's parameters as a JSON schema: types from its annotations, texts from its docstring."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.fields import FieldInfo

from turnfold.errors import BadInput

ArgumentsModel = type[BaseModel]
_SECTION = re.compile(r"^(args|arguments|parameters|params)\s*:?\s*$", re.IGNORECASE)
_OTHER_SECTION = re.compile(r"^[A-Z][A-Za-z ]+:\s*$")
_GOOGLE = re.compile(r"^\s*\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:\s*(.+)$")
_SPHINX = re.compile(r"^\s*:param\s+(?:[^:\s]+\s+)?(\w+):\s*(.+)$")
_TITLE = "title"


def arguments_model(function: Callable[..., Any], name: str) -> ArgumentsModel:
    """What a call of the function is checked against.

    Raises:
        BadInput: the function has parameters that a model can't give.
    """
    told = parameter_texts(inspect.getdoc(function) or "")
    hints = _hints(function)
    fields: dict[str, Any] = {}
    for parameter in inspect.signature(function).parameters.values():
        if parameter.kind is parameter.VAR_KEYWORD:
            continue
        if parameter.kind in (parameter.POSITIONAL_ONLY, parameter.VAR_POSITIONAL):
            raise BadInput(f"tools.{name}", f"the parameter {parameter.name!r} can't be given by name")
        # By alias, because a field of a model can't be called `schema` or `_hidden`, and a parameter can.
        field = _field(parameter, told.get(parameter.name))
        fields[f"p{len(fields)}"] = (hints.get(parameter.name, Any), field)
    return create_model(name, __config__=ConfigDict(extra="forbid"), **fields)


def given_arguments(model: ArgumentsModel, arguments: str) -> dict[str, Any]:
    """The values of a JSON object by the function's own names; those that it leaves out are left out.

    Raises:
        ValueError: it is none, or the values are not what the function takes.
    """
    checked = model.model_validate_json(arguments)
    return {
        str(field.alias): getattr(checked, name)
        for name, field in model.model_fields.items()
        if name in checked.model_fields_set
    }


def schema_of(model: ArgumentsModel) -> dict[str, Any]:
    """The schema, without the titles that pydantic makes of names."""
    schema = model.model_json_schema(by_alias=True)
    schema.pop(_TITLE, None)
    for part in schema.get("properties", {}).values():
        part.pop(_TITLE, None)
    return schema


def description_of(function: Callable[..., Any]) -> str:
    """The docstring up to its first section, lines joined."""
    lines: list[str] = []
    for line in (inspect.getdoc(function) or "").splitlines():
        if _SECTION.match(line) or _OTHER_SECTION.match(line) or line.lstrip().startswith(":"):
            break
        lines.append(line.strip())
    return "\n".join(" ".join(part.split("\n")) for part in "\n".join(lines).strip().split("\n\n"))


def parameter_texts(doc: str) -> dict[str, str]:
    """What a docstring says of each parameter, in Google's form or in Sphinx's."""
    texts: dict[str, str] = {}
    indent, current = None, ""
    is_inside = False
    for line in doc.splitlines():
        if match := _SPHINX.match(line):
            texts[match[1]] = match[2].strip()
        elif _SECTION.match(line):
            is_inside, indent = True, None
        elif is_inside and line.strip():
            depth = len(line) - len(line.lstrip())
            if depth == 0:
                is_inside = False
                continue
            indent = depth if indent is None else indent
            match = _GOOGLE.match(line) if depth == indent else None
            if match:
                current = match[1]
                texts[current] = match[2].strip()
            elif current:
                texts[current] += " " + line.strip()
    return texts


def _field(parameter: inspect.Parameter, text: str | None) -> Any:
    default = parameter.default
    if isinstance(default, FieldInfo):
        default, text = default.default, default.description or text
    elif default is parameter.empty:
        default = ...
    said: dict[str, Any] = {"description": text} if text else {}
    return Field(default=default, alias=parameter.name, **said)


def _hints(function: Callable[..., Any]) -> dict[str, Any]:
    target = function if inspect.isroutine(function) else type(function).__call__
    return get_type_hints(target, include_extras=True)
