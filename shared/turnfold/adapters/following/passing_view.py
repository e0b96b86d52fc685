"""A history that is not stored, after the steps of a policy that need no model."""

from __future__ import annotations

from turnfold.adapters.following.history import History
from turnfold.compaction.run import CompactionRun
from turnfold.index import MessageIndex
from turnfold.messages import Message
from turnfold.policy import Policy


async def passing_view(policy: Policy, history: History) -> list[int | Message]:
    """Places of the messages that are shown, and messages that the policy made. Summaries are not made here."""
    marked = [Message.marked(one, {"id": id_}) for one, id_ in zip(history.messages, history.ids, strict=True)]
    index = MessageIndex(marked, tokenizer=policy.tokenizer)
    await policy.strategy.compact(index, CompactionRun(deferred=True))
    places = {id_: place for place, id_ in enumerate(history.ids)}
    return [places.get(message.metadata.get("id", ""), message) for message in index.projection()]
