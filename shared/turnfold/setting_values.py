"""What the values of settings can be, and how that is said of one that can't."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, get_args
from urllib.parse import urlsplit

from pydantic import SecretStr
from pydantic.fields import FieldInfo

from turnfold.jsonio import is_utf8

_HOST_NAME = re.compile(r"[\w-]+(\.[\w-]+)*\.?|\[[0-9A-Fa-f:.]+\]")
LEAST_SECRET_CHARS = 16
_SENDABLE = re.compile(r"[\x21-\x7e]+")


def valid_text(value: Any) -> Any:
    """
    Raises:
        ValueError: it came in bytes of another encoding.
    """
    if not is_utf8(str(value)):
        raise ValueError("must be valid UTF-8")
    return value


def model_address(url: str) -> str:
    """
    Raises:
        ValueError: no request can be sent there. What is said does not quote it: it may hold a password.
    """
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        is_address = False
    if not is_address:
        raise ValueError("must be http://HOST:PORT/v1, or https://…")
    return url


def sendable_key(key: SecretStr) -> SecretStr:
    """
    Raises:
        ValueError: a header can't carry it.
    """
    if not _SENDABLE.fullmatch(key.get_secret_value()):
        raise ValueError("must be printable ASCII without spaces")
    return key


def secret_keys(keys: SecretStr) -> SecretStr:
    """
    Raises:
        ValueError: one of them, comma-separated, is too short to be a secret.
    """
    if any(len(key) < LEAST_SECRET_CHARS for key in split_keys(keys)):
        raise ValueError(f"must be keys of {LEAST_SECRET_CHARS} characters at least, comma-separated")
    return keys


def split_keys(keys: SecretStr) -> list[str]:
    """The keys one by one."""
    return [key for part in keys.get_secret_value().split(",") if (key := part.strip())]


def host_names(text: str) -> str:
    """
    Raises:
        ValueError: one of the names, comma-separated, is not the name of a host.
    """
    if text and not all(_HOST_NAME.fullmatch(name.strip()) for name in text.split(",")):
        raise ValueError("must be names of hosts, comma-separated, without ports, such as turnfold.example")
    return text


def what_it_must_be(field: FieldInfo, error: Mapping[str, Any]) -> str:
    """What pydantic found wrong with a setting, in words that tell the mend."""
    if error["type"] == "value_error":
        return str(error["ctx"]["error"])
    wanted = _wanted(field)
    return f"must be {wanted}, not {error['input']!a}" if wanted else str(error["msg"])


def _wanted(field: FieldInfo) -> str:
    kind: Any = field.annotation
    if kind is bool:
        return "true or false"
    if kind in (int, float):
        return ("a whole number" if kind is int else "a number") + _range(field)
    return " or ".join(map(str, get_args(kind)))


def _range(field: FieldInfo) -> str:
    lowest = [f" above {one.gt}" for one in field.metadata if hasattr(one, "gt")]
    lowest += [f" of at least {one.ge}" for one in field.metadata if hasattr(one, "ge")]
    highest = [f" at most {one.le}" for one in field.metadata if hasattr(one, "le")]
    return " and".join([*lowest, *highest])
