"""Replies in another language than the conversation's."""

from __future__ import annotations

from turnfold.summaries.languages import LATIN, dominant_language, is_latin, languages_in
from turnfold.summaries.quality_gate.sources import Sources, without_code


def is_wrong_language(text: str, sources: Sources) -> bool:
    """Whether the reply is certainly in a language that the conversation is certainly not in.

    A prompt of one's own may ask for any language.
    """
    if sources.request.prompt is not None:
        return False
    written = dominant_language(without_code(text))
    if written is None:
        return False
    spoken = languages_in(without_code(sources.spoken))
    if written == LATIN:
        return bool(spoken) and not any(is_latin(language) for language in spoken)
    return bool(spoken) and written not in spoken
