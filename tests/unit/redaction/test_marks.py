"""Marks stand for values, and become them again."""

from __future__ import annotations

import re

from turnfold.messages import Message
from turnfold.redaction.marks import Marks
from turnfold.redaction.patterns import patterns_named
from turnfold.redaction.redacting import RedactingSummarizer, redacted
from turnfold.redaction.redactor import Redactor
from turnfold.summaries.quality_gate import rejection
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest

REDACTOR = Redactor(patterns_named("email,phone,card"))
TEXT = "Ana writes from ana@example.com, Ben from ben@example.com; call +45 75 12 34 56."


def test_the_same_value_has_the_same_mark_another_one_has_another() -> None:
    marks = Marks()

    ana, ben, again = (marks.mark_of("email", value) for value in ("ana@x.de", "ben@x.de", "ana@x.de"))

    assert ana == again != ben
    assert re.fullmatch(r"\[EMAIL_[A-Z2-9]{4}\]", ana)
    assert any(char.isdigit() for char in ana)


def test_marks_go_on_from_job_to_job() -> None:
    first = Marks()
    mark = first.mark_of("email", "ana@x.de")

    second = Marks(first.new)

    assert second.mark_of("email", "ana@x.de") == mark
    assert second.new == {}
    assert second.undone(f"Write to {mark}.") == "Write to ana@x.de."


def test_what_was_redacted_is_undone_to_the_letter() -> None:
    marks = Marks()

    hidden = REDACTOR.text(TEXT, marks)

    assert "@" not in hidden
    assert "75" not in hidden
    assert marks.undone(hidden) == TEXT


def test_a_mark_is_known_again_as_models_write_it() -> None:
    marks = Marks()
    mark = marks.mark_of("email", "ana@x.de")
    bare, escaped = mark[1:-1], mark.replace("_", "\\_")

    for written in (mark, bare, escaped, f"({mark})", f"**{bare}**"):
        assert "ana@x.de" in marks.undone(f"Write to {written}, please.")
    assert marks.undone(f"X{bare}Y {bare}Z") == f"X{bare}Y {bare}Z"
    assert marks.undone(r"a\_b [EMAIL_2AAA]") == r"a\_b [EMAIL_2AAA]"


def test_a_value_that_looks_like_an_expression_is_put_in_as_it_is() -> None:
    marks = Marks()

    assert marks.undone(marks.mark_of("own", r"a\1(b")) == r"a\1(b"


def request(text: str = TEXT) -> SummaryRequest:
    message = Message({"role": "user", "content": text * 9})
    return SummaryRequest(messages=[message], earlier=[text], source_tokens=400, max_tokens=64, count_tokens=len)


class Model:
    name = "model"
    fallback_model = "second"

    def __init__(self) -> None:
        self.asked: list[SummaryRequest] = []

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        self.asked.append(request)
        return SummaryReply(text=f"They said: {request.earlier[0]}", model="m")


async def test_a_summarizer_sees_marks_and_its_reply_has_values() -> None:
    model = Model()
    summarizer = RedactingSummarizer(model, REDACTOR)

    reply = await summarizer.summarize(request())

    assert reply.text == f"They said: {TEXT}"
    (asked,) = model.asked
    assert asked.has_marks
    assert "@" not in str(asked.messages) + str(asked.earlier)
    assert (summarizer.name, summarizer.fallback_model) == ("model", "second")


async def test_a_request_without_such_values_goes_as_it_is() -> None:
    model, plain = Model(), request("Nothing to hide. ")

    await RedactingSummarizer(model, REDACTOR).summarize(plain)

    assert model.asked == [plain]


def test_a_mark_that_a_model_makes_up_is_an_invented_value() -> None:
    marks = Marks()
    hidden = redacted(request(), REDACTOR, marks)
    made_up = SummaryReply(text="Ana can be reached at [EMAIL_Z9ZZ] during the day.", model="m", prompt_version="2")
    known = SummaryReply(text=f"Ana can be reached at {next(iter(marks.new))}.", model="m", prompt_version="2")

    assert rejection(known, hidden) is None
    assert rejection(made_up, hidden) is not None
