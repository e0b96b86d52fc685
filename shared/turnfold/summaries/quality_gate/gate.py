"""Whether a reply may stand in the place of what it was made from."""

from __future__ import annotations

from collections.abc import Callable

from turnfold.summaries.quality_gate.continuation import continues_the_chat
from turnfold.summaries.quality_gate.copied_entries import copies_entries
from turnfold.summaries.quality_gate.echo import is_echo
from turnfold.summaries.quality_gate.emptiness import is_blank, says_nothing
from turnfold.summaries.quality_gate.greeting import is_greeting
from turnfold.summaries.quality_gate.instruction import hands_on_an_order
from turnfold.summaries.quality_gate.invention import invented_values
from turnfold.summaries.quality_gate.language import is_wrong_language
from turnfold.summaries.quality_gate.loops import is_loop
from turnfold.summaries.quality_gate.pins import lacks_a_pin
from turnfold.summaries.quality_gate.reason import Rejection
from turnfold.summaries.quality_gate.refusal import is_refusal
from turnfold.summaries.quality_gate.sources import Sources
from turnfold.summaries.quality_gate.summary_mark import as_summary
from turnfold.summaries.quality_gate.tool_protocol import speaks_tool_protocol
from turnfold.summaries.quality_gate.unrelated import is_unrelated
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest

# Faults of what a model writes, told by the text alone; then those for which the sources must be read.
_BY_TEXT: tuple[tuple[Rejection, Callable[[str], bool]], ...] = (
    (Rejection.TOOL_PROTOCOL, speaks_tool_protocol),
    (Rejection.GREETING, is_greeting),
    (Rejection.LOOP, is_loop),
)
_BY_SOURCES: tuple[tuple[Rejection, Callable[[str, Sources], object]], ...] = (
    (Rejection.COPIED_ENTRIES, copies_entries),
    (Rejection.ECHO, is_echo),
    (Rejection.INSTRUCTION, hands_on_an_order),
    (Rejection.WRONG_LANGUAGE, is_wrong_language),
    (Rejection.UNRELATED, is_unrelated),
    (Rejection.INVENTED_VALUE, invented_values),
)


def rejection(reply: SummaryReply, request: SummaryRequest) -> Rejection | None:
    """Why the reply can't be used; None where it can."""
    text = reply.text.strip()
    if reason := _says_no_more_than_no(reply, text):
        return reason
    if reply.finish_reason == "length":
        return Rejection.CUT_OFF
    if not reply.is_extractive and (reason := _fault_of_a_model(text, request)):
        return reason
    return incompleteness(text, request)


def incompleteness(text: str, request: SummaryRequest) -> Rejection | None:
    """What any summary lacks that does not hold the pins, or is not shorter than its sources."""
    if lacks_a_pin(text, request):
        return Rejection.MISSING_PIN
    if request.count_tokens(as_summary(text)) >= request.source_tokens:
        return Rejection.TOO_LONG
    return None


def _says_no_more_than_no(reply: SummaryReply, text: str) -> Rejection | None:
    if reply.refusal or (not reply.is_extractive and is_refusal(text)):
        return Rejection.REFUSAL
    if is_blank(text):
        return Rejection.BLANK
    return Rejection.NONE if says_nothing(text) else None


def _fault_of_a_model(text: str, request: SummaryRequest) -> Rejection | None:
    for reason, is_so in _BY_TEXT:
        if is_so(text):
            return reason
    sources = Sources(request)
    for reason, is_true in _BY_SOURCES:
        if is_true(text, sources):
            return reason
    return Rejection.CONTINUATION if continues_the_chat(text) else None
