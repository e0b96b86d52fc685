"""How much of what matters survives a summary: `quality.py FOLDER` reads the conversations of a folder.

FOLDER holds JSON lines, one conversation a line: `{"id", "messages": […]}`, messages in Chat Completions form.
Two things are measured, each beside two baselines of the same size:

- **needed**: the older part of an agent's chat is folded; of the values that occur in it and that are arguments of a
  later call, how many are in the summary?
- **answers**: for `NAME_qa.jsonl` (`{"conversation_id", "answers": […]}`) the whole of `NAME.jsonl` is folded; of the
  questions with an answer that occurs in it to the letter, how many have one in the summary?

Values with a digit in a summary that its source does not have are counted as invented. Times are of the processor.

With `--model-chats N` a real small model writes, too, for the first N chats of each file: its prose as it is, the prose
with the ledger that rides along, and what a session gets in the end, the quality gate and the fallback included. The
other methods are measured on the same chats beside it.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from quality_bench.conversations import (
    COUNT,
    argument_values,
    occurs,
    read_lines,
    source_text,
    source_tokens,
    split,
)
from quality_bench.methods import RULES, Method, ModelMethods
from quality_bench.scores import Score, print_table
from quality_bench.small_model import SmallModel

from turnfold.messages import Message
from turnfold.summaries.summarizer import SummaryRequest

FOLDER_VARIABLE = "TURNFOLD_BENCH_CONVERSATIONS"
BESIDE = Path(__file__).parents[2] / "shared" / "data"
RATIOS = (5, 10, 20)
# At a tenth of the size, the summarizer without a model keeps at least so many percent, on files of these names.
BARS = {"tau_airline": 90.0, "bfcl_memory": 40.0}
BAR_RATIO, BAR_METHOD, MOST_MS = 10, "extractive", 50.0
_VALUE_WITH_DIGIT = re.compile(r"[\w@./:-]*\d[\w@./:-]*")

Methods = dict[str, Method]


def measure_needed(path: Path, methods: Methods, options: argparse.Namespace) -> Iterator[Score]:
    """Values of later calls, for all chats with calls in the file."""
    scores: dict[tuple[int, str], Score] = {}
    for chat in islice(_with_needed_values(path, options), options.chats):
        folded, source, wanted = chat
        for ratio in RATIOS:
            for name, method in methods.items():
                score = scores.setdefault((ratio, name), Score("needed", path.stem, ratio, name))
                text = run(score, method, folded, source)
                score.wanted += len(wanted)
                score.kept += sum(occurs(value, text) for value in wanted)
    yield from scores.values()


def _with_needed_values(path: Path, options: argparse.Namespace) -> Iterator[tuple[list[Message], str, list[str]]]:
    for chat in read_lines(path):
        folded, kept = split(chat["messages"], options.keep)
        source = source_text(folded)
        wanted = [value for value in sorted(set(argument_values(kept))) if occurs(value, source)]
        if wanted and source_tokens(folded) >= options.min_tokens:
            yield folded, source, wanted


def measure_answers(questions: Path, methods: Methods, options: argparse.Namespace) -> Iterator[Score]:
    """Answers to questions, for a file of questions beside its file of conversations."""
    path = questions.with_name(questions.name.replace("_qa.jsonl", ".jsonl"))
    asked: defaultdict[str, list[list[str]]] = defaultdict(list)
    for question in read_lines(questions):
        asked[question["conversation_id"]].append([answer.casefold() for answer in question["answers"]])
    scores: dict[tuple[int, str], Score] = {}
    for chat in islice(read_lines(path), options.chats):
        folded, _ = split(chat["messages"], 0)
        source = source_text(folded)
        sets = [[a for a in answers if occurs(a, source.casefold())] for answers in asked[chat["id"]]]
        for ratio in RATIOS:
            for name, method in methods.items():
                score = scores.setdefault((ratio, name), Score("answers", path.stem, ratio, name))
                text = run(score, method, folded, source).casefold()
                score.wanted += sum(1 for answers in sets if answers)
                score.kept += sum(any(occurs(answer, text) for answer in answers) for answers in sets)
    yield from scores.values()


def run(score: Score, method: Method, folded: list[Message], source: str) -> str:
    """One summary, its time, size and invented values noted in the score."""
    tokens = source_tokens(folded)
    request = SummaryRequest(
        messages=folded, source_tokens=tokens, max_tokens=max(1, tokens // score.ratio), count_tokens=COUNT
    )
    started = time.process_time()
    text = method(request)
    score.milliseconds.append(1000 * (time.process_time() - started))
    values = _VALUE_WITH_DIGIT.findall(text)
    score.summaries += 1
    score.values += len(values)
    score.invented += sum(value.strip("./:-") not in source for value in values)
    score.over_budget += COUNT(text) > request.max_tokens
    return text


def measure(folder: Path, methods: Methods, options: argparse.Namespace) -> list[dict[str, Any]]:
    """The rows of all files of the folder."""
    rows: list[dict[str, Any]] = []
    for path in sorted(folder.glob("*.jsonl")):
        if options.only and options.only not in path.stem:
            continue
        if path.stem.endswith("_qa"):
            rows += [score.row() for score in measure_answers(path, methods, options)]
        elif not path.with_name(f"{path.stem}_qa.jsonl").exists():
            rows += [score.row() for score in measure_needed(path, methods, options)]
    return rows


def missed_bars(rows: Sequence[dict[str, Any]]) -> list[str]:
    """What falls short, a sentence each."""
    missed: list[str] = []
    for row in rows:
        if (row["ratio"], row["method"]) != (BAR_RATIO, BAR_METHOD) or row["source"] not in BARS:
            continue
        name, least = row["source"], BARS[row["source"]]
        if row["kept_percent"] < least:
            missed.append(f"{name}: {row['kept_percent']} % kept, the bar is {least} %")
        if row["invented"]:
            missed.append(f"{name}: {row['invented']} values invented")
        if row["ms_median"] >= MOST_MS:
            missed.append(f"{name}: {row['ms_median']} ms a chat, the bar is {MOST_MS} ms")
    return missed


def parsed() -> argparse.Namespace:
    """What was asked for."""
    parser = argparse.ArgumentParser(description="How much of what matters survives a summary.")
    default = os.environ.get(FOLDER_VARIABLE) or (str(BESIDE) if BESIDE.is_dir() else None)
    parser.add_argument("folder", nargs="?", default=default, help="folder of JSON lines")
    parser.add_argument("--keep", type=int, default=8, help="newest messages that are not folded")
    parser.add_argument("--min-tokens", type=int, default=0, help="leave out chats whose folded part is smaller")
    parser.add_argument("--only", default="", help="only files with this in their names")
    parser.add_argument("--model-chats", type=int, default=0, help="let a small model write for so many chats a file")
    parser.add_argument("--json", type=Path, help="write the rows to this file, too")
    options = parser.parse_args()
    options.chats = options.model_chats or None
    return options


def main() -> int:
    """Runs all measures that the folder has data for; 1 where a bar is missed."""
    options = parsed()
    if options.folder is None or not Path(options.folder).is_dir():
        named = f"{options.folder} is no folder" if options.folder else "no folder given"
        print(f"skipped: {named}; give one with conversations as argument or in {FOLDER_VARIABLE}", file=sys.stderr)
        return 0
    methods = dict(RULES)
    if options.model_chats:
        if not SmallModel.is_there():
            print("skipped: no small model is installed; `make small-model` does that", file=sys.stderr)
            return 0
        methods |= ModelMethods(SmallModel()).methods
    rows = measure(Path(options.folder), methods, options)
    print_table(rows)
    if options.json:
        options.json.parent.mkdir(parents=True, exist_ok=True)
        options.json.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    missed = [] if options.model_chats else missed_bars(rows)
    for line in missed:
        print(f"missed: {line}", file=sys.stderr)
    return 1 if missed else 0


if __name__ == "__main__":
    raise SystemExit(main())
