"""The bundled demo conversation is valid, consistent with itself, and long enough to be folded several times."""

from __future__ import annotations

import json
import re
from datetime import date
from importlib.resources import files
from typing import Any

import pytest

from turnfold.messages import checked_messages
from turnfold.tokens import TiktokenTokenizer, message_tokens

CONVERSATION: dict[str, Any] = json.loads(files("turnfold.demo").joinpath("conversation.json").read_text("utf-8"))
MESSAGES: list[dict[str, Any]] = CONVERSATION["messages"]
CALLS: list[dict[str, Any]] = [call for message in MESSAGES for call in message.get("tool_calls", [])]
RESULTS = [message for message in MESSAGES if message["role"] == "tool"]
TOKENIZER = TiktokenTokenizer("o200k_base")

MONTHS = {"February": 2, "March": 3, "April": 4, "May": 5}
WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
NAMED_DAY = re.compile(rf"({'|'.join(WEEKDAYS)}) (\d{{1,2}}) ({'|'.join(MONTHS)})")


def arguments_of(calls: list[dict[str, Any]]) -> str:
    """All arguments of the calls, one after the other."""
    return "\n".join(call["function"]["arguments"] for call in calls)


def calls_in_turns(first: int, last: int) -> list[dict[str, Any]]:
    """The calls of some turns, counted from one; a user message starts a turn."""
    calls: list[dict[str, Any]] = []
    turn = 0
    for message in MESSAGES:
        turn += message["role"] == "user"
        calls += message.get("tool_calls", []) if first <= turn <= last else []
    return calls


def user_text(first: int, last: int) -> str:
    """What the user said in some turns, counted from one."""
    said: list[str] = [message["content"] for message in MESSAGES if message["role"] == "user"]
    return "\n".join(said[first - 1 : last])


def test_it_says_what_it_is_and_whose() -> None:
    assert list(CONVERSATION) == ["id", "title", "license", "source", "messages"]
    assert CONVERSATION["license"] == "MIT"
    assert CONVERSATION["source"] == "written for turnfold"


def test_every_message_is_one_that_turnfold_takes() -> None:
    assert len(checked_messages(MESSAGES)) == len(MESSAGES)
    assert {message["role"] for message in MESSAGES} == {"system", "user", "assistant", "tool"}


def test_it_starts_with_the_system_message_and_ends_with_an_answer() -> None:
    assert [message["role"] for message in MESSAGES[:2]] == ["system", "user"]
    assert MESSAGES[-1]["role"] == "assistant"
    assert MESSAGES[-1]["content"]
    assert "tool_calls" not in MESSAGES[-1]


def test_call_ids_are_unique() -> None:
    ids = [call["id"] for call in CALLS]

    assert len(ids) == len(set(ids))


def test_every_call_has_its_result_directly_behind_it_and_every_result_its_call() -> None:
    waiting: list[str] = []
    for message in MESSAGES:
        if message["role"] == "tool":
            assert message["tool_call_id"] == waiting.pop(0)
        else:
            assert waiting == []
            waiting = [call["id"] for call in message.get("tool_calls", [])]
    assert waiting == []


def test_arguments_are_json_objects_and_results_are_json_objects_or_tables() -> None:
    assert all(isinstance(json.loads(call["function"]["arguments"]), dict) for call in CALLS)
    for content in (result["content"] for result in RESULTS):
        assert " | " in content if not content.startswith("{") else isinstance(json.loads(content), dict)


def test_it_has_many_turns_several_tools_and_parallel_calls() -> None:
    parallel = [message for message in MESSAGES if len(message.get("tool_calls", [])) > 1]

    assert 44 <= sum(message["role"] == "user" for message in MESSAGES) <= 48
    assert len({call["function"]["name"] for call in CALLS}) == 8
    assert 7 <= len(parallel) <= 10


def test_no_text_is_said_twice() -> None:
    said = [message["content"] for message in MESSAGES if message["content"]]

    assert len(said) == len(set(said))


def test_it_is_long_enough_to_be_folded_four_times_above_12_000_tokens() -> None:
    assert 34_000 <= sum(message_tokens(message, TOKENIZER) for message in MESSAGES) <= 40_000


def test_results_are_neither_trivial_nor_oversized() -> None:
    sizes = [message_tokens(result, TOKENIZER) for result in RESULTS]

    assert min(sizes) >= 150
    assert max(sizes) <= 950


@pytest.mark.parametrize(
    "fact",
    ["NF-26-48113", "NF-26-48127", "receiving@brygga-fitout.example.com", "LA-PO-7731", "ledger@lindaune.example.org"],
)
def test_what_the_user_said_early_is_an_argument_late(fact: str) -> None:
    assert fact in user_text(2, 4)
    assert fact in arguments_of(calls_in_turns(37, 47))


def test_the_delivery_window_and_the_height_of_the_arch_are_needed_late() -> None:
    early, late = user_text(2, 4), arguments_of(calls_in_turns(37, 47))

    assert "between 06:30 and 08:30" in early
    assert "3.60 m" in early
    assert '"window": "06:30-08:30", "max_height_m": 3.6' in late


def test_a_corrected_date_is_never_booked() -> None:
    bookings = [call for call in CALLS if call["function"]["name"] == "amend_booking"]

    assert "The 14th, not the 12th" in user_text(6, 6)
    assert "2026-04-12" not in arguments_of(bookings)
    assert "0412" not in arguments_of(bookings)


def test_every_weekday_fits_its_date() -> None:
    text = "\n".join(message["content"] or "" for message in MESSAGES)
    named = NAMED_DAY.findall(text)

    assert len(named) > 50
    for weekday, day, month in named:
        assert WEEKDAYS[date(2026, MONTHS[month], int(day)).weekday()] == weekday


def test_mail_addresses_and_phone_numbers_are_fictional() -> None:
    text = json.dumps(MESSAGES, ensure_ascii=False)
    domains = re.findall(r"[\w.-]+@([\w-]+(?:\.[\w-]+)*)", text)
    phones = re.findall(r"\+\d[\d ]{6,}\d", text)

    assert all(re.search(r"(^|\.)example\.(com|org)$", domain) for domain in domains)
    # Reserved by the Swedish regulator for films and books: 070-174 06 05 to 070-174 06 99.
    assert phones
    assert all(re.fullmatch(r"\+46 70 174 06 \d\d", phone) and int(phone[-2:]) >= 5 for phone in phones)


def test_the_file_is_pretty_printed_and_readable_as_it_is() -> None:
    raw = files("turnfold.demo").joinpath("conversation.json").read_text("utf-8")

    assert raw == json.dumps(CONVERSATION, ensure_ascii=False, indent=1) + "\n"
