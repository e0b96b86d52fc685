"""The order that the Anthropic API asks for: a user first, then turns about, and no assistant last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from turnfold.formats.anthropic_blocks import THINKING, is_blank

# What stands in for a user where the conversation has none in that place.
OPENING = "[The conversation so far]"
GO_ON = "Continue."
_RESULT_SUFFIX = "_tool_result"


@dataclass(frozen=True, slots=True)
class Turn:
    """A message on its way out.

    Attributes:
        shell: fields of the message that it was read from.
        text: the content, where it was a string and still is all of it.
        is_made: a summary or a line, which may be said by either side.
    """

    role: str
    blocks: Sequence[Mapping[str, Any]]
    shell: Mapping[str, Any] = field(default_factory=dict[str, Any])
    text: str | None = None
    is_made: bool = False

    def to_dict(self) -> dict[str, Any]:
        content = self.text if self.text is not None else list(self.blocks)
        return {**self.shell, "role": self.role, "content": content}


def in_order(turns: Sequence[Turn]) -> tuple[list[Turn], list[Turn]]:
    """The turns as the API takes them, and the system messages that can't stay where they are."""
    said = [shown for turn in turns if (shown := _shown(turn)).blocks]
    placed, moved = _with_systems_placed(_with_sides_chosen(said))
    merged = _taking_turns(_without_last_thoughts(_taking_turns(placed)))
    if turns and (not merged or merged[0].role != "user"):
        merged.insert(0, _user(OPENING))
    if merged and merged[-1].role == "assistant":
        merged.append(_user(GO_ON))
    return merged, moved


def _taking_turns(turns: list[Turn]) -> list[Turn]:
    merged: list[Turn] = []
    for turn in turns:
        if merged and merged[-1].role == turn.role:
            merged[-1] = _joined(merged[-1], turn)
        else:
            merged.append(turn)
    return merged


def _without_last_thoughts(turns: list[Turn]) -> list[Turn]:
    """The API takes no message that ends in thinking."""
    shown: list[Turn] = []
    for turn in turns:
        blocks = list(turn.blocks)
        while turn.role == "assistant" and blocks and blocks[-1].get("type") in THINKING:
            blocks.pop()
        if blocks:
            shown.append(turn if len(blocks) == len(turn.blocks) else replace(turn, blocks=blocks))
    return shown


def _user(text: str) -> Turn:
    return Turn("user", [{"type": "text", "text": text}], text=text)


def _shown(turn: Turn) -> Turn:
    kept = [block for block in turn.blocks if not is_blank(block)]
    return turn if len(kept) == len(turn.blocks) else replace(turn, blocks=kept, text=None)


def _with_sides_chosen(turns: list[Turn]) -> list[Turn]:
    """Summaries at the start are a user's; so are those right before thinking, which must begin its message."""
    chosen: list[Turn] = []
    following: Turn | None = None
    for turn in reversed(turns):
        is_users = turn.is_made and following is not None and _is_led_by_thinking(following)
        chosen.append(replace(turn, role="user") if is_users else turn)
        if turn.role != "system":
            following = chosen[-1]
    chosen.reverse()
    for number, turn in enumerate(chosen):
        if turn.is_made:
            chosen[number] = replace(turn, role="user")
        elif turn.role != "system":
            break
    return chosen


def _is_led_by_thinking(turn: Turn) -> bool:
    return turn.role == "assistant" and turn.blocks[0].get("type") in THINKING


def _with_systems_placed(turns: list[Turn]) -> tuple[list[Turn], list[Turn]]:
    """A system message stays behind a user, or behind a tool that the provider ran, and before an assistant or the end.

    Source: Anthropic, "Mid-conversation system messages", placement.
    """
    placed: list[Turn] = []
    moved: list[Turn] = []
    for number, turn in enumerate(turns):
        following = turns[number + 1] if number + 1 < len(turns) else None
        may_stay = bool(placed) and _may_precede_system(placed[-1]) and (not following or following.role == "assistant")
        (placed if turn.role != "system" or may_stay else moved).append(turn)
    return placed, moved


def _may_precede_system(turn: Turn) -> bool:
    if turn.role == "assistant":
        kind = str(turn.blocks[-1].get("type"))
        return kind.endswith(_RESULT_SUFFIX) or kind == "server_tool_use"
    return turn.role == "user"


def _joined(first: Turn, second: Turn) -> Turn:
    """One message of two; results stand right behind their calls, so they come first by themselves."""
    blocks = [*first.blocks, *second.blocks]
    shell = first.shell or second.shell
    return replace(first, blocks=blocks, shell=shell, text=None, is_made=first.is_made and second.is_made)
