"""A compaction strategy of the framework, run on conversations of turnfold."""

from __future__ import annotations

from agent_framework import CompactionStrategy as FrameworkStrategy
from agent_framework import TokenizerProtocol, apply_compaction

from turnfold.adapters.agent_framework.writing import message_of
from turnfold.compaction.custom import CustomStrategy
from turnfold.messages import Message


def framework_strategy(theirs: FrameworkStrategy, *, tokenizer: TokenizerProtocol | None = None) -> CustomStrategy:
    """Their strategy as one of ours: for `apply_compaction`, pipelines, providers.

    What it hides is hidden in whole groups; what it puts in, summaries for example, stands where it put it.
    """

    async def run(messages: list[Message]) -> bool:
        ids = [f"turnfold_{place}" for place in range(len(messages))]
        given = dict(zip(ids, messages, strict=True))
        written = [message_of(message, message_id=name) for name, message in given.items()]
        left = await apply_compaction(written, strategy=theirs, tokenizer=tokenizer)
        messages[:] = [given.get(one.message_id or "") or Message(role=one.role, content=one.text) for one in left]
        return [one.message_id for one in left] != ids

    return CustomStrategy(run)
