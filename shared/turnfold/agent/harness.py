"""An agent for long work with tools, put together from a client and the model's numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from turnfold.agent.agent import MAX_TOOL_ROUNDS, Agent
from turnfold.agent.tool import Tool
from turnfold.compaction.context_window import ContextWindowCompactionStrategy
from turnfold.compaction.strategy import at_least
from turnfold.history.compaction_provider import CompactionProvider
from turnfold.history.context_provider import ContextProvider
from turnfold.history.conversation import Strategy, checked_compaction
from turnfold.history.history_provider import HistoryProvider
from turnfold.history.in_memory_history_provider import InMemoryHistoryProvider
from turnfold.tokens import TokenizerProtocol

HARNESS_INSTRUCTIONS = """\
You work on a task with the tools that you are given.
- Break the task into steps, and take them one by one.
- Look before you act: gather what you need by tools, and check your results.
- Say in a sentence what you found and what you do next.
- Where a call fails, try another way instead of the same call again.
- When the task is done, say briefly what you did and what you found."""


def create_harness_agent(
    client: Any,
    max_context_window_tokens: int | None = None,
    max_output_tokens: int | None = None,
    *,
    id: str | None = None,  # noqa: A002 - as the published designs name it
    name: str | None = None,
    description: str | None = None,
    harness_instructions: str | None = None,
    agent_instructions: str | None = None,
    instructions: str | None = None,
    tools: Tool | Iterable[Tool] | None = None,
    history_provider: HistoryProvider | None = None,
    disable_compaction: bool = False,
    before_compaction_strategy: Strategy | None = None,
    after_compaction_strategy: Strategy | None = None,
    tokenizer: TokenizerProtocol | None = None,
    context_providers: Iterable[ContextProvider] | None = None,
    default_options: Mapping[str, Any] | None = None,
    require_per_service_call_history_persistence: bool = True,
    max_tool_rounds: int = MAX_TOOL_ROUNDS,
) -> Agent:
    """An agent that compacts before every model call, and again what is stored after a run.

    Compaction is off unless both of the model's numbers are given, or a strategy. History is written after each call.

    Args:
        client: as for `Agent`.
        max_context_window_tokens, max_output_tokens: the model's numbers; from both comes one
            `ContextWindowCompactionStrategy`, which serves both phases. The second is also the limit of each reply,
            whether compaction is on or off.
        harness_instructions: in place of `HARNESS_INSTRUCTIONS`; empty: none.
        agent_instructions, instructions: what the agent is for; behind the harness's.
        history_provider: used as it is; the session's own history if not given.
        disable_compaction: beats numbers and strategies.
        before_compaction_strategy, after_compaction_strategy: for one of the phases, in place of the one from numbers.
        context_providers: further ones, behind history and compaction.
        default_options: of every call.
        require_per_service_call_history_persistence: off for a client whose service keeps the conversation.

    Raises:
        ValueError: a number is not positive, or the output's is not below the window's; see also `Agent`.
    """
    _check(max_context_window_tokens, max_output_tokens)
    before, after = before_compaction_strategy, after_compaction_strategy
    checked_compaction(before, tokenizer, name="before_compaction_strategy")
    checked_compaction(after, tokenizer, name="after_compaction_strategy")
    if max_context_window_tokens is not None and max_output_tokens is not None:
        window = ContextWindowCompactionStrategy(
            max_context_window_tokens=max_context_window_tokens, max_output_tokens=max_output_tokens
        )
        before, after = before or window, after or window
    if disable_compaction:
        before = after = None
    history = history_provider or InMemoryHistoryProvider()
    providers: list[ContextProvider] = [history]
    if after is not None:
        providers.append(
            CompactionProvider(after_strategy=after, tokenizer=tokenizer, history_source_id=history.source_id)
        )
    options = dict(default_options or {})
    if max_output_tokens is not None:
        options.setdefault("max_tokens", max_output_tokens)
    harness = HARNESS_INSTRUCTIONS if harness_instructions is None else harness_instructions
    return Agent(
        client,
        "\n\n".join(text for text in (harness, agent_instructions, instructions) if text) or None,
        id=id,
        name=name,
        description=description,
        tools=tools,
        context_providers=[*providers, *(context_providers or ())],
        default_options=options,
        compaction_strategy=before,
        tokenizer=tokenizer,
        require_per_service_call_history_persistence=require_per_service_call_history_persistence,
        max_tool_rounds=max_tool_rounds,
    )


def _check(window: int | None, output: int | None) -> None:
    if window is not None:
        at_least("max_context_window_tokens", window, 1)
    if output is not None:
        at_least("max_output_tokens", output, 1)
    if window is not None and output is not None and output >= window:
        raise ValueError(f"max_output_tokens: must be below max_context_window_tokens, {output} >= {window}")
