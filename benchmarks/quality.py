"""How much of what matters survives a summary: `quality.py FOLDER` reads the conversations of a folder.

FOLDER holds JSON lines, one conversation a line: `{"id", "messages": […]}`, messages in Chat Completions form.
Two things are measured, each beside two baselines of the same size:

- **needed**: the older part of an agent's chat is folded; of the values that occur in it and that are arguments of a
  later call, how many are in the summary?
- **answers**: for `NAME_qa.jsonl` (`{"conversation_id", "answers": […]}`) the whole of `NAME.jsonl` is folded; of the
  questions with an answer that occurs in it to the letter, how many have one in the summary?

Values with a digit in a summary that its source does not have are counted as invented.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from turnfold.content import text_fields, tool_calls
from turnfold.messages import Message
from turnfold.summaries.extractive import extract
from turnfold.summaries.summarizer import SummaryRequest
from turnfold.summaries.units import units_of
from turnfold.tokens import TiktokenTokenizer

FOLDER_VARIABLE = "TURNFOLD_BENCH_CONVERSATIONS"
RATIOS = (5, 10, 20)
COUNT = TiktokenTokenizer("o200k_base").count_tokens
SHORTEST_VALUE = 2
_VALUE_WITH_DIGIT = re.compile(r"[\w@./:-]*\d[\w@./:-]*")

Method = Callable[[SummaryRequest], str]


@dataclass
class Score:
    """One row of the table."""

    measure: str
    source: str
    ratio: int
    method: str
    wanted: int = 0
    kept: int = 0
    summaries: int = 0
    values: int = 0
    invented: int = 0
    over_budget: int = 0
    milliseconds: list[float] = field(default_factory=list[float])

    def row(self) -> dict[str, Any]:
        """The row as printed and written."""
        times = sorted(self.milliseconds) or [0.0]
        numbers = {key: value for key, value in asdict(self).items() if key != "milliseconds"}
        return numbers | {
            "kept_percent": round(100 * self.kept / max(1, self.wanted), 1),
            "invented_percent": round(100 * self.invented / max(1, self.values), 2),
            "ms_median": round(times[len(times) // 2], 1),
            "ms_most": round(times[-1], 1),
        }


def random_units(request: SummaryRequest) -> str:
    """Baseline: units drawn by lot until the budget is full."""
    texts = [unit.text for unit in units_of(request.messages)]
    random.Random(0).shuffle(texts)
    return _filled(texts, request.max_tokens, stop_when_full=False)


def last_messages(request: SummaryRequest) -> str:
    """Baseline: the newest units, as a truncation would leave them."""
    texts = [unit.text for unit in reversed(units_of(request.messages))]
    return _filled(texts, request.max_tokens, stop_when_full=True)


METHODS: dict[str, Method] = {"extractive": extract, "random units": random_units, "last messages": last_messages}


def _filled(texts: Sequence[str], room: int, *, stop_when_full: bool) -> str:
    chosen: list[str] = []
    for text in texts:
        cost = COUNT(text) + 1
        if cost <= room:
            chosen.append(text)
            room -= cost
        elif stop_when_full:
            break
    return "\n".join(chosen)


def measure_needed(path: Path, keep: int, min_tokens: int) -> Iterator[Score]:
    """Values of later calls, for all chats with calls in the file."""
    scores: dict[tuple[int, str], Score] = {}
    for chat in read_lines(path):
        folded, kept = split(chat["messages"], keep)
        source = source_text(folded)
        wanted = [value for value in sorted(set(argument_values(kept))) if occurs(value, source)]
        if not wanted or source_tokens(folded) < min_tokens:
            continue
        for ratio in RATIOS:
            for name in METHODS:
                score = scores.setdefault((ratio, name), Score("needed", path.stem, ratio, name))
                text = run(score, folded, source)
                score.wanted += len(wanted)
                score.kept += sum(occurs(value, text) for value in wanted)
    yield from scores.values()


def measure_answers(questions: Path) -> Iterator[Score]:
    """Answers to questions, for a file of questions beside its file of conversations."""
    path = questions.with_name(questions.name.replace("_qa.jsonl", ".jsonl"))
    asked: defaultdict[str, list[list[str]]] = defaultdict(list)
    for question in read_lines(questions):
        asked[question["conversation_id"]].append([answer.casefold() for answer in question["answers"]])
    scores: dict[tuple[int, str], Score] = {}
    for chat in read_lines(path):
        folded, _ = split(chat["messages"], 0)
        source = source_text(folded)
        sets = [[a for a in answers if occurs(a, source.casefold())] for answers in asked[chat["id"]]]
        for ratio in RATIOS:
            for name in METHODS:
                score = scores.setdefault((ratio, name), Score("answers", path.stem, ratio, name))
                text = run(score, folded, source).casefold()
                score.wanted += sum(1 for answers in sets if answers)
                score.kept += sum(any(occurs(answer, text) for answer in answers) for answers in sets)
    yield from scores.values()


def run(score: Score, folded: list[Message], source: str) -> str:
    """One summary, its time, size and invented values noted in the score."""
    tokens = source_tokens(folded)
    request = SummaryRequest(
        messages=folded, source_tokens=tokens, max_tokens=max(1, tokens // score.ratio), count_tokens=COUNT
    )
    started = time.perf_counter()
    text = METHODS[score.method](request)
    score.milliseconds.append(1000 * (time.perf_counter() - started))
    values = _VALUE_WITH_DIGIT.findall(text)
    score.summaries += 1
    score.values += len(values)
    score.invented += sum(value.strip("./:-") not in source for value in values)
    score.over_budget += COUNT(text) > request.max_tokens
    return text


def split(messages: Sequence[dict[str, Any]], keep: int) -> tuple[list[Message], list[Message]]:
    """What is folded, and the newest messages that stay; instructions are never folded."""
    said = [Message(message) for message in messages if message["role"] not in ("system", "developer")]
    end = max(0, len(said) - keep)
    return said[:end], said[end:]


def source_text(messages: Sequence[Message]) -> str:
    """All text of the messages; also with whitespace collapsed, and the strings of JSON without escapes."""
    fields = [text for message in messages for text in text_fields(message)]
    collapsed = [" ".join(text.split()) for text in fields]
    return "\n".join([*fields, *collapsed, *(value for text in fields for value in json_strings(text))])


def json_strings(text: str) -> list[str]:
    """The values within a text that is JSON."""
    try:
        return [" ".join(value.split()) for value in leaves(json.loads(text))]
    except (ValueError, RecursionError):
        return []


def source_tokens(messages: Sequence[Message]) -> int:
    """What the messages cost."""
    return sum(COUNT(text) for message in messages for text in text_fields(message))


def argument_values(messages: Sequence[Message]) -> Iterator[str]:
    """The strings and numbers given to tools."""
    for message in messages:
        for call in tool_calls(message):
            try:
                arguments = json.loads(call.arguments)
            except ValueError:
                continue
            yield from (value for value in leaves(arguments) if len(value) >= SHORTEST_VALUE)


def leaves(value: Any) -> Iterator[str]:
    """The plain values within a JSON value, as text."""
    if isinstance(value, (dict, list)):
        items: list[Any] = [*value.values()] if isinstance(value, dict) else value
        for item in items:
            yield from leaves(item)
    elif isinstance(value, (str, int, float)) and not isinstance(value, bool):
        yield str(value)


def occurs(value: str, text: str) -> bool:
    """Whether the value stands in the text, not as a part of a longer word."""
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text) is not None


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The objects of a file of JSON lines."""
    with path.open(encoding="utf-8", errors="surrogatepass") as file:
        yield from (json.loads(line) for line in file if line.strip())


