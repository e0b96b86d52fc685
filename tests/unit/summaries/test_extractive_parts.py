"""The parts of the extractive summarizer: rows, lines, coverage, cuts, and its own form read again."""

from __future__ import annotations

import json
from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from turnfold.summaries.coverage import covering_units
from turnfold.summaries.digest import read_again, written
from turnfold.summaries.fact_rules import FactKind
from turnfold.summaries.fit import CUT, cut_to
from turnfold.summaries.flatten import parsed, rows_of
from turnfold.summaries.ledger import Fact
from turnfold.summaries.one_line import one_line, word_end
from turnfold.summaries.sentences import MAX_SENTENCE_CHARS, sentences
from turnfold.summaries.unit import Unit
from turnfold.summaries.units import MAX_PIECES, units_of


def test_units_that_cover_most_new_weight_a_token_are_chosen_first() -> None:
    keys = [{"a", "b"}, {"a"}, {"c"}, {"a", "b"}]
    chosen = covering_units(keys, [2.0, 2.0, 2.0, 2.0], weights={"a": 1, "b": 1, "c": 1.5}, budget=10)
    assert chosen == [0, 2]


def test_a_unit_that_does_not_fit_makes_way_for_one_that_does() -> None:
    assert covering_units([{"a"}, {"b"}], [9.0, 2.0], weights={"a": 100, "b": 1}, budget=3) == [1]


@given(st.lists(st.tuples(st.sets(st.sampled_from("abcdef")), st.integers(1, 5)), max_size=7), st.integers(0, 12))
def test_coverage_keeps_to_the_budget_and_is_not_far_from_the_best(
    units: list[tuple[set[str], int]], budget: int
) -> None:
    # given all weights one, and the best choice by trying all
    keys, costs = [unit[0] for unit in units], [float(unit[1]) for unit in units]
    weights = dict.fromkeys("abcdef", 1.0)
    choices = [c for n in range(len(units) + 1) for c in combinations(range(len(units)), n)]
    possible = [c for c in choices if sum(costs[i] for i in c) <= budget]
    best = max(len(set[str]().union(*(keys[i] for i in c))) for c in possible)
    # when units are chosen greedily
    chosen = covering_units(keys, costs, weights=weights, budget=budget)
    # then the choice fits, and with the best single unit as alternative it reaches the proven part of the best
    covered = len(set[str]().union(*(keys[i] for i in chosen)))
    single = max((len(k) for k, c in zip(keys, costs, strict=True) if c <= budget), default=0)
    assert sum(costs[i] for i in chosen) <= budget
    assert max(covered, single) >= 0.316 * best


def test_json_becomes_rows_with_the_path_to_them() -> None:
    value = parsed('{"a": 1.50, "b": {"c": [{"d": "x"}, {"d": null}]}, "e": ["y", true]}')
    rows = [(row.path, row.fields) for row in rows_of(value)]
    assert rows == [
        ((), (("a", "1.50"),)),
        (("b", "c"), (("d", "x"),)),
        (("b", "c"), (("d", ""),)),
        (("e",), (("", "y"), ("", "true"))),
    ]


def test_text_that_is_no_json_is_not_parsed() -> None:
    assert [parsed(text) for text in ("", "12", '"x"', "{a}", "[1, 2", "{" * 5000)] == [None] * 6


def test_a_number_of_any_length_stays_as_it_is_written() -> None:
    digits = "9" * 6000
    assert parsed(f'{{"n": {digits}}}') == {"n": digits}


def test_of_a_dump_both_ends_are_read() -> None:
    units = units_of([{"role": "tool", "content": json.dumps([{"n": f"row_{n}"} for n in range(3 * MAX_PIECES)])}])
    assert len(units) == MAX_PIECES
    assert (units[0].text, units[-1].text) == ("n=row_0", f"n=row_{3 * MAX_PIECES - 1}")


def test_sentences_end_at_signs_that_more_follows() -> None:
    text = "1. First one. Second, e.g. this? **Third**: yes.\n- 你好。再见！ok"
    assert list(sentences(text)) == ["First one.", "Second, e.g. this?", "Third: yes.", "你好。", "再见！", "ok"]


@given(st.text(max_size=300).map(lambda text: text * 5))
def test_sentences_are_lines_of_bounded_length(text: str) -> None:
    for sentence in sentences(text):
        assert 0 < len(sentence) <= MAX_SENTENCE_CHARS
        assert sentence.splitlines() == [sentence]


@given(st.text())
def test_one_line_is_one_line(text: str) -> None:
    assert len(one_line(text).splitlines()) <= 1
    assert one_line(one_line(text)) == one_line(text)


def test_no_word_is_cut_unless_it_is_endless() -> None:
    assert word_end("pay $1234 now", 7) == 4
    assert word_end("价格是1234元", 5) == 3
    assert word_end("a" * 300, 250) == 250


@given(st.text(max_size=200), st.integers(0, 60))
def test_a_cut_text_fits_and_is_a_start_of_the_whole(text: str, max_tokens: int) -> None:
    cut = cut_to(text, max_tokens, len)
    assert len(cut) <= max_tokens
    assert cut == text or text.startswith(cut.removesuffix(CUT))


def test_a_digest_is_read_again_as_it_was_written() -> None:
    # given a digest with all that one can hold
    units = [
        (0, Unit(0, "user", "I want it green.", ())),
        (1, Unit(1, "assistant", "It is taken.", ())),
        (3, Unit(1, "assistant", "Shall I ask?", ())),
        (4, Unit(2, "call", "ask(id=A-1)", (), is_call=True)),
        (5, Unit(3, "tool ask", "sent", ())),
    ]
    facts = [Fact("A-1", FactKind.ID, "id"), Fact("May 20, 2031", FactKind.DATE), Fact("B-2", FactKind.ID, "id")]
    text = written("Paint it.", "Go on.", facts, units)
    assert text.splitlines() == [
        "First request: Paint it.",
        "Latest request: Go on.",
        "id: A-1, B-2",
        'date: "May 20, 2031"',
        "- user: I want it green.",
        "- assistant: It is taken. … Shall I ask?",
        "- call ask(id=A-1)",
        "- tool ask: sent",
    ]
    # when it is read
    digest = read_again(text)
    # then requests, values with their labels, speakers and calls are there
    assert (digest.first, digest.latest) == ("Paint it.", "Go on.")
    values = [(mention.label, mention.text) for unit in digest.units if not unit.text for mention in unit.mentions]
    assert values == [("id", "A-1"), ("id", "B-2"), ("date", "May 20, 2031")]
    lines = [(unit.speaker, unit.text, unit.is_call) for unit in digest.units if unit.text]
    assert ("call", "ask(id=A-1)", True) in lines
    assert ("tool ask", "sent", False) in lines
    assert all(unit.is_carried for unit in digest.units)
