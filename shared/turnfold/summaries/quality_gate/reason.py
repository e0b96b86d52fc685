"""Why a reply can't be used: the words that are counted, logged and told."""

from __future__ import annotations

from enum import StrEnum


class Rejection(StrEnum):
    """One fault of a reply. The values are few and fixed: they are a label of a metric."""

    BLANK = "blank"
    NONE = "none"
    REFUSAL = "refusal"
    CUT_OFF = "cut off"
    TOOL_PROTOCOL = "tool protocol"
    GREETING = "greeting"
    COPIED_ENTRIES = "copied entries"
    ECHO = "echo"
    CONTINUATION = "continuation"
    LOOP = "loop"
    INSTRUCTION = "instruction"
    WRONG_LANGUAGE = "wrong language"
    UNRELATED = "unrelated"
    INVENTED_VALUE = "invented value"
    MISSING_PIN = "missing pin"
    TOO_LONG = "longer than its sources"
