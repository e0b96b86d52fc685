"""What a provider reports about a call."""

from __future__ import annotations

from typing import Any

from turnfold.errors import BadInput
from turnfold.jsonio import is_object
from turnfold.sessions.head import Head


def learned_overhead(head: Head, usage: Any) -> int:
    """Tokens that were sent beside the session's messages; what is known already where nothing was reported.

    The call was made from what the model gets now, before its reply is appended: what is counted above it is overhead.
    """
    reported = prompt_tokens(usage)
    if reported is None or not head.state:
        return head.overhead_tokens
    return max(0, reported - int(head.state["included"]["tokens"]))


def prompt_tokens(usage: Any) -> int | None:
    """`prompt_tokens` (Chat Completions) or `input_tokens` (Responses, Anthropic) of a mapping or an object.

    Raises:
        BadInput: the number is none.
    """
    if usage is None:
        return None
    for name in ("prompt_tokens", "input_tokens"):
        value: Any = usage.get(name) if is_object(usage) else getattr(usage, name, None)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise BadInput(f"usage.{name}", f"must be a whole number of at least 0, not {value!r}")
        return value
    return None