def print_table(rows: Sequence[dict[str, Any]]) -> None:
    """The rows as a table in plain text."""
    titles = (
        "measure",
        "source",
        "ratio",
        "method",
        "wanted",
        "kept_percent",
        "invented",
        "over_budget",
        "ms_median",
        "ms_most",
    )
    cells = [titles, *(tuple(str(row[title]) for title in titles) for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(titles))]
    for line in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())


def main() -> int:
    """Runs all measures that the folder has data for."""
    parser = argparse.ArgumentParser(description="How much of what matters survives a summary.")
    parser.add_argument("folder", nargs="?", default=os.environ.get(FOLDER_VARIABLE), help="folder of JSON lines")
    parser.add_argument("--keep", type=int, default=8, help="newest messages that are not folded")
    parser.add_argument("--min-tokens", type=int, default=0, help="leave out chats whose folded part is smaller")
    parser.add_argument("--json", type=Path, help="write the rows to this file, too")
    options = parser.parse_args()
    if options.folder is None or not Path(options.folder).is_dir():
        named = f"{options.folder} is no folder" if options.folder else "no folder given"
        print(f"skipped: {named}; give one with conversations as argument or in {FOLDER_VARIABLE}", file=sys.stderr)
        return 0
    rows: list[dict[str, Any]] = []
    for path in sorted(Path(options.folder).glob("*.jsonl")):
        if path.stem.endswith("_qa"):
            rows += [score.row() for score in measure_answers(path)]
        elif not path.with_name(f"{path.stem}_qa.jsonl").exists():
            rows += [score.row() for score in measure_needed(path, options.keep, options.min_tokens)]
    print_table(rows)
    text = json.dumps(rows, indent=1)
    if options.json:
        options.json.write_text(text + "\n", encoding="utf-8")
    else:
        print(text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
