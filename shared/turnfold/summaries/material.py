"""What an extractive summary is made from, read once from the sources."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from turnfold.content import text_fields
from turnfold.summaries.aliases import share_credit
from turnfold.summaries.digest import EarlierDigest, read_again
from turnfold.summaries.ledger import Fact, doubt_common_words, gathered
from turnfold.summaries.one_line import one_line
from turnfold.summaries.summarizer import SummaryRequest
from turnfold.summaries.unit import Unit
from turnfold.summaries.units import spoken_units, units_of
from turnfold.summaries.weights import weights_of


@dataclass(frozen=True, slots=True)
class Material:
    """The sources, taken apart.

    Attributes:
        first, latest: the first and the latest request of the user, one line each; `latest` is empty where it is the
            first.
        units: all lines that could be quoted, those of earlier summaries before the others.
        facts: all values by their keys.
        weights: what each fact is worth.
    """

    first: str
    latest: str
    units: Sequence[Unit]
    facts: dict[str, Fact]
    weights: dict[str, float]


def material_of(request: SummaryRequest) -> Material:
    """Reads the sources of a summary."""
    earlier = [read_again(text) for text in request.earlier]
    units = [unit for digest in earlier for unit in digest.units]
    units += units_of(request.messages) or _reasoning(request)
    facts = gathered(units)
    doubt_common_words(facts, units)
    share_credit(facts, units)
    first, latest = _requests(request, earlier)
    return Material(first, latest, units, facts, weights_of(facts, len(request.messages) - 1))


def _requests(request: SummaryRequest, earlier: Sequence[EarlierDigest]) -> tuple[str, str]:
    said = [one_line(message.text) for message in request.messages if message.get("role") == "user"]
    said = [text for text in said if text]
    firsts = [digest.first for digest in earlier if digest.first] + said
    latests = [digest.latest or digest.first for digest in earlier if digest.latest or digest.first] + said
    if not firsts:
        return "", ""
    return firsts[0], latests[-1] if latests[-1] != firsts[0] else ""


def _reasoning(request: SummaryRequest) -> list[Unit]:
    """What is there when nothing was said: reasoning alone."""
    units: list[Unit] = []
    for position, message in enumerate(request.messages):
        for text in text_fields(message):
            units += spoken_units(position, str(message.get("role")), text)
    return units
