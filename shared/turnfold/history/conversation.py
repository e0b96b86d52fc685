"""A history as groups, together with what compaction made of it in earlier runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, cast

from turnfold.compaction.custom import CustomStrategy, MessagesStrategy, as_strategy, checked_strategy
from turnfold.compaction.run import CompactionRun
from turnfold.compaction.strategy import CompactionStrategy
from turnfold.groups import MessageGroup, MessageGroupKind
from turnfold.history.compaction_view import CompactionView, MadeRecord
from turnfold.history.message_keys import KeyChain, id_of, is_summary, names
from turnfold.history.stamps import is_from_context
from turnfold.history.view_records import hidden_groups, made_records, restored
from turnfold.index import MessageIndex
from turnfold.jsonio import is_array
from turnfold.messages import Message, as_message
from turnfold.tokens import TokenizerProtocol

Strategy = CompactionStrategy | MessagesStrategy


def checked_compaction(strategy: object, tokenizer: object, *, name: str) -> None:
    """Refuses what could not compact where it is given, and not in the middle of a run; None is neither.

    Args:
        name: what the strategy's argument is called.

    Raises:
        TypeError: naming the argument.
    """
    if strategy is not None:
        checked_strategy(strategy, name)
    if tokenizer is not None and not isinstance(tokenizer, TokenizerProtocol):
        raise TypeError(f"tokenizer: must have count_tokens(text), as a TiktokenTokenizer has, not {tokenizer!r}")


_PROTECTED = "protected"


class Conversation:
    """Messages in order, each known again from run to run, with the summaries that stand for some of them.

    Args:
        messages: the history; summaries among them are told by their metadata.
        view: what compaction made of it so far; records whose sources are not among the messages are left out.
        keep_unresolved: such records stay in the view: only a part of the history was read.
    """

    def __init__(
        self,
        messages: Iterable[Mapping[str, Any]] = (),
        *,
        view: CompactionView | None = None,
        tokenizer: TokenizerProtocol | None = None,
        overhead_tokens: int = 0,
        keep_unresolved: bool = False,
    ) -> None:
        self.index = MessageIndex(tokenizer=tokenizer, overhead_tokens=overhead_tokens)
        self._chain = KeyChain()
        self._taken: list[Message] = []
        self._chains: list[str] = []  # of the messages taken in, worked out when somebody asks
        self._places: list[int] = []  # of each message of the index, which one taken in it is
        self._given: dict[str, int] = {}  # of each summary that came with the messages, the same
        self._unresolved: tuple[MadeRecord, ...] = ()
        self.append(messages)
        if view is not None:
            unresolved = restored(self, view)
            self._unresolved = unresolved if keep_unresolved else ()

    def append(self, messages: Iterable[Mapping[str, Any]]) -> None:
        """Takes messages in at the end. They are copied: a strategy may change what it is given."""
        plain: list[Message] = []
        summaries: list[MessageGroup] = []
        for message in map(as_message, messages):
            self._taken.append(message)
            if is_summary(message):
                summaries.append(self._given_summary(message))
                continue
            self._places.append(len(self._taken) - 1)
            plain.append(Message.marked(_own(message), message.metadata))
        self._append_to_index(plain)
        for made in reversed(summaries):  # of one place the index puts the newest first
            self.index.insert(made)

    async def compact(
        self, strategy: Strategy, *, run: CompactionRun | None = None, protected: Sequence[MessageGroup] = ()
    ) -> bool:
        """Runs a strategy; whether anything changed.

        Args:
            protected: groups that it must not touch, such as what the user asks for just now; they count all the same.
                A strategy of the caller's own may put something else in their place.
        """
        chosen = as_strategy(strategy)
        if isinstance(chosen, CustomStrategy):  # it is shown everything; what it drops of these comes back
            changed = await chosen.compact(self.index, run)
            self._show(group for group in protected if group.summarized_by is None)
            return changed
        newest = next((group for group in reversed(self.index.groups) if group.included), None)
        held = [group for group in protected if group.included and group is not newest]
        overhead = self.index.overhead_tokens
        for group in held:
            self.index.exclude(group, _PROTECTED)
            self.index.overhead_tokens += group.token_count
        try:
            return await chosen.compact(self.index, run)
        finally:
            self.index.overhead_tokens = overhead
            self._show(held)

    def projection(self) -> list[Message]:
        """What the model gets, valid for every provider."""
        return self.index.projection()

    def view(self) -> CompactionView:
        """What compaction made of the conversation, to be kept until its next run."""
        return CompactionView((*self._unresolved, *made_records(self)), hidden_groups(self))

    def counted_by(self, tokenizer: TokenizerProtocol) -> Conversation:
        """The same with counts of another tokenizer."""
        return Conversation(self._taken, view=self.view(), tokenizer=tokenizer, keep_unresolved=True)

    def newest_user_group(self) -> MessageGroup | None:
        """What the user said last."""
        users = (group for group in reversed(self.index.groups) if group.kind is MessageGroupKind.USER)
        return next(users, None)

    def names_of(self, group: MessageGroup) -> tuple[str, ...]:
        """By which a later run finds the group; empty where it can't: a context provider put it there for this run."""
        if not self.is_given(group):
            return (f"made:{group.id}",)
        at = self._places[group.positions[0]] if group.positions else self._given[group.id]
        message = self._taken[at]
        return () if is_from_context(message) else names(id_of(message), self._chain_at(at))

    def is_given(self, group: MessageGroup) -> bool:
        """Whether the group came with the messages: somebody else keeps it."""
        return bool(group.positions) or group.id in self._given

    def _show(self, groups: Iterable[MessageGroup]) -> None:
        for group in groups:
            self.index.include(group)

    def _append_to_index(self, messages: list[Message]) -> None:
        self.index.append(messages)

    def _given_summary(self, message: Message) -> MessageGroup:
        """A summary that came with the messages, as a group before the next message."""
        at = len(self._taken) - 1
        made = MessageGroup(f"given-{at}", MessageGroupKind.SUMMARY, None, len(self._places))
        made.summary_of, made.durable = tuple(message.metadata["summary_of"]), True
        made.messages, made.message_count = [Message.marked(message, message.metadata)], 1
        made.token_count, made.byte_count = self.index.measure(message)
        self._given[made.id] = at
        return made

    def _chain_at(self, at: int) -> str:
        while len(self._chains) <= at:
            self._chains.append(self._chain.next(self._taken[len(self._chains)]))
        return self._chains[at]


def _own(value: Any) -> Any:
    """The value with mappings and arrays of its own, down to the last: who changes them changes nobody else's."""
    if isinstance(value, dict):
        return {name: _own(item) for name, item in cast("dict[str, Any]", value).items()}
    return [_own(item) for item in value] if is_array(value) else value
