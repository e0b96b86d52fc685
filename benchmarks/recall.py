"""Whether what a summary lost is found again: `recall.py FOLDER` reads the questions of a folder.

FOLDER holds pairs of JSON lines: `NAME.jsonl`, a conversation a line, and `NAME_qa.jsonl`, questions with their answers
(`{"conversation_id", "question", "answers": […]}`). Each conversation is folded as a whole by the extractive
summarizer. Of the questions whose answer occurs in it to the letter, and in its summary no more: how often does one of
the best five messages of a search for the question hold the answer? How often does a passage that is shown of them?

With `--libraries` the same is asked of other search libraries, those that are installed.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quality import COUNT, FOLDER_VARIABLE, occurs, read_lines, source_text, source_tokens, split
from recall_libraries import LIBRARIES, Searcher

from turnfold.jobs.memory_queue import MemoryQueue
from turnfold.operations.recall import search
from turnfold.policy import Policy
from turnfold.recall.indexing import index_session
from turnfold.service import TurnfoldService
from turnfold.sessions.memory_store import MemoryStore
from turnfold.summaries.extractive import extract
from turnfold.summaries.summarizer import SummaryRequest

RATIOS = (5, 10, 20)
TOP = 5


@dataclass(frozen=True)
class Question:
    """A question, and those of its answers that occur in the conversation."""

    text: str
    answers: Sequence[str]

    def is_answered_by(self, text: str) -> bool:
        return any(occurs(answer, text.casefold()) for answer in self.answers)


@dataclass
class Score:
    """One row of the table."""

    what: str
    lost: int = 0
    found: int = 0
    first: int = 0
    shown: int = 0
    milliseconds: list[float] = field(default_factory=list[float])

    def row(self) -> list[str]:
        times = sorted(self.milliseconds) or [0.0]
        shares = [f"{100 * number / max(1, self.lost):.1f} %" for number in (self.found, self.first, self.shown)]
        return [self.what, str(self.lost), *shares, f"{times[len(times) // 2]:.1f}", f"{times[-1]:.1f}"]


TITLES = ["", "asked", f"in the best {TOP}", "in the best", "in what is shown", "ms", "ms most"]


async def measure(questions: Path, scores: dict[str, Score], libraries: dict[str, type[Searcher]]) -> None:
    """All conversations of a file of questions."""
    path = questions.with_name(questions.name.replace("_qa.jsonl", ".jsonl"))
    asked: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for question in read_lines(questions):
        asked[question["conversation_id"]].append(question)
    for chat in read_lines(path):
        folded, _ = split(chat["messages"], 0)
        source = source_text(folded).casefold()
        known = [one for one in map(_question, asked[chat["id"]]) if one.is_answered_by(source)]
        searchers = {name: make([message.text for message in folded]) for name, make in libraries.items()}
        service = await _session(chat["messages"])
        for ratio in RATIOS:
            summary = extract(_request(folded, ratio)).casefold()
            lost = [one for one in known if not one.is_answered_by(summary)]
            await _ask(service, lost, scores.setdefault(f"lost at {ratio}x", Score(f"lost at {ratio}x")))
            for name, searcher in searchers.items():
                _ask_library(searcher, lost, scores.setdefault(f"{name} {ratio}", Score(f"… by {name}")))
        await _ask(service, known, scores.setdefault("all", Score("all questions")))


async def _session(messages: Sequence[dict[str, Any]]) -> TurnfoldService:
    policy = Policy.parse({"strategy": "sliding_window", "keep_last_turns": 1})
    service = TurnfoldService(store=MemoryStore(), queue=MemoryQueue(), policy=policy, ttl_seconds=3600)
    await service.append("s", messages)
    await index_session(service.store, service.key("s"))
    return service


def _request(folded: Sequence[Any], ratio: int) -> SummaryRequest:
    tokens = source_tokens(folded)
    return SummaryRequest(messages=folded, source_tokens=tokens, max_tokens=tokens // ratio, count_tokens=COUNT)


async def _ask(service: TurnfoldService, questions: Sequence[Question], score: Score) -> None:
    for question in questions:
        began = time.perf_counter()
        hits = await search(service, "s", question.text, limit=TOP)
        score.milliseconds.append(1000 * (time.perf_counter() - began))
        _count(score, question, [hit.message.text for hit in hits], [hit.snippet for hit in hits])


def _ask_library(searcher: Searcher, questions: Sequence[Question], score: Score) -> None:
    for question in questions:
        began = time.perf_counter()
        texts = searcher.best(question.text, TOP)
        score.milliseconds.append(1000 * (time.perf_counter() - began))
        _count(score, question, texts, texts)


def _count(score: Score, question: Question, texts: Sequence[str], shown: Sequence[str]) -> None:
    score.lost += 1
    score.found += any(question.is_answered_by(text) for text in texts)
    score.first += any(question.is_answered_by(text) for text in texts[:1])
    score.shown += any(question.is_answered_by(text) for text in shown)


def _question(value: dict[str, Any]) -> Question:
    return Question(value["question"], [answer.casefold() for answer in value["answers"]])


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def main() -> int:
    """Prints the table; the exit code is 1 where the folder has no questions."""
    parser = argparse.ArgumentParser(description="Whether what a summary lost is found again.")
    parser.add_argument("folder", nargs="?", default=os.environ.get(FOLDER_VARIABLE), help="folder of JSON lines")
    parser.add_argument("--libraries", action="store_true", help="ask other search libraries, too")
    options = parser.parse_args()
    if options.folder is None or not Path(options.folder).is_dir():
        print(f"skipped: no folder given; give one as argument or in {FOLDER_VARIABLE}", file=sys.stderr)
        return 0
    scores: dict[str, Score] = {}
    for questions in sorted(Path(options.folder).glob("*_qa.jsonl")):
        asyncio.run(measure(questions, scores, LIBRARIES if options.libraries else {}))
    for line in _table([TITLES, *(score.row() for score in scores.values())]):
        print(line)
    return 0 if scores else 1


if __name__ == "__main__":
    raise SystemExit(main())
