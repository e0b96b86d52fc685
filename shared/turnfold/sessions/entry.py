"""One line of the log: a message with its id and what counting it gave.

    {"id":"msg_x8s2.7","n":[12,40,"o200k_base"],"g":[7,2],"m":{"role":"user","content":"…"}}

`g` says which group the message was put into, by the group's place, and in which turn; `a` the places of groups that
it took in. So reading a part of a log never has to guess what stood before it. The message is stored as it came: what
orjson can't write unchanged is marked by a leading `!` and read by the standard library. An erased message leaves an
empty line, so that positions stay.
"""

from __future__ import annotations

import json
import secrets
from dataclasses import dataclass
from typing import Any

import orjson

from turnfold import jsonio
from turnfold.index import Placement
from turnfold.messages import Message

SLOW = b"!"


@dataclass(frozen=True, slots=True)
class NewEntry:
    """A message on its way into the log.

    Attributes:
        given_id: the id that the message came with, empty: none. The store keeps it where it is unique.
        spare_id: random start of the id that the store gives otherwise; it ends with the position.
        body: the JSON of the line behind its id.
        slow: the line is read by the standard library.
    """

    given_id: str
    spare_id: str
    body: bytes
    slow: bool

    @property
    def start(self) -> bytes:
        return SLOW if self.slow else b""

    def line(self, message_id: str) -> bytes:
        return self.start + b'{"id":' + jsonio.dumps(message_id) + b"," + self.body


@dataclass(frozen=True, slots=True)
class Entry:
    """A message of the log, with its counts and its place among the groups."""

    position: int
    id: str
    tokens: int
    bytes: int
    tokenizer: str
    place: int
    turn: int
    absorbed: tuple[int, ...]
    message: Message


def new_entry(message: Message, counted: tuple[int, int], tokenizer: str, placement: Placement) -> NewEntry:
    """A message as it goes into the log, counted and grouped."""
    given = message.get("id")
    group = placement.group
    told = _told(counted, tokenizer, place=group.place, turn=group.turn or 0)
    if placement.absorbed:
        told["a"] = [old.place for old in placement.absorbed]
    return _entry(message, told, given if isinstance(given, str) else "")


def line_of(entry: Entry) -> bytes:
    """The line of an entry that was read, for one whose place has changed."""
    told = _told((entry.tokens, entry.bytes), entry.tokenizer, place=entry.place, turn=entry.turn)
    if entry.absorbed:
        told["a"] = entry.absorbed
    return _entry(entry.message, told, "").line(entry.id)


def read_entry(position: int, line: bytes) -> Entry | None:
    """The entry of a line, None where the message was erased."""
    if not line:
        return None
    value: Any = json.loads(line[1:]) if line.startswith(SLOW) else orjson.loads(line)
    tokens, size, tokenizer = value["n"]
    place, turn = value["g"]
    absorbed = tuple(value.get("a", ()))
    message = Message.marked(value["m"], {"id": value["id"]})
    return Entry(position, value["id"], tokens, size, tokenizer, place, turn, absorbed, message)


def _told(counted: tuple[int, int], tokenizer: str, *, place: int, turn: int) -> dict[str, Any]:
    return {"n": [*counted, tokenizer], "g": [place, turn]}


def _entry(message: Message, told: dict[str, Any], given_id: str) -> NewEntry:
    slow = not jsonio.is_plain(message)
    text = json.dumps(message, separators=(",", ":")).encode() if slow else orjson.dumps(message)
    body = orjson.dumps(told)[1:-1] + b',"m":' + text + b"}"
    return NewEntry(given_id, f"msg_{secrets.token_hex(10)}", body, slow)
