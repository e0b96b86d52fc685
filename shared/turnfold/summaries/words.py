"""Words that carry meaning: what tells two sentences apart when neither holds an exact value."""

from __future__ import annotations

import re

_WORD = re.compile(r"[^\W\d_]{4,30}|[\u3400-\u9fff]{2}")
_COMMON = frozenset(
    """about above after again also always another anything around because been before being below between both
    cannot could does doesn doing done down during each either else even ever every everything from further gets
    going gonna have haven having here hers into itself just keep know like little look looking made make makes many
    maybe might more most much must myself need needs never nothing once only other otherwise over please pretty
    quite rather really same shall should some someone something sometimes still such sure take than thank thanks
    that their them then there these they thing things think this those though through together under until upon
    very want wants well went were what whatever when where whether which while will with within without would
    your yours yourself yeah okay hello""".split()  # noqa: SIM905 - one word a line would fill two screens
)


def content_words(text: str) -> set[str]:
    """The longer words of a text in lower case, without the commonest; pairs of signs where a script has no spaces."""
    return set(_WORD.findall(text.casefold())) - _COMMON
