"""One conversation through one framework, with a model that follows a script: what all four are tested by."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from turnfold.service import TurnfoldService

FOUND = "The crate {key} left Esbjerg on 14 March with 312 pallets for Ana Brandt; the invoice is 4,310 euro. "
LOST = "found long ago"


class Told(NamedTuple):
    """One thing that was told: `kind` is user, assistant, system, call or result; `ref` a call's id."""

    kind: str
    text: str
    ref: str = ""


@dataclass(frozen=True, slots=True)
class Call:
    """A call that the model makes of the tool `lookup`."""

    id: str
    key: str


def next_step(seen: Sequence[Told]) -> list[Call] | str:
    """What the model does: two calls at once when the user has spoken, an answer when it has their results."""
    asked = next(told.text for told in reversed(seen) if told.kind == "user")
    number = asked.removeprefix("Turn ").partition(".")[0]
    if seen[-1].kind == "result":
        return f"Answer {number}. {FOUND.format(key=number)}"
    return [Call(f"call-{number}-{end}", f"{number}{end}") for end in "ab"]


def looked_up(key: str) -> str:
    """What the tool finds."""
    return FOUND.format(key=key) * 3


def turn(number: int) -> str:
    """What the user says."""
    return f"Turn {number}. Where is the crate, and who is it for?"


def told_in(numbers: Sequence[int]) -> list[Told]:
    """All that is said in these turns."""
    told: list[Told] = []
    for number in numbers:
        calls = [Call(f"call-{number}-{end}", f"{number}{end}") for end in "ab"]
        told.append(Told("user", turn(number)))
        told += [Told("call", call.key, call.id) for call in calls]
        told += [Told("result", looked_up(call.key), call.id) for call in calls]
        told.append(Told("assistant", f"Answer {number}. {FOUND.format(key=number)}"))
    return told


class Talk(ABC):
    """The conversation `user-42`, kept in a folder by the framework's own means.

    Another one on the same folder is the same conversation after a restart, or in another process.

    Args:
        turnfold: what the adapter uses; None: the framework without it.

    Attributes:
        seen: what the model was given at each call.
    """

    name = "user-42"

    def __init__(self, folder: Path, turnfold: TurnfoldService | None) -> None:
        self.folder, self.turnfold = folder, turnfold
        self.seen: list[list[Told]] = []

    @abstractmethod
    async def say(self, text: str) -> str:
        """A turn; the answer."""

    @abstractmethod
    async def stream(self, text: str) -> str:
        """A turn, its answer put together from what was streamed."""

    @abstractmethod
    async def stored(self) -> list[Told]:
        """The history that the framework keeps."""

    @abstractmethod
    async def plant_result_without_call(self) -> None:
        """Puts the result `LOST` of the unknown call `lost` into the history."""

    def step(self, seen: list[Told]) -> list[Call] | str:
        """Notes what the model was given, and decides."""
        self.seen.append(seen)
        return next_step(seen)
