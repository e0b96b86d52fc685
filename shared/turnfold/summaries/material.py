"""What an extractive summary is made from, read once from the sources."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from turnfold.content import text_fields
from turnfold.summaries.aliases import share_credit
from turnfold.summaries.corrections import apply_corrections
from turnfold.summaries.digest import EarlierDigest, read_again
from turnfold.summaries.harmless import without_order_sentences, without_orders
from turnfold.summaries.ledger import Fact, doubt_common_words, gathered
from turnfold.summaries.one_line import one_line
from turnfold.summaries.pin import without_pin_blocks
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
    earlier = [read_again(without_pin_blocks(text, request.pins)) for text in request.earlier]
    units = [unit for digest in earlier for unit in digest.units]
    units += units_of(request.messages) or _reasoning(request)
    units = without_orders(units)
    facts = gathered(units)
    doubt_common_words(facts, units)
    apply_corrections(facts, units)
    share_credit(facts, units)
    first, latest = _requests(request, earlier)
    return Material(first, latest, units, facts, weights_of(facts, len(request.messages) - 1))


def _requests(request: SummaryRequest, earlier: Sequence[EarlierDigest]) -> tuple[str, str]:
    """The first and the latest request; `latest` is empty where it is the first."""
    said = [message.text for message in request.messages if message.get("role") == "user"]
    first = _first_said([*(digest.first for digest in earlier), *said])
    latest = _first_said([*reversed(said), *(digest.latest or digest.first for digest in reversed(earlier))])
    return first, latest if latest != first else ""


def _first_said(texts: Iterable[str]) -> str:
    """The first of the texts that says something, as one line."""
    return next((said for text in texts if (said := without_order_sentences(one_line(text)))), "")


def _reasoning(request: SummaryRequest) -> list[Unit]:
    """What is there when nothing was said: reasoning alone."""
    units: list[Unit] = []
    for position, message in enumerate(request.messages):
        for text in text_fields(message):
            units += spoken_units(position, str(message.get("role")), text)
    return units
