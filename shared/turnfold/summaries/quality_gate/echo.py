"""Replies that hand back what they were given: a message, or the prompt."""

from __future__ import annotations

import re

from turnfold.summaries.prompt import prompt_text
from turnfold.summaries.quality_gate.sources import Sources, plain, stems, without_code

# A shorter text may stand in a message by chance.
LEAST_COPY_CHARS = 4
LEAST_RUN_CHARS = 160
COPIED_SHARE = 0.8
LEAST_WORDS = 8
LEAST_LINE_CHARS = 24
PROMPT_LINES = 2

TALKS_OF_ITSELF = 3

_ITSELF = re.compile(r"\b(?:summar(?:y|ies|i[sz]e\w*|i[sz]ing)|transcripts?)\b", re.IGNORECASE)
_IS_OVER = re.compile(
    r"\b(?:transcript|conversation)(?: above)? (?:is|has)(?: now)?(?: been)? (?:over|ended|finished"
    r"|closed)",
    re.I,
)
_LIST_MARK = re.compile(r"^\s*(?:[-*•#>]+|\d+[.)])\s*")


def is_echo(text: str, sources: Sources) -> bool:
    """The reply is a message or the start of one, repeats the prompt's lines, or talks of the task alone."""
    if "<transcript>" in text or "</transcript>" in text:
        return True
    return _copies_a_message(text, sources) or _copies_the_prompt(text, sources) or _tells_of_the_task(text, sources)


def _copies_a_message(text: str, sources: Sources) -> bool:
    """All of it stands in one message, or one unbroken run of a message makes up nearly all of it.

    What an earlier summary says may be taken over.
    """
    bare = plain(without_code(text)) or plain(text)
    if len(bare) < LEAST_COPY_CHARS:
        return False
    if any(bare in part for part in sources.plain_messages):
        return True
    run = int(len(bare) * COPIED_SHARE)
    if run < LEAST_RUN_CHARS:
        return False
    step = max(1, (len(bare) - run) // 8)
    windows = [bare[start : start + run] for start in range(0, len(bare) - run + 1, step)]
    return any(window in part for window in windows for part in sources.plain_messages)


def _copies_the_prompt(text: str, sources: Sources) -> bool:
    given = plain(prompt_text(sources.request.prompt))
    if plain(text) == plain(sources.request.prompt or ""):
        return True
    lines = [plain(_LIST_MARK.sub("", line)) for line in text.splitlines()]
    copied = [line for line in lines if len(line) >= LEAST_LINE_CHARS and line in given]
    return len(copied) >= PROMPT_LINES or (len(copied) == 1 and len(copied[0]) * 2 > len(plain(text)))


def _tells_of_the_task(text: str, sources: Sources) -> bool:
    """Words of the prompt without words of the conversation: `Here is a brief summary of key facts and decisions.`"""
    of_itself = len(_ITSELF.findall(text)) >= TALKS_OF_ITSELF or _IS_OVER.search(text)
    if of_itself and not _ITSELF.search(sources.spoken):
        return True
    words = stems(text)
    if len(words) < LEAST_WORDS:
        return False
    from_sources = words & sources.words
    from_prompt = (words & stems(prompt_text(sources.request.prompt))) - sources.words
    return len(from_prompt) >= 0.4 * len(words) and len(from_sources) < 0.4 * len(words)
