"""A summary as it will stand: what the summarizer wrote, the ledger beside it, and the pins."""

from __future__ import annotations

from dataclasses import replace

from turnfold.errors import SummarizerRefused
from turnfold.summaries.pin import is_pin_head, pin_blocks, without_pin_blocks
from turnfold.summaries.quality_gate import as_summary, incompleteness
from turnfold.summaries.riding_ledger import riding_ledger
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest

PROSE_SHARE = 0.25  # of the tokens: what a model is asked for
LEDGER_SHARE = 0.5  # … and what the ledger may have, however much the model wrote
LEAST_PROSE_TOKENS = 32
LEAST_TEXT_TOKENS = 16
JOINT_TOKENS = 4  # the empty lines between


def wanted_from(request: SummaryRequest) -> SummaryRequest:
    """The request as the summarizer gets it: with room left for what is added to its reply."""
    left = min(request.max_tokens, max(LEAST_TEXT_TOKENS, request.max_tokens - pinned_tokens(request)))
    prose = min(left, max(LEAST_PROSE_TOKENS, int(left * PROSE_SHARE)))
    return replace(request, max_tokens=left, prose_tokens=prose, pins=())


def completed(reply: SummaryReply, request: SummaryRequest) -> SummaryReply:
    """The reply with its ledger and its pins, shorter than its sources.

    Raises:
        SummarizerRefused: with the pins, it can't be shorter.
    """
    prose = "\n".join(line for line in reply.text.strip().splitlines() if not is_pin_head(line))
    pins = pin_blocks(request.pins)
    ledger = "" if reply.is_extractive else riding_ledger(request, prose, _ledger_room(prose, pins, request))
    text = "\n\n".join(part for part in (prose, ledger, pins) if part)
    if (reason := incompleteness(text, request)) is not None:
        raise SummarizerRefused(f"the summary can't be used: {reason}")
    return replace(reply, text=text)


def with_pins(request: SummaryRequest) -> str:
    """An earlier summary as it was, with the pins that it must hold now."""
    earlier = "\n".join(without_pin_blocks(text, request.pins).strip() for text in request.earlier)
    return f"{earlier}\n\n{pin_blocks(request.pins)}"


def pinned_tokens(request: SummaryRequest) -> int:
    """What the pins cost in the summary."""
    return _tokens(pin_blocks(request.pins), request)


def _ledger_room(prose: str, pins: str, request: SummaryRequest) -> int:
    spent = _tokens(prose, request) + _tokens(pins, request) + JOINT_TOKENS
    wanted = max(request.max_tokens - spent, int(request.max_tokens * LEDGER_SHARE))
    most = request.source_tokens - 2 - request.count_tokens(as_summary(f"{prose}\n\n\n\n{pins}"))
    return min(wanted, most)


def _tokens(text: str, request: SummaryRequest) -> int:
    return request.count_tokens(text) if text else 0
