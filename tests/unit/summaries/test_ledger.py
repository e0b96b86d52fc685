"""What the ledger knows of a value, how it ranks values, and how it is shown."""

from __future__ import annotations

from typing import Any

from turnfold.summaries.aliases import share_credit
from turnfold.summaries.fact_rules import FactKind
from turnfold.summaries.ledger import Fact, doubt_common_words, gathered, ledger_lines
from turnfold.summaries.units import units_of
from turnfold.summaries.weights import weight_of


def facts_of(*messages: dict[str, Any]) -> dict[str, Fact]:
    units = units_of(messages)
    facts = gathered(units)
    doubt_common_words(facts, units)
    share_credit(facts, units)
    return facts


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def tool(text: str) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": "c1", "content": text}


def call(arguments: str) -> dict[str, Any]:
    function = {"name": "look", "arguments": arguments}
    return {"role": "assistant", "tool_calls": [{"id": "c1", "type": "function", "function": function}]}


def test_a_fact_knows_who_said_it_and_whether_a_tool_took_it() -> None:
    fact = facts_of(user("It is W-20417."), call('{"order_id": "W-20417"}'), tool('{"order_id": "W-20417"}'))["w-20417"]
    assert fact.speakers == {"user", "call", "tool"}
    assert (fact.is_argument, fact.count, fact.last, fact.label) == (True, 3, 2, "order_id")


def test_a_value_is_shown_as_the_tool_took_it() -> None:
    facts = facts_of(tool('{"cabin": "Economy"}'), call('{"class": "economy"}'), tool('{"cabin": "ECONOMY"}'))
    assert ledger_lines([facts["economy"]]) == ["class: economy"]


def test_each_sign_of_use_adds_weight() -> None:
    plain = Fact("W-1", FactKind.ID, speakers=frozenset({"tool"}), is_doubtful=False, count=1)
    said = Fact("W-1", FactKind.ID, speakers=frozenset({"tool", "user"}), is_doubtful=False, count=1)
    taken = Fact("W-1", FactKind.ID, speakers=frozenset({"tool"}), is_argument=True, count=1)
    often = Fact("W-1", FactKind.ID, speakers=frozenset({"tool"}), count=8)
    late = Fact("W-1", FactKind.ID, speakers=frozenset({"tool"}), count=1, last=9)
    carried = Fact("W-1", FactKind.ID, speakers=frozenset({"tool"}), is_carried=True, count=1)
    for fact in (said, taken, often, late, carried):
        assert weight_of(fact, 9) > weight_of(plain, 9)
    assert weight_of(taken, 9) > weight_of(said, 9)


def test_a_number_within_an_id_credits_the_id() -> None:
    facts = facts_of(tool('{"id": "card_5540021"}'), user("Charge the card 5540021, please."))
    assert "user" in facts["card_5540021"].speakers
    assert facts["5540021"].is_part


def test_a_day_in_words_credits_the_date() -> None:
    facts = facts_of(tool('{"day": "2031-05-20"}'), user("I come on May 20th."))
    assert "user" in facts["2031-05-20"].speakers


def test_an_option_in_words_credits_the_field() -> None:
    facts = facts_of(tool('{"trip": "one_way"}'), user("It is a one-way trip."))
    assert "user" in facts["one_way"].speakers


def test_names_of_prices_are_options() -> None:
    facts = facts_of(tool('{"prices": {"economy": 12, "business": 30}}'))
    assert (facts["economy"].label, facts["economy"].text) == ("prices", "economy")


def test_ids_by_which_objects_are_kept_are_values() -> None:
    facts = facts_of(tool('{"methods": {"card_5540021": {"source": "card"}}, "address1": "Mill"}'))
    assert (facts["card_5540021"].label, facts["card_5540021"].kind) == ("methods", FactKind.ID)
    assert "address1" not in facts


def test_a_capitalized_word_that_is_also_written_small_is_no_name() -> None:
    facts = facts_of(user("We call it Plan here. It is a plan by Amara."))
    assert not facts["plan"].can_stand_alone
    assert facts["amara"].can_stand_alone


def test_words_and_numbers_in_running_text_cannot_stand_alone() -> None:
    assert not facts_of(user("take 30 of them"))["30"].can_stand_alone


def test_values_with_one_label_share_a_line() -> None:
    facts = [Fact("A-1", FactKind.ID, "id"), Fact("2031-05-20", FactKind.DATE), Fact("B-2", FactKind.ID, "id")]
    assert ledger_lines(facts) == ["id: A-1, B-2", "date: 2031-05-20"]


def test_a_value_that_holds_the_separator_is_quoted() -> None:
    assert ledger_lines([Fact("May 20, 2031", FactKind.DATE)]) == ['date: "May 20, 2031"']


def test_a_label_that_poses_as_a_speaker_gives_way_to_the_form() -> None:
    for label in ("user", "First request", "-x", "", ":"):
        assert Fact("A-1", FactKind.ID, label).shown_label == "id"
    assert Fact("A-1", FactKind.ID, "a: b,\tc").shown_label == "a b c"
