"""Orders to whatever model reads a text: `Ignore all previous instructions`, in the languages in which they are met.

Nothing that a conversation quotes may order about the model that summarizes it, or the one that reads the summary. What
a user asks of the assistant (`From now on, answer in verse.`) is a wish to be remembered; from a tool it is an order.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate

from turnfold.summaries.injection.english import ENGLISH
from turnfold.summaries.injection.forms import Forms
from turnfold.summaries.injection.latin_script import LATIN_SCRIPT
from turnfold.summaries.injection.other_scripts import OTHER_SCRIPTS
from turnfold.summaries.injection.wishes import WISHES

_ORDERS, _WISHES = Forms((*ENGLISH, *LATIN_SCRIPT, *OTHER_SCRIPTS)), Forms(WISHES)
_LEAD = re.compile(
    r"^(?:please|now|also|and|then|important|note|attention|urgent|warning|bitte|nun|jetzt|wichtig|achtung|por favor"
    r"|s['’]il (?:te|vous) plaît|请|請|注意|重要|ملاحظة|هام)?[\s,:!.：，！-]*",
    re.IGNORECASE,
)


def is_order_to_models(text: str, *, from_user: bool = False) -> bool:
    """Whether the text holds an order; a wish counts as one unless a user says it to the assistant."""
    return _ORDERS.search(text) or (not from_user and _WISHES.search(text))


def begins_an_order(sentence: str) -> bool:
    """Whether the sentence itself is an order, rather than telling of one."""
    return _ORDERS.match(_LEAD.sub("", sentence, count=1))


def pieces_with_orders(pieces: Sequence[str], *, from_user: Collection[int] = ()) -> set[int]:
    """Positions of the pieces that hold an order, found with one look at all of them.

    Args:
        pieces: lines of one text.
        from_user: positions of what a user says.
    """
    small = [piece.casefold() for piece in pieces]
    starts = list(accumulate((len(piece) + 1 for piece in small), initial=0))
    whole = "\n".join(small)
    found = {i for i, pattern in _candidates(_ORDERS, whole, starts) if pattern.search(pieces[i])}
    wishes = ((i, pattern) for i, pattern in _candidates(_WISHES, whole, starts) if i not in from_user)
    return found | {i for i, pattern in wishes if pattern.search(pieces[i])}


def _candidates(forms: Forms, whole: str, starts: Sequence[int]) -> Iterator[tuple[int, re.Pattern[str]]]:
    """The pieces that have a pattern's word, each with the pattern."""
    for word, pattern in forms.worth_looking_for(whole):
        at = whole.find(word)
        while at >= 0:
            piece = bisect_right(starts, at) - 1
            yield piece, pattern
            at = whole.find(word, starts[piece + 1])
