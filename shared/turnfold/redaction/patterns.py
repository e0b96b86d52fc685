"""What is redacted: addresses of e-mail, telephone numbers, card numbers, and what an operator's patterns match."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from turnfold.errors import BadInput

KINDS = ("email", "phone", "card")
_KIND_NAME = re.compile(r"[a-z][a-z0-9]{0,23}")

# Letters and digits of a word; where no spaces are written, a value stands right between others' characters.
_W = r"0-9A-Za-z_\u00aa-\u1fff"
# The sign may be written for JSON or for an address of the web.
_EMAIL = re.compile(
    rf"(?<![{_W}.+-])[{_W}.+%-]{{1,64}}(?:@|\\u0040|%40)(?:[{_W}-]{{1,63}}\.){{1,8}}[{_W}-]{{2,63}}(?![{_W}])",
    re.IGNORECASE,
)
_CARD = re.compile(rf"(?<![{_W}.-])[2-6](?:[ -]?\d){{12,18}}(?![{_W}-])")
_NUMBER = re.compile(rf"(?<![{_W}.,/-])(?:\+|00)?(?:\(\d{{1,5}}\)|\d)(?:[ \u00a0().\-/]{{0,2}}\d){{6,16}}(?![{_W}-])")
_DATE_OR_TIME = re.compile(r"\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}|\d{1,3}(?:\.\d{1,3}){3}")
_CALLED = re.compile(
    r"(?:phone|mobile|cell|fax|tel|call|sms|text|whatsapp|number is|telefon|handy|mobil|ruf|tél|portable|teléfono|móvil"
    r"|telefono|cellulare|телефон|电话|電話|手机|هاتف|전화)\W{0,3}(?:\w+\W{1,3}){0,3}$",
    re.IGNORECASE,
)
_CHINESE_MOBILE = re.compile(r"1[3-9]\d{9}")
_BEFORE_CHARS = 40

Finder = Callable[[str], Iterator[tuple[int, int]]]


@dataclass(frozen=True, slots=True)
class Pattern:
    """One kind of value: its name, and where it stands in a text."""

    kind: str
    spans: Finder


def patterns_named(kinds: str, named_by: str = "") -> list[Pattern]:
    """Those of the names, comma-separated.

    Raises:
        BadInput: a kind is not known.
    """
    names = [name.strip() for name in kinds.split(",") if name.strip()]
    for name in names:
        if name not in KINDS:
            raise BadInput(named_by, f"{name!r} is not known; {', '.join(KINDS)}")
    return [_built_in(name) for name in names]


def own_patterns(expressions: Mapping[str, str], named_by: str = "") -> list[Pattern]:
    """An operator's own, from regular expressions by the names of their kinds.

    Raises:
        BadInput: naming the kind whose expression is none.
    """
    path = f"{named_by}." if named_by else ""
    return [_own(name, text, f"{path}{name}") for name, text in expressions.items()]


def _built_in(name: str) -> Pattern:
    finders: dict[str, Finder] = {"email": _all_of(_EMAIL), "phone": _phones, "card": _cards}
    return Pattern(name, finders[name])


def _own(name: str, expression: str, path: str) -> Pattern:
    if not _KIND_NAME.fullmatch(name):
        raise BadInput(path, "is no name of a kind: small letters and digits, a letter first")
    try:
        compiled = re.compile(expression)
    except re.error as error:
        raise BadInput(path, f"is no regular expression: {error}") from None
    if compiled.match(""):
        raise BadInput(path, "matches nothing at all, and so everywhere")
    return Pattern(name, _all_of(compiled))


def _all_of(expression: re.Pattern[str]) -> Finder:
    return lambda text: (match.span() for match in expression.finditer(text) if match.end() > match.start())


def _cards(text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _CARD.finditer(text) if _is_luhn(_digits(match[0])))


def _phones(text: str) -> Iterator[tuple[int, int]]:
    return (match.span() for match in _NUMBER.finditer(text) if _is_phone(match[0], text[: match.start()]))


def _is_phone(number: str, before: str) -> bool:
    """By its form; a bare row of digits only where the text says so, for most of those are ids."""
    digits = _digits(number)
    if not 7 <= len(digits) <= 15 or _DATE_OR_TIME.match(number):
        return False
    if number.startswith(("+", "00", "(")) or _CHINESE_MOBILE.fullmatch(number):
        return True
    groups = len(re.findall(r"\d+", number))
    if groups >= 3 or (groups == 2 and number.startswith("0")):
        return True
    return (number.startswith("0") and len(digits) >= 10) or _CALLED.search(before[-_BEFORE_CHARS:]) is not None


def _digits(text: str) -> Sequence[int]:
    return [int(char) for char in text if char.isdigit()]


def _is_luhn(digits: Sequence[int]) -> bool:
    """Whether the last digit checks the others (ISO/IEC 7812-1)."""
    doubled = [n if place % 2 == 0 else 2 * n - 9 * (n > 4) for place, n in enumerate(reversed(digits))]
    return sum(doubled) % 10 == 0
