"""Numbers that a text spells out: `forty-two`, `fünfundzwanzig`, `三百二十`."""

from __future__ import annotations

import re
from collections.abc import Iterator

_UP_TO_TWELVE = (
    "one two three four five six seven eight nine ten eleven twelve",
    "ein zwei drei vier fünf sechs sieben acht neun zehn elf zwölf",
    "un deux trois quatre cinq six sept huit neuf dix onze douze",
    "uno dos tres cuatro cinco seis siete ocho nueve diez once doce",
    "um dois três quatro cinco seis sete oito nove dez onze doze",
    "uno due tre quattro cinque sei sette otto nove dieci undici dodici",
    "een twee drie vier vijf zes zeven acht negen tien elf twaalf",
    "один два три четыре пять шесть семь восемь девять десять одиннадцать двенадцать",
    "часа двух трёх четырёх пяти шести семи восьми девяти десяти одиннадцати двенадцати",
    "الواحدة الثانية الثالثة الرابعة الخامسة السادسة السابعة الثامنة التاسعة العاشرة الحادية الثانية",
    "واحد اثنان ثلاث أربع خمس ست سبع ثمان تسع عشر",
    "واحدة اثنين ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة",
)
_TENS = (
    "ten twenty thirty forty fifty sixty seventy eighty ninety",
    "zehn zwanzig dreißig vierzig fünfzig sechzig siebzig achtzig neunzig",
    "dix vingt trente quarante cinquante soixante",
    "diez veinte treinta cuarenta cincuenta sesenta setenta ochenta noventa",
    "dez vinte trinta quarenta cinquenta sessenta setenta oitenta noventa",
    "dieci venti trenta quaranta cinquanta sessanta settanta ottanta novanta",
    "десять двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто",
    "عشرة عشرون ثلاثون أربعون خمسون ستون سبعون ثمانون تسعون",
    "عشرة عشرين ثلاثين أربعين خمسين ستين سبعين ثمانين تسعين",
)
_HUNDREDS = "مئة مائة hundred hundert cent ciento cien cento сто"
_SCALES = {
    "hundred": 100, "hundert": 100, "cent": 100, "thousand": 1000, "tausend": 1000, "mille": 1000, "mil": 1000,
    "тысяч": 1000, "тысячи": 1000, "ألف": 1000, "آلاف": 1000, "مليون": 1_000_000, "million": 1_000_000,
}  # fmt: skip
_OTHERS = {"مئتان": 200, "مئتين": 200, "مئتي": 200, "ألفان": 2000, "ألفين": 2000}
_AND = frozenset(("and", "y", "e", "et", "und", "en"))
_HAN_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0, "兩": 2}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1000, "万": 10_000, "萬": 10_000}
_HAN_NUMBER = re.compile(r"[零〇一二两兩三四五六七八九十百千万萬]{2,9}|[百千万]")
_WORD = re.compile(r"[^\W\d_]+")


def _tables() -> dict[str, int]:
    values = {word: number for line in _UP_TO_TWELVE for number, word in enumerate(line.split(), 1)}
    values |= {word: 10 * number for line in _TENS for number, word in enumerate(line.split(), 1)}
    german, tens = _UP_TO_TWELVE[1].split()[:9], _TENS[1].split()
    for ten, word in enumerate(tens[1:], 2):
        values |= {f"{unit}und{word}": 10 * ten + number for number, unit in enumerate(german, 1)}
    return values | dict.fromkeys(_HUNDREDS.split(), 100) | _OTHERS


def _with_and(values: dict[str, int]) -> dict[str, int]:
    """`وثلاثين`: in Arabic the word for "and" is written together with the next one."""
    return values | {f"و{word}": value for word, value in values.items() if word[0] > "\u0600"}


_VALUES = _with_and(_tables())


def numbers_in_words(text: str) -> Iterator[str]:
    """The numbers that the text spells out, in digits; each part of a longer one, too."""
    yield from map(str, _spoken(text.casefold()))
    for match in _HAN_NUMBER.finditer(text):
        yield str(_han(match.group()))


def _spoken(text: str) -> Iterator[int]:
    before = 0
    for word in _WORD.findall(text):
        if word in _AND and before:
            continue
        value = _VALUES.get(word, 0)
        if word in _SCALES and before:
            value = before * _SCALES[word]
        elif value and before and _joins(before, value):
            yield value
            value += before
        if value:
            yield value
        before = value


def _joins(before: int, value: int) -> bool:
    """`forty-two`, `two hundred fifty`, and in Arabic the other way round, `five and thirty`."""
    return (before % 10 == 0 and before > value) or (before < 10 and value % 10 == 0 and value < 100)


def _han(signs: str) -> int:
    total = part = digit = 0
    for sign in signs:
        if sign in _HAN_DIGITS:
            digit = _HAN_DIGITS[sign]
        elif _HAN_SCALES[sign] == 10_000:
            total, part, digit = total + ((part + digit) or 1) * 10_000, 0, 0
        else:
            part, digit = part + (digit or 1) * _HAN_SCALES[sign], 0
    return total + part + digit
