"""Replies that have nothing to do with the conversation: what small models write in languages that they don't know.

Only texts in other scripts than Latin are judged: there a summary shares many words with its sources, and the made-up
words of such models share none.
"""

from __future__ import annotations

import re

from turnfold.summaries.languages import dominant_language, is_latin
from turnfold.summaries.quality_gate.sources import Sources

LEAST_PIECES = 24
LEAST_SHARED = 0.25

_RUN = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_WORD = re.compile(r"[^\W\d_A-Za-z\u00c0-\u024f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{3,}")


def is_unrelated(text: str, sources: Sources) -> bool:
    """Whether hardly a word of a longer text stands in its sources."""
    if sources.request.prompt is not None:  # it may ask for another language
        return False
    pieces = _pieces(text)
    if len(pieces) < LEAST_PIECES:
        return False
    language = dominant_language(text)
    if language is None or is_latin(language):
        return False
    known = _pieces("\n".join(sources.parts))
    return len(pieces & known) < LEAST_SHARED * len(pieces)


def _pieces(text: str) -> set[str]:
    """Pairs of signs where a script has no spaces, else the beginnings of words."""
    pairs = {run[i : i + 2] for run in _RUN.findall(text) for i in range(len(run) - 1)}
    return pairs | {word[:4] for word in _WORD.findall(text)}
