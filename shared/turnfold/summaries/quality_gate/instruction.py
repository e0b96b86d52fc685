"""Replies that hand on an order from the transcript, to be obeyed by whoever reads the summary."""

from __future__ import annotations

import re

from turnfold.summaries.injection import begins_an_order, is_order_to_models
from turnfold.summaries.quality_gate.sources import Sources

_SENTENCE_END = re.compile(r"(?<=[.!?。！？؟])\s+|(?<=[。！？])|\n+")
_LEAD = " \t-*•>#\"'“”„«»「」()[]*_"


def hands_on_an_order(text: str, sources: Sources) -> bool:
    """A sentence that is itself an order to a model.

    `The user told the assistant to ignore its instructions` tells of one, and is fine.
    """
    for sentence in _SENTENCE_END.split(text):
        bare = sentence.strip(_LEAD)
        if not bare:
            continue
        if begins_an_order(bare):
            return True
        if is_order_to_models(bare) and sources.quote(bare):
            return True
    return False
