"""Values of a session's state as JSON and back, by types that were registered for it.

JSON's own types, tuples and messages need no registration. Anything else is refused, with its path: what could not be
restored must not be stored.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, is_dataclass
from typing import Any, TypeVar, cast

from turnfold.errors import BadInput
from turnfold.jsonio import is_array, is_object
from turnfold.messages import Message

T = TypeVar("T")
TYPE, VALUE = "$type", "$value"
_TUPLE, _PAIRS = "tuple", "pairs"
# The original of a message that came from another provider's format; it is rendered anew without it.
_ORIGINAL = "source"


@dataclass(frozen=True, slots=True)
class _Codec:
    type_id: str
    encode: Callable[[Any], Any]
    decode: Callable[[Any], Any]


_BY_CLASS: dict[type[Any], _Codec] = {}
_BY_ID: dict[str, _Codec] = {}


def register_state_type(
    cls: type[T],
    *,
    type_id: str | None = None,
    encoder: Callable[[T], Any] | None = None,
    decoder: Callable[[Any], T] | None = None,
) -> type[T]:
    """Lets values of a class stand in a session's state; to be called where the class is defined, or as a decorator.

    Without `encoder` and `decoder` the class has `to_dict` and `from_dict`, is a dataclass, or a pydantic model.

    Args:
        type_id: what is stored in the type's name, for good; the class's module and name if not given.
        encoder: a value as something that may itself stand in a state.
        decoder: the inverse.

    Raises:
        ValueError: only one of the two functions is given or can be found, or the id is another class's.
    """
    name = type_id or f"{cls.__module__}.{cls.__qualname__}"
    if (encoder is None) != (decoder is None):
        raise ValueError("encoder: goes with a decoder; give both or none")
    encode, decode = (encoder, decoder) if encoder and decoder else _own_functions(cls)
    known = _BY_ID.get(name)
    if known is not None and _BY_CLASS.get(cls) is not known:
        raise ValueError(f"type_id: {name!r} is registered for another class")
    codec = _Codec(name, cast("Callable[[Any], Any]", encode), cast("Callable[[Any], Any]", decode))
    _BY_CLASS[cls] = _BY_ID[name] = codec
    return cls


def encoded(value: Any, path: str) -> Any:
    """The value as JSON.

    Raises:
        BadInput: naming the path of what has no registered type.
    """
    kind: type[Any] = value.__class__
    codec = _BY_CLASS.get(kind)
    if codec is not None:
        return {TYPE: codec.type_id, VALUE: encoded(codec.encode(value), path)}
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise BadInput(path, f"{value} is no JSON number")
        return value
    if isinstance(value, tuple):
        return {TYPE: _TUPLE, VALUE: _encoded_items(value, path)}
    if is_array(value):
        return _encoded_items(value, path)
    if kind is dict:
        return _encoded_fields(value, path)
    raise BadInput(path, f"a {kind.__name__} can't be stored; register its class by register_state_type")


def decoded(value: Any, path: str) -> Any:
    """The inverse of `encoded`.

    Raises:
        BadInput: naming the path of a type that is not registered here.
    """
    if is_array(value):
        return [decoded(item, f"{path}[{n}]") for n, item in enumerate(value)]
    if not is_object(value):
        return value
    if TYPE not in value:
        return {name: decoded(item, f"{path}.{name}") for name, item in value.items()}
    kind, inner = value[TYPE], decoded(value.get(VALUE), path)
    if kind == _TUPLE:
        return tuple(inner)
    if kind == _PAIRS:
        return dict(inner)
    codec = _BY_ID.get(kind)
    if codec is None:
        raise BadInput(path, f"the type {kind!r} is not registered; import the module that registers it first")
    return codec.decode(inner)


def _encoded_items(items: Any, path: str) -> list[Any]:
    return [encoded(item, f"{path}[{n}]") for n, item in enumerate(items)]


def _encoded_fields(fields: Any, path: str) -> dict[str, Any]:
    for name in fields:
        if not isinstance(name, str):
            raise BadInput(path, f"the key {name!r} is no string")
    written = {name: encoded(item, f"{path}.{name}") for name, item in fields.items()}
    # A mapping of the caller's own that looks like a type's.
    return {TYPE: _PAIRS, VALUE: [[name, item] for name, item in written.items()]} if TYPE in written else written


def _own_functions(cls: type[Any]) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    if hasattr(cls, "to_dict") and hasattr(cls, "from_dict"):
        return cls.to_dict, cls.from_dict
    if hasattr(cls, "model_dump") and hasattr(cls, "model_validate"):
        return lambda value: value.model_dump(mode="json"), cls.model_validate
    if is_dataclass(cls):
        return asdict, lambda fields: cls(**fields)
    raise ValueError(f"{cls.__name__}: has no to_dict and from_dict; give an encoder and a decoder")


def _message_fields(message: Message) -> Mapping[str, Any]:
    metadata = {name: value for name, value in message.metadata.items() if name != _ORIGINAL}
    return {"fields": dict(message), "metadata": metadata}


def _message(stored: Mapping[str, Any]) -> Message:
    return Message.marked(stored["fields"], stored["metadata"])


register_state_type(Message, type_id="message", encoder=_message_fields, decoder=_message)
