"""What a search finds: in many languages, in code and data, in long messages; what it ranks first."""

from __future__ import annotations

from contextlib import closing
from typing import Any

import pytest

from turnfold.messages import Message
from turnfold.recall.findable import HEADLINE, TOOL_NAME, findable_text
from turnfold.recall.passages import PASSAGE_CHARS, passages
from turnfold.recall.text_index import Found, TextIndex
from turnfold.sessions.entry import Entry


def entries(*messages: Any) -> list[Entry]:
    made = [Message({"role": "user", "content": one} if isinstance(one, str) else one) for one in messages]
    return [Entry(n, f"m{n}", 0, 0, "", n, 1, (), message) for n, message in enumerate(made, 1)]


def search(query: str, *messages: Any, limit: int = 5) -> list[Found]:
    with closing(TextIndex()) as index:
        index.add(entries(*messages))
        return index.search(query, limit)


def positions(query: str, *messages: Any) -> list[int]:
    return [found.position for found in search(query, *messages)]


FILLER = ["The weather was fine on the day.", "We should talk about the roof again.", "Thank you, that is all for now."]


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("When does the train leave?", "Trains are leaving at noon."),
        ("What's my dog's name?", "My dog is called Archie."),
        ("cafe in Zurich", "Das Café in Zürich war geschlossen."),
        ("Wie heißt die Katze?", "Unsere Katzen heißen Mia und Max."),
        ("故宫的电话是多少", "故宫博物院的电话是010-85007938,门票60元。"),
        ("東京のホテル", "先週、東京でホテルに泊まりました。"),
        ("서울 호텔 예약", "서울에서 호텔을 예약했습니다."),
        ("โรงแรม", "ผมพักที่โรงแรมในกรุงเทพ"),
        ("رقم الحجز", "رقم الحجز هو 4471 لليلة واحدة."),
        ("номер заказа", "Ваш номер заказа 99812."),
        ("मेरा नाम क्या है", "मेरा नाम अनिता है।"),
        ("order DK-99812", 'The crate is {"order": "DK-99812"}.'),
        ("getUserName", "It fails in def getUserName(self): pass."),
        ("user name", "It fails in def getUserName(self): pass."),
        ("order_id", '{"order_id": 7}'),
        ("crème brûlée", '{"dish": "cr\\u00e8me br\\u00fbl\\u00e9e", "note": "no\\nsugar"}'),
        ("ana.brandt@example.com", "Write to ana.brandt@example.com today."),
        ("/srv/data/report.csv", "It is in /srv/data/report.csv since May."),
    ],
)
def test_it_is_found_among_others(query: str, said: str) -> None:
    assert positions(query, *FILLER, said, *FILLER)[0] == 4


def test_the_whole_id_counts_for_more_than_a_part_of_it() -> None:
    assert positions("2031-03-14", "On 2031-05-14.", "In 2031, 03 and 14 apart.", "It is 2031-03-14.", *FILLER)[0] == 3


def test_arguments_and_results_of_calls_are_found() -> None:
    function = {"name": "book_hotel", "arguments": '{"city": "Esbjerg", "nights": 3}'}
    call = {"role": "assistant", "content": None, "tool_calls": [{"id": "a", "type": "function", "function": function}]}
    result = {"role": "tool", "tool_call_id": "a", "content": '{"confirmation": "HX-771"}'}

    assert positions("Esbjerg", *FILLER, call, result)[0] == 4
    assert positions("confirmation HX-771", *FILLER, call, result)[0] == 5


def test_an_answer_is_found_by_its_question() -> None:
    asked = {"role": "assistant", "content": "Which colour shall the bathroom tiles have?"}

    assert positions("colour of the bathroom tiles", *FILLER, asked, "Green, please.", *FILLER)[:2] == [4, 5]


def test_of_a_long_message_the_passage_is_told() -> None:
    long = " ".join(f"Line {n} tells nothing new about the harbour." for n in range(400))
    long += " The vault opens with 7-7-4-1. " + long

    (found, *_) = search("which numbers open the vault?", *FILLER, long)

    assert found.position == 4
    assert "7-7-4-1" in long[found.start : found.stop]
    assert found.stop - found.start <= PASSAGE_CHARS


def test_a_message_is_told_once_however_often_it_matches() -> None:
    assert positions("harbour", *["The harbour is full. " * 200] * 2) == [1, 2]


def test_encoded_data_is_no_word_of_the_index() -> None:
    with closing(TextIndex()) as small, closing(TextIndex()) as large:
        small.add(entries("An image:"))
        large.add(entries(f"An image: {'QUJD' * 50_000}"))
        assert len(large.dump()) < len(small.dump()) + 5_000


def test_what_was_recalled_is_not_found_in_place_of_what_it_quotes() -> None:
    call = {"id": "a", "type": "function", "function": {"name": TOOL_NAME, "arguments": '{"query": "spare key"}'}}
    asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    told = {"role": "tool", "tool_call_id": "a", "content": f"{HEADLINE}\n[1] user: The spare key is in the pot."}

    found = positions("spare key", "The spare key is in the pot.", *FILLER, asked, told)
    assert found[0] == 1
    assert not {5, 6} & set(found)
    assert findable_text(Message({**asked, "content": "Let me see."})) == "Let me see."


def test_an_index_goes_on_where_it_was_stored() -> None:
    said = entries(*FILLER, "Which colour?", "Green, please.", "Fine.")
    with closing(TextIndex()) as whole:
        whole.add(said)
        expected = whole.search("which colour", 5)
    with closing(TextIndex()) as index:
        index.add(said[:4])
        stored = index.dump()
    with closing(TextIndex(stored)) as index:
        index.add(said[4:])
        assert index.search("which colour", 5) == expected


def test_halves_of_characters_and_zeros_do_no_harm() -> None:
    assert positions("pot", "A \ud83d pot \x00 here.") == [1]
    assert positions("here", "A \ud83d pot \x00 here.") == [1]
    assert positions("pot \ud83d \x00", "A pot.") == [1]


@pytest.mark.parametrize(
    "text", ["", "x", "x" * 5000, "A sentence. " * 300, '{"a": [1, 2]}, ' * 300, "一二三。" * 500, "\n" * 1200]
)
def test_passages_are_the_whole_text_and_none_is_too_long(text: str) -> None:
    found = list(passages(text))

    assert "".join(text[start:stop] for start, stop in found) == text
    assert all(0 < stop - start <= PASSAGE_CHARS for start, stop in found)
