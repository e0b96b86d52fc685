"""Which language a text is in: by its script, and for Latin script by its commonest words."""

from __future__ import annotations

import re
from collections import Counter

LATIN = "latin"  # a language of Latin script, no matter which
# What one sign is worth: a sign of Chinese says about as much as a word of three letters.
_SCRIPTS: tuple[tuple[str, str, int], ...] = (
    ("ja", "\u3040-\u30ff", 3),
    ("zh", "\u3400-\u9fff", 3),
    ("ko", "\uac00-\ud7af", 3),
    ("ar", "\u0600-\u06ff\u0750-\u077f", 1),
    ("ru", "\u0400-\u04ff", 1),
    ("he", "\u0590-\u05ff", 1),
    ("el", "\u0370-\u03ff", 1),
    ("hi", "\u0900-\u097f", 1),
    ("th", "\u0e00-\u0e7f", 1),
    (LATIN, "A-Za-z\u00c0-\u024f", 1),
)
_SIGNS = tuple((name, re.compile(f"[{signs}]"), worth) for name, signs, worth in _SCRIPTS)
_COMMON: dict[str, str] = {
    "en": "the of and to is was were that with for are has have it on be this not by from which she he they",
    "de": "der die das und ist nicht ein eine zu mit den von auf für dem sich des wird wurde hat auch im ich sie",
    "fr": "le les des est une dans pour que qui pas du sur au avec il elle été sont vous je mais ce cette ont",
    "es": "el los las es una que por con para se no del al su como más ha fue pero está lo le son y",
    "it": "il gli che è una di per con non del della sono ha alla nel si ma come più questo lo anche è stato",
    "pt": "o os as é uma que por com para não do da em um se mais foi ao dos das você ele ela são está",
    "nl": "het een en van is dat op te zijn met voor niet aan er de die om heeft werd naar ook wordt bij",
    "pl": "nie się na jest że do to jak za przez przy oraz został była ale dla tak po od czy w z i",
    "tr": "bir ve bu için ile olarak olan da de çok daha en gibi sonra kadar ama değil var",
    "sv": "och att det som en är på för av med inte har till den ett om jag var han hon",
}  # fmt: skip
_COMMON_WORDS = {language: frozenset(words.split()) for language, words in _COMMON.items()}
NAMES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese",
    "nl": "Dutch", "pl": "Polish", "tr": "Turkish", "sv": "Swedish", "zh": "Chinese", "ja": "Japanese", "ko": "Korean",
    "ru": "Russian", "ar": "Arabic", "he": "Hebrew", "el": "Greek", "hi": "Hindi", "th": "Thai",
}  # fmt: skip
_WORD = re.compile(r"[^\W\d_]+")
# Identifiers, addresses and paths are in no language.
_NO_WORDS = re.compile(r"https?://\S+|\S+@\S+|\S*[/\\_]\S*|\S*\d\S*|`[^`\n]*`")

MAX_CHARS = 40_000  # enough of a long conversation to tell its languages
MOST = 0.7  # of a text is in its dominant script
SOME = 0.15  # of a conversation: what is spoken in it, too
LEAST_WEIGHT = 24
LEAST_COMMON_WORDS = 4


def dominant_language(text: str) -> str | None:
    """The language of nearly all of the text, `latin` where only its script can be told; None where not even that."""
    weights = _script_weights(text)
    total = sum(weights.values())
    if total < LEAST_WEIGHT:
        return None
    script, weight = weights.most_common(1)[0]
    if weight < MOST * total:
        return None
    return _latin_language(text) or LATIN if script == LATIN else script


def languages_in(text: str) -> set[str]:
    """All languages that are more than a few words of the text; empty where that can't be told."""
    weights = _script_weights(text)
    total = sum(weights.values())
    if total < LEAST_WEIGHT:
        return set()
    found = {script for script, weight in weights.items() if weight >= SOME * total}
    if LATIN in found:
        found.remove(LATIN)
        latin = _latin_languages(text)
        if not latin:
            return set()  # it may be any
        found |= latin
    return found


def is_latin(language: str) -> bool:
    """Whether the language is written in Latin script."""
    return language in _COMMON_WORDS


def language_name(text: str) -> str | None:
    """The English name of the one language of the text, to be told to a model."""
    spoken = languages_in(text)
    return NAMES[spoken.pop()] if len(spoken) == 1 else None


def _script_weights(text: str) -> Counter[str]:
    bare = _NO_WORDS.sub(" ", text[:MAX_CHARS])
    weights = Counter({name: worth * len(signs.findall(bare)) for name, signs, worth in _SIGNS})
    if weights["ja"] * 10 > weights["zh"]:  # Japanese is written with Chinese signs, too
        weights["ja"] += weights.pop("zh", 0)
    return +weights


def _latin_language(text: str) -> str | None:
    counts = _common_words(text)
    (first, most), (_, next_most) = counts.most_common(2)
    return first if most >= LEAST_COMMON_WORDS and most > 1.5 * next_most else None


def _latin_languages(text: str) -> set[str]:
    counts = _common_words(text)
    most = max(counts.values())
    if most < LEAST_COMMON_WORDS:
        return set()
    return {language for language, count in counts.items() if count >= max(LEAST_COMMON_WORDS, most / 3)}


def _common_words(text: str) -> Counter[str]:
    words = Counter(_WORD.findall(_NO_WORDS.sub(" ", text[:MAX_CHARS]).casefold()))
    return Counter({language: sum(words[word] for word in common) for language, common in _COMMON_WORDS.items()})
