"""Material without orders to models: a summary quotes what was said, but hands on no command that was hidden in it."""

from __future__ import annotations

from collections.abc import Sequence

from turnfold.summaries.facts import Mention
from turnfold.summaries.injection import is_order_to_models, pieces_with_orders
from turnfold.summaries.sentences import sentences
from turnfold.summaries.unit import Unit

USER = "user"
LEFT_OUT = "[…]"
# What a summary says where nothing but orders was said.
NOTHING_BUT_ORDERS = "An order to a model was left out."


def without_orders(units: Sequence[Unit]) -> list[Unit]:
    """The units; those that hold an order are not quoted, and only values of other fields in them count."""
    said_by_user = {i for i, unit in enumerate(units) if unit.speaker == USER}
    orders = pieces_with_orders([unit.text for unit in units], from_user=said_by_user)
    return [_silenced(unit) if i in orders else unit for i, unit in enumerate(units)]


def without_order_sentences(text: str) -> str:
    """A user's request without the sentences that hold an order; empty where nothing else is in it."""
    if not is_order_to_models(text, from_user=True):
        return text
    kept = [LEFT_OUT if is_order_to_models(one, from_user=True) else one for one in sentences(text)]
    return " ".join(kept) if any(one != LEFT_OUT for one in kept) else ""


def _silenced(unit: Unit) -> Unit:
    return unit._replace(text="", mentions=tuple(mention for mention in unit.mentions if _is_harmless(mention)))


def _is_harmless(mention: Mention) -> bool:
    """The value of a field that is no order itself. Of an ordering sentence nothing stays: it would name its aim."""
    return mention.label is not None and not is_order_to_models(f"{mention.label} {mention.text}")
