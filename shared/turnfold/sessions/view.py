"""What compaction made of a session: where reading starts, summaries and lines, what is hidden.

A view lets a turn be read without the history before it: `kept` names the few messages before the start that are still
shown (system messages, above all) or may still change (open calls).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from turnfold import jsonio
from turnfold.groups import MessageGroup
from turnfold.messages import Message
from turnfold.sessions.held import NOTHING_HELD, Held

Hidden = tuple[int, int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """One session's view.

    Attributes:
        live: where what no summary covers begins: where a worker reads from.
        read: where what the model gets begins: where a turn reads from; never before `live`.
        kept: positions before `read` that are read all the same.
        covered: positions behind `live` that a summary covers: late results of folded calls.
        passed: positions behind `read` that belong to something hidden before it.
        made: summaries, and the lines of collapsed groups.
        hidden: first and last place and reason of what inline steps hid; system groups are not meant.
        hidden_system: place and reason of system groups that inline steps hid.
        held: what was unfolded, to stay so; what of it stands before `live` is kept.
    """

    live: int = 1
    read: int = 1
    kept: tuple[int, ...] = ()
    covered: tuple[int, ...] = ()
    passed: tuple[int, ...] = ()
    made: tuple[MessageGroup, ...] = ()
    hidden: tuple[Hidden, ...] = ()
    hidden_system: tuple[tuple[int, str], ...] = ()
    held: Held = NOTHING_HELD

    @property
    def kept_before_live(self) -> tuple[int, ...]:
        return tuple(position for position in self.kept if position < self.live)

    def to_json(self) -> bytes:
        return jsonio.dumps(
            {
                "live": self.live,
                "read": self.read,
                "kept": self.kept,
                "covered": self.covered,
                "passed": self.passed,
                "made": [_made_to_dict(group) for group in self.made],
                "hidden": self.hidden,
                "hidden_system": self.hidden_system,
                **({"held": self.held.to_json()} if self.held else {}),
            }
        )

    @classmethod
    def from_json(cls, text: bytes | None) -> View:
        if not text:
            return cls()
        value = jsonio.loads(text)
        return cls(
            live=value["live"],
            read=value["read"],
            kept=tuple(value["kept"]),
            covered=tuple(value["covered"]),
            passed=tuple(value["passed"]),
            made=tuple(_made_from_dict(item) for item in value["made"]),
            hidden=tuple((first, last, reason) for first, last, reason in value["hidden"]),
            hidden_system=tuple((place, reason) for place, reason in value["hidden_system"]),
            held=Held.from_json(value["held"]) if "held" in value else NOTHING_HELD,
        )


def _made_to_dict(group: MessageGroup) -> dict[str, Any]:
    (message,) = group.messages
    return {"group": group.to_dict(), "text": message.text, "metadata": message.metadata}


def _made_from_dict(item: Mapping[str, Any]) -> MessageGroup:
    group = MessageGroup.from_dict(item["group"])
    group.messages = [Message.marked({"role": "assistant", "content": item["text"]}, item["metadata"])]
    return group
