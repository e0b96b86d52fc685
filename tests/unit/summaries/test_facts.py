"""Which values are found, and what they are taken for."""

from __future__ import annotations

import pytest

from turnfold.summaries.fact_rules import FactKind
from turnfold.summaries.facts import Mention, field_fact, find_facts, kind_of

FOUND = [
    ("Write to ann.lee+x@example.org please.", "ann.lee+x@example.org", FactKind.EMAIL),
    ("See https://example.org/a?b=c.", "https://example.org/a?b=c", FactKind.URL),
    ("Open /srv/app/main.py now", "/srv/app/main.py", FactKind.PATH),
    ("It is in parse_rows.py, line 3", "parse_rows.py", FactKind.PATH),
    ("On 2031-03-09 it rains", "2031-03-09", FactKind.DATE),
    ("on March 9, 2031 it rains", "March 9, 2031", FactKind.DATE),
    ("the 20th of May suits", "20th of May", FactKind.DATE),
    ("in 2031年3月9日见", "2031年3月9日", FactKind.DATE),
    ("at 5:30 pm or later", "5:30 pm", FactKind.TIME),
    ("at 10 AM or later", "10 AM", FactKind.TIME),
    ("Call +353 21 496 0000 today", "+353 21 496 0000", FactKind.PHONE),
    ("Call (555) 123-4567 today", "(555) 123-4567", FactKind.PHONE),
    ("costs $1,234.56, I think", "$1,234.56", FactKind.AMOUNT),
    ("a deal of €5 million", "€5 million", FactKind.AMOUNT),
    ("about 12.5% less", "12.5%", FactKind.AMOUNT),
    ("人均消费68元的", "68元", FactKind.AMOUNT),
    ("lives at 12 Harbour Street there", "12 Harbour Street", FactKind.ADDRESS),
    ("the order #W-20417 is", "#W-20417", FactKind.ID),
    ("use card_5540021 for it", "card_5540021", FactKind.ID),
    ("booking UM3OG5 is", "UM3OG5", FactKind.ID),
    ("version 1.2.3 of", "1.2.3", FactKind.ID),
    ("account 55400217 is", "55400217", FactKind.ID),
    ("the code ABC is", "ABC", FactKind.NAME),
    ("met Amara Diallo in town", "Amara Diallo", FactKind.NAME),
    ("it's called 'Tech for Good' there", "Tech for Good", FactKind.QUOTED),
    ("for 30 minutes each", "30 minutes", FactKind.NUMBER),
]


@pytest.mark.parametrize(("text", "value", "kind"), FOUND)
def test_a_value_is_found_with_its_form(text: str, value: str, kind: FactKind) -> None:
    assert (value, kind) in [(mention.text, mention.kind) for mention in find_facts(text)]


def test_each_place_is_one_value() -> None:
    texts = [mention.text for mention in find_facts("on 2031-03-09 at /srv/app_2/x1.py with a_1@b2.org")]
    assert sorted(texts) == ["/srv/app_2/x1.py", "2031-03-09", "a_1@b2.org"]


def test_a_capital_that_starts_a_sentence_is_doubtful() -> None:
    first, second = find_facts("Tomorrow we meet Amara")
    assert (first.text, first.doubtful) == ("Tomorrow", True)
    assert (second.text, second.doubtful) == ("Amara", False)


def test_a_blob_is_no_value() -> None:
    assert find_facts("data " + "aB3/" * 60) == []


def test_plain_words_hold_no_values() -> None:
    assert find_facts("nothing to be found in here, really") == []


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("economy", FactKind.WORD),
        ("grey and blue", FactKind.QUOTED),
        ("12", FactKind.NUMBER),
        ("-1.5e3", FactKind.NUMBER),
        ("5540021", FactKind.ID),
        ("JFK", FactKind.ID),
        ("2031-03-09", FactKind.DATE),
        ("2031-03-09T10:00:00Z", FactKind.TIME),
    ],
)
def test_a_fields_value_has_a_form_as_a_whole(value: str, kind: FactKind) -> None:
    assert kind_of(value) is kind


def test_bare_numbers_are_told_apart_by_their_fields() -> None:
    assert field_fact("bags", "3").key != field_fact("seats", "3").key
    assert field_fact("id", "card_1").key == field_fact("payment_id", "card_1").key


def test_small_letters_tell_codes_from_names_but_not_words_from_words() -> None:
    assert field_fact("port", "MIA").key != field_fact("name", "Mia").key
    assert field_fact("cabin", "Economy").key == field_fact("cabin", "economy").key


def test_a_mention_is_verbatim() -> None:
    assert field_fact("name", "Zoë") == Mention("zoë", "Zoë", FactKind.NAME, "name")
