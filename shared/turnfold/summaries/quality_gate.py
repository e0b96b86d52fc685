"""Whether a reply may stand in the place of what it was made from."""

from __future__ import annotations

import re

from turnfold.summaries.summarizer import SummaryReply, SummaryRequest

SUMMARY_MARK = "[Summary]"
_REFUSAL = re.compile(
    r"^\W*(i['’]?m sorry|sorry[,.]|i apologi[sz]e|i can(no|['’])t|i (am|['’]m) (unable|not able)|as an ai\b)",
    re.IGNORECASE,
)
_EMPTY_WORDS = frozenset({"none", "n/a", "null", "nil", "nothing", "no summary", "ok", "done", "summary"})


def rejection(reply: SummaryReply, request: SummaryRequest) -> str | None:
    """Why the reply can't be used, in one word or two; None where it can."""
    text = reply.text.strip()
    if reply.refusal or _REFUSAL.match(text):
        return "refusal"
    if not text or not any(c.isalnum() for c in text):
        return "blank"
    if text.strip(" .!\"'[]()*").lower() in _EMPTY_WORDS:
        return "none"
    if reply.finish_reason == "length":
        return "cut off"
    if reply.model != "extractive" and _is_echo(text, request):
        return "echo"
    if request.count_tokens(as_summary(text)) >= request.source_tokens:
        return "longer than its sources"
    return None


def as_summary(text: str) -> str:
    """The text as it stands in the conversation."""
    return f"{SUMMARY_MARK}\n{text.strip()}"


def _is_echo(text: str, request: SummaryRequest) -> bool:
    """The reply is the instruction, or one message of the transcript that is not short."""
    squeezed = " ".join(text.split())
    if request.prompt and squeezed == " ".join(request.prompt.split()):
        return True
    if squeezed.startswith("The transcript above has ended") or "<transcript>" in text:
        return True
    return len(squeezed) > 80 and any(squeezed == " ".join(m.text.split()) for m in request.messages)
