"""What is taken for an address, a telephone number, a card number; and what is not."""

from __future__ import annotations

import pytest

from turnfold.errors import BadInput
from turnfold.messages import Message
from turnfold.redaction.marks import Marks
from turnfold.redaction.patterns import own_patterns, patterns_named
from turnfold.redaction.redactor import Redactor

ALL = Redactor(patterns_named("card,email,phone"))


def values(text: str, redactor: Redactor = ALL) -> list[str]:
    marks = Marks()
    redactor.text(text, marks)
    return list(marks.new.values())


@pytest.mark.parametrize(
    "value",
    [
        "ana.brandt@example.com",
        "ana+orders@mail.example.co.uk",
        "ANA@EXAMPLE.ORG",
        "jürgen@müller.example",
        "ana%40example.com",
        "ana\\u0040example.com",
        "+45 75 12 34 56",
        "+1 (555) 010-9988",
        "(555) 010-9988",
        "555-010-9988",
        "0171 2345678",
        "00493012345678",
        "030/123 45 67",
        "13800138000",
        "4111 1111 1111 1111",
        "4111-1111-1111-1111",
        "5500005555555559",
        "371449635398431",
    ],
)
@pytest.mark.parametrize(
    "frame", ["{}", "Write it down: {}.", '{{"value": "{}"}}', "({}), please", "是{}吗", "a\n{}\nb"]
)
def test_it_is_redacted(value: str, frame: str) -> None:
    assert values(frame.format(value)) == [value]


@pytest.mark.parametrize(
    "text",
    [
        "on 2031-03-14 at 10:30, or 14.03.2031",
        "from 192.168.100.200",
        "order 20417, invoice 2031-00417",
        "4,310,000 euro and 1234567.89 dollars",
        "id 4111111111111112 is no card, for its last digit is wrong",
        "3.14159265358979",
        "commit 1234567890abcdef, session 8f14e45fceea167a",
        "@ana said a@b, and @example.com",
        "pytest==8.3.4 in /srv/data/2031/03/14/report.csv",
        "flight HAT136 on seat 12A for 3 people",
    ],
)
def test_it_is_left(text: str) -> None:
    assert values(text) == []


def test_a_bare_row_of_digits_is_a_number_to_call_where_the_text_says_so() -> None:
    assert values("My phone number is 5550109988.") == ["5550109988"]
    assert values("Reservation 5550109988.") == []


def test_only_what_is_named_is_redacted() -> None:
    redactor = Redactor(patterns_named("email"))

    assert values("ana@example.com or +45 75 12 34 56", redactor) == ["ana@example.com"]


def test_an_operators_own_patterns_come_first() -> None:
    redactor = Redactor([*own_patterns({"order": r"DK-\d+", "staff": r"\w+@corp\.example"}), *patterns_named("email")])
    marks = Marks()

    text = redactor.text("DK-99812 for ben@corp.example and ana@example.com", marks)

    assert text.count("[ORDER_") == text.count("[STAFF_") == text.count("[EMAIL_") == 1


@pytest.mark.parametrize("expressions", [{"x": "("}, {"x": ".*"}, {"Two words": "a"}, {"": "a"}])
def test_a_wrong_pattern_is_named(expressions: dict[str, str]) -> None:
    with pytest.raises(BadInput, match="SETTING"):
        own_patterns(expressions, "SETTING")


def test_an_unknown_kind_is_named() -> None:
    with pytest.raises(BadInput, match="'name' is not known; email, phone, card"):
        patterns_named("email,name")


def test_every_text_of_a_message_is_redacted_and_nothing_of_its_form() -> None:
    function = {"name": "book", "arguments": '{"to": "ana@example.com", "phone": "+45 75 12 34 56"}'}
    message = Message(
        {
            "role": "assistant",
            "id": "ana@example.com",
            "content": [{"type": "text", "text": "ana@example.com"}, {"type": "image_url", "image_url": {"url": "x"}}],
            "tool_calls": [{"id": "call_1", "type": "function", "function": function}],
            "reasoning_content": "So ben@example.com it is.",
            "name": "ana@example.com",
        }
    )
    marks = Marks()

    redacted = ALL.message(message, marks)

    assert redacted["id"] == "ana@example.com"
    assert redacted["tool_calls"][0]["id"] == "call_1"
    rest = str({name: value for name, value in redacted.items() if name != "id"})
    assert "example.com" not in rest
    assert "75 12" not in rest
    assert len(marks.new) == 3
    assert message["name"] == "ana@example.com"


def test_a_message_without_such_values_is_the_same_one() -> None:
    message = Message({"role": "user", "content": "Hello."})

    assert ALL.message(message, Marks()) is message


@pytest.mark.parametrize(
    "text", ["1" * 50_000, "1 " * 50_000, "a@" * 50_000, "a." * 50_000, "+45 75 12 34 56, " * 5_000]
)
def test_long_texts_take_no_long_time(text: str) -> None:
    assert isinstance(values(text), list)
