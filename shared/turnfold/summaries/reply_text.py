"""The summary within a reply: models wrap it in tags, in a fence, in what they thought before."""

from __future__ import annotations

import re
from dataclasses import replace

from turnfold.summaries.summarizer import SummaryReply

_THOUGHT = re.compile(r"^\s*<(think|thinking|reasoning|analysis)>.*?</\1>\s*", re.DOTALL | re.IGNORECASE)
_TAGGED = re.compile(r"^\s*<(summary|result|output|answer)>\s*(.*?)\s*</\1>\s*$", re.DOTALL | re.IGNORECASE)
_FENCED = re.compile(r"^\s*```(?:markdown|md|text|txt)?[ \t]*\n((?:(?!```).)*)\n```\s*$", re.DOTALL | re.IGNORECASE)
_MARK = re.compile(r"^\s*\[Summary\]\s*", re.IGNORECASE)


def without_wrapping(reply: SummaryReply) -> SummaryReply:
    """The reply with its text alone."""
    text = _THOUGHT.sub("", reply.text)
    for wrapping, group in ((_TAGGED, 2), (_FENCED, 1)):
        if match := wrapping.match(text):
            text = match[group]
    text = _MARK.sub("", text)
    return reply if text == reply.text else replace(reply, text=text)
