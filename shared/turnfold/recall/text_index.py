"""A full-text index of a session: SQLite's FTS5, ranked by BM25, in memory, as bytes in the store.

It holds no text, only which words stand where. A passage is found by its own words, and, for less, by those that were
said right before it: an answer seldom repeats its question.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace

from turnfold.errors import Unavailable
from turnfold.recall.findable import findable_text
from turnfold.recall.passages import passages
from turnfold.recall.words import matching_any, matching_beginnings, spaced
from turnfold.sessions.entry import Entry

# What is raised by a stored index that can't be read: at once, or when it is used.
UNREADABLE = (sqlite3.Error, zlib.error)
# Another number: what was stored is not read any more, and made anew.
FORMAT = 1
BEFORE_WEIGHT = 0.25
BEFORE_CHARS = 400
# A message counts for its best passage, half of its next one, a quarter of the one after that.
NEXT_PASSAGE = 0.5
# So many passages are looked at, and so many more for each message that is wanted.
PASSAGES, PASSAGES_A_MESSAGE = 64, 8
_SCHEMA = """
create virtual table words using fts5(said, before, content='',
    tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* Co M*'");
create table passages(id integer primary key, position integer, start integer, stop integer);
create table messages(position integer primary key, place integer);
create table told(name text primary key, value);
"""
_SEARCH = """
select p.position, p.start, p.stop, m.place, bm25(words, 1.0, ?) as rank
from words join passages p on p.id = words.rowid join messages m on m.position = p.position
where words match ? order by rank limit ?
"""


@dataclass(frozen=True, slots=True)
class Found:
    """The best passage of a message: where it stands, and how well the message matches (more is better).

    Attributes:
        place: of the message's group in the log.
    """

    position: int
    start: int
    stop: int
    place: int
    score: float


class TextIndex:
    """Opened, used and closed in one thread."""

    def __init__(self, stored: bytes | None = None) -> None:
        self._base = sqlite3.connect(":memory:", isolation_level=None)
        self._before = ""
        try:
            self._open(stored)
        except BaseException:
            self._base.close()
            raise

    def add(self, entries: Iterable[Entry]) -> None:
        """Takes messages in, oldest first, behind those that it has."""
        self._base.execute("begin")
        for entry in entries:
            self._base.execute("insert into messages values (?, ?)", (entry.position, entry.place))
            for place in entry.absorbed:
                self._base.execute("update messages set place = ? where place = ?", (entry.place, place))
            self._add_text(entry.position, findable_text(entry.message))
        self._base.execute("commit")

    def search(self, query: str, limit: int) -> list[Found]:
        """The messages that match, best first."""
        found = self._matching(matching_any(query), limit)
        if len(found) < limit:
            known = {one.position for one in found}
            found += [one for one in self._matching(matching_beginnings(query), limit) if one.position not in known]
        return found[:limit]

    def dump(self) -> bytes:
        """The index as bytes."""
        self._base.execute("insert or replace into told values ('before', ?)", (self._before,))
        self._base.execute("insert into words(words) values ('optimize')")
        self._base.execute("vacuum")
        return zlib.compress(self._base.serialize(), 1)

    def close(self) -> None:
        self._base.close()

    def _open(self, stored: bytes | None) -> None:
        if stored is None:
            try:
                self._base.executescript(_SCHEMA)
            except sqlite3.OperationalError as error:
                raise Unavailable(f"this Python's SQLite can't search texts: {error}") from error
            return
        self._base.deserialize(zlib.decompress(stored))
        ((before,),) = self._base.execute("select value from told where name = 'before'").fetchall() or [("",)]
        self._before = str(before)

    def _add_text(self, position: int, text: str) -> None:
        for start, stop in passages(text):
            passage = text[start:stop]
            said = spaced(passage)
            if not said.strip():  # encoded data
                continue
            row = self._base.execute("insert into passages values (null, ?, ?, ?)", (position, start, stop))
            told = (row.lastrowid, said, self._before)
            self._base.execute("insert into words(rowid, said, before) values (?, ?, ?)", told)
        if text.strip():
            self._before = spaced(text[-BEFORE_CHARS:])

    def _matching(self, expression: str, limit: int) -> list[Found]:
        if not expression:
            return []
        best: dict[int, Found] = {}
        weights: Counter[int] = Counter()
        rows = self._base.execute(_SEARCH, (BEFORE_WEIGHT, expression, PASSAGES + limit * PASSAGES_A_MESSAGE))
        for position, start, stop, place, rank in rows:  # the best ones first
            known = best.setdefault(position, Found(position, start, stop, place, 0.0))
            best[position] = replace(known, score=known.score - rank * NEXT_PASSAGE ** weights[position])
            weights[position] += 1
        return sorted(best.values(), key=lambda found: -found.score)[:limit]
