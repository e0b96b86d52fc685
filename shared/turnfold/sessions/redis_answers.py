"""Answers of Redis as values, and values as arguments of scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import orjson

from turnfold import jsonio
from turnfold.sessions.entry import Entry, read_entry
from turnfold.sessions.head import Head
from turnfold.sessions.held import stretches_of
from turnfold.sessions.job import Job
from turnfold.sessions.ledger import savings_of
from turnfold.sessions.store import Appended, AppendWrite, OtherBody, Stale
from turnfold.sessions.view import View

# The scripts set these themselves: what the caller saw of them may be old.
_STORE_OWNED = ("fence", "created_at_ms", "last_active_at_ms")
_RESULT_OF_JOB = (
    "reason", "error", "summary_id", "model", "source_tokens", "summary_tokens", "prompt_tokens", "completion_tokens",
    "cost",
)  # fmt: skip


def flat(fields: Mapping[str, str]) -> list[str]:
    """Name, value, name, value, …"""
    return [part for pair in fields.items() for part in pair]


def settable(head: Head) -> dict[str, str]:
    """The fields of a head that a caller may set, and what a context saves: scripts can't read it off the state."""
    told = {name: text for name, text in head.to_hash().items() if name not in _STORE_OWNED}
    return told | {name: str(tokens) for name, tokens in savings_of(head.state).items()}


def reads_of(view: View) -> dict[str, str]:
    """What the script that reads a session must know of its view; beside the head, since it can't read all texts."""
    stretches = stretches_of(view.kept)
    kept = ",".join(f"{first}" if first == last else f"{first}-{last}" for first, last in stretches)
    return {"live_from": str(view.live), "read_from": str(view.read), "kept": kept}


def result_of(job: Job) -> dict[str, str]:
    """The fields of a job that its commit sets."""
    return {name: text for name, text in job.to_hash().items() if name in _RESULT_OF_JOB}


def head_of(found: Mapping[bytes, bytes]) -> Head | None:
    """A head from its hash; None where there is none."""
    return Head.from_hash({k.decode(): v.decode() for k, v in found.items()}) if found else None


def head_of_pairs(pairs: Sequence[bytes]) -> Head | None:
    """A head from its hash as a script answers it."""
    return head_of(dict(zip(pairs[::2], pairs[1::2], strict=True)))


def job_of(found: Mapping[bytes, bytes]) -> Job | None:
    """A job from its hash; None where there is none."""
    return Job.from_hash({k.decode(): v.decode() for k, v in found.items()}) if found else None


def job_of_pairs(pairs: Sequence[bytes]) -> Job | None:
    """A job from its hash as a script answers it."""
    return job_of(dict(zip(pairs[::2], pairs[1::2], strict=True)))


def entries_of(first: int, lines: Sequence[bytes]) -> dict[int, Entry]:
    """The entries of lines that follow each other from position `first` on; erased ones are left out."""
    found = (read_entry(position, line) for position, line in enumerate(lines, first))
    return {entry.position: entry for entry in found if entry is not None}


def appended_of(answer: Sequence[bytes], write: AppendWrite) -> Appended | Stale | OtherBody:
    """What the append script answered."""
    kind = answer[0]
    if kind == b"stale":
        return Stale(head_of_pairs(answer[1:]))
    if kind == b"other":
        return OtherBody()
    revision, first, last = (int(part) for part in answer[1:4])
    if kind == b"repeated":
        ids = tuple(orjson.loads(answer[4]))
        return Appended(first, last, ids, revision, jsonio.loads(answer[5]), repeated=True)
    ids = tuple(part.decode("utf-8", "surrogatepass") for part in answer[5:])
    return Appended(first, last, ids, revision, write.rest, head=write.head)
