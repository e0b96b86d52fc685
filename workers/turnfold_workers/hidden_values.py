"""What a summarizer is shown of a job's sources, where values are redacted."""

from __future__ import annotations

from dataclasses import dataclass

from turnfold.errors import SummarizerTransient
from turnfold.redaction.marks import Marks
from turnfold.redaction.redacting import redacted
from turnfold.redaction.redactor import Redactor
from turnfold.sessions.head import Head
from turnfold.sessions.job import Job
from turnfold.sessions.store import SessionStore
from turnfold.summaries.summarizer import SummaryRequest


@dataclass(frozen=True, slots=True)
class Shown:
    """A request as it leaves, and the marks in it."""

    request: SummaryRequest
    marks: Marks

    def undone(self, text: str) -> str:
        """A reply with values in the place of marks."""
        return self.marks.undone(text)


async def shown(store: SessionStore, redactor: Redactor | None, job: Job, head: Head, request: SummaryRequest) -> Shown:
    """The request with marks in the place of values; they are kept with the session before anything leaves.

    Raises:
        SummarizerTransient: the session, or a message of it, was erased meanwhile.
    """
    if redactor is None:
        return Shown(request, Marks())
    marks = Marks(await store.marks(job.key))
    hidden = redacted(request, redactor, marks)
    if marks.new and not await store.keep_marks(job.key, job.incarnation, head.erased, marks.new):
        raise SummarizerTransient("a message was erased meanwhile")
    return Shown(hidden, marks)
