"""Corrected values: `not the 14th but the 15th`. The newest one stands in the ledger, with what it replaced beside it.

Found where people say so, and where a tool that changes things is called again for the same thing with another value.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from turnfold.summaries.fact_rules import FactKind
from turnfold.summaries.facts import Mention, value_key
from turnfold.summaries.ledger import Fact
from turnfold.summaries.unit import Unit

# Values of these forms are corrected by another of the same form.
_KINDS = frozenset(FactKind) - {FactKind.WORD, FactKind.QUOTED}
_NOT_BEFORE = re.compile(
    r"(?:\bnot|\bnicht|\bpas|\bno|\bnon|не|不是|ليس)(?: (?:the|on|at|am|den|der|le|el|in|for|à"
    r"|a))*\s*$",
    re.I,
)
_BUT = re.compile(r"^\W{0,3}(?:but|sondern|mais|sino|а|而是|是|بل)(?:\W|$)", re.I)
_NOT_BETWEEN = re.compile(
    r"^\W{0,3}(?:and )?(?:not|instead of|rather than|nicht|statt|anstatt|anstelle von|pas"
    r"|au lieu d[eu]|en lugar de|en vez de"
    r"|no|non|invece d[ei]l?|вместо|а не|而不是|不是|بدلا من|وليس)(?: (?:the|on|at|am|den|der|le|el"
    r"|as i said))*\W{0,2}$",
    re.I,
)
_TO = re.compile(
    r"^\W{0,3}(?:to|auf|à|a|al|zu|nach|на|→|->|=>|改成|改为|改到|换成|إلى)(?: (?:the|den|le"
    r"|el))?\W{0,2}$",
    re.I,
)
_CHANGES = re.compile(
    r"\b(?:chang|mov|correct|updat|switch|reschedul|postpon|shift|renam|replac|änder|versch(?:ie|o)b|verleg"
    r"|tausch|déplac|modifi|chang"
    r"|cambi|mov|измен|перенес|замен)\w*|改|换|更正|تغيير|غي[ّر]|نقل",
    re.I,
)
_WRONG = re.compile(
    r"\b(?:is|was|were|ist|war|est|era|es) (?:wrong|falsch|incorrect|faux|incorrecto|a mistake"
    r"|a typo)\b|不对|错了|خطأ",
    re.I,
)
_I_MEANT = re.compile(
    r"\b(?:i meant|i mean(?:t)? to say|should (?:be|have been)|correction|it['’]s actually"
    r"|actually it['’]s|make that|ich meinte|gemeint war"
    r"|richtig ist|je voulais dire|quise decir|quería decir|intendevo|я имел в виду)\b|应该是|我是说|更正|أقصد|قصدت",
    re.I,
)
_CHANGING_TOOL = re.compile(
    r"^(?:update|change|set|modify|edit|correct|replace|move|reschedule|rename|amend|adjust|switch)", re.I
)
_ID_FIELD = re.compile(
    r"(?:^|[_ -])(?:ids?|number|no|code|key|ref|uuid|sku|booking|order|reservation|account|name)$", re.I
)


def apply_corrections(facts: dict[str, Fact], units: Sequence[Unit]) -> None:
    """Gives each newer value what it replaced, and takes the replaced one out of the facts."""
    _drop_replaced(facts)
    for old, new in [*_in_calls(units), *_in_speech(units)]:
        was, now = facts.get(old.key), facts.get(new.key)
        if was is None or now is None or was is now or was.text in now.was:
            continue
        now.was = (was.text, *(text for text in was.was if text != now.text))[:2]
        now.label = now.label or was.label
        now.is_doubtful = False
        now.speakers |= was.speakers
        now.is_argument |= was.is_argument
        now.is_carried |= was.is_carried
        del facts[old.key]


def _drop_replaced(facts: dict[str, Fact]) -> None:
    """What an earlier summary tells to be replaced is no value of its own, unless it was said again since."""
    for fact in [fact for fact in facts.values() if fact.was]:
        for key in (key for text in fact.was for key in (value_key(text), f"{fact.label}={text}")):
            if key in facts and facts[key] is not fact and facts[key].last <= fact.last:
                del facts[key]


def _in_speech(units: Sequence[Unit]) -> Iterator[tuple[Mention, Mention]]:
    said: dict[FactKind, Mention] = {}
    for unit in units:
        here = [mention for mention in unit.mentions if mention.kind in _KINDS]
        if unit.speaker in ("user", "assistant", "earlier") and here:
            pairs = list(_pairs(unit.text, here))
            yield from pairs
            first = here[0]
            before = said.get(first.kind)
            if before and not pairs and before.key != first.key and _I_MEANT.search(unit.text):
                yield before, first
        if unit.speaker == "user" or unit.is_call:
            said |= {mention.kind: mention for mention in here}


def _pairs(text: str, mentions: Sequence[Mention]) -> Iterator[tuple[Mention, Mention]]:
    """Old and new, where one sentence has both."""
    placed = sorted((at, mention) for mention in mentions if (at := text.find(mention.text)) >= 0)
    for (start, one), (next_start, other) in pairwise(placed):
        if one.kind is not other.kind or one.key == other.key:
            continue
        before, between = text[:start], text[start + len(one.text) : next_start]
        if (
            (_BUT.search(between) and _NOT_BEFORE.search(before))
            or (_TO.match(between) and _CHANGES.search(text))
            or _WRONG.search(between)
        ):
            yield one, other
        elif _NOT_BETWEEN.match(between):
            yield other, one


def _in_calls(units: Sequence[Unit]) -> Iterator[tuple[Mention, Mention]]:
    """Another value for the same field of the same thing, given later to a tool that changes it."""
    known: dict[tuple[str, ...], Mention] = {}
    for unit in units:
        name = unit.text.partition("(")[0]
        fields = {mention.label: mention for mention in unit.mentions if mention.label}
        ids = tuple(f"{label}={mention.key}" for label, mention in fields.items() if _ID_FIELD.search(label))
        if not unit.is_call or not ids:
            continue
        for label, mention in _others(fields):
            before = known.get((*ids, label))
            if before is not None and before.key != mention.key and _CHANGING_TOOL.match(name):
                yield before, mention
            known[*ids, label] = mention


def _others(fields: Mapping[str, Mention]) -> Iterator[tuple[str, Mention]]:
    return ((label, mention) for label, mention in fields.items() if not _ID_FIELD.search(label))
