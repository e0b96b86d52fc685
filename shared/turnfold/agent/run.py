"""One run of an agent: providers, then model and tools in turn, then the history."""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

from turnfold.agent.chat_response import ChatResponse, TextPiece
from turnfold.agent.run_compaction import RunCompaction
from turnfold.agent.run_history import RunHistory
from turnfold.agent.run_plan import RunPlan, as_new
from turnfold.agent.tool import FunctionTool, as_tools, name_of, schemas_of
from turnfold.agent.tool_calls import answers_to, calls_of, can_answer, with_call_ids
from turnfold.content import ToolCall
from turnfold.history.agent_response import AgentResponse
from turnfold.history.history_provider import FIRST_USAGE, HistoryProvider
from turnfold.history.provider_scope import provider_scope
from turnfold.history.session_context import SessionContext
from turnfold.messages import Message
from turnfold.tokens import CharacterEstimatorTokenizer


class Run:
    """A run in progress. `steps` does it; nothing is stored unless it comes to its end.

    Attributes:
        response: what the run has given so far.
    """

    def __init__(self, plan: RunPlan) -> None:
        self.plan = plan
        self.response = AgentResponse()
        self._context = SessionContext(
            session_id=plan.session.session_id,
            service_session_id=(plan.conversation_id or "") if plan.is_kept_by_service else None,
            input_messages=plan.said,
            options=plan.options,
            history_source=None if plan.history is None else plan.history.source_id,
            tokenizer=plan.tokenizer,
        )
        self._history = RunHistory(plan, self._context)
        self._compaction = RunCompaction(plan, self._context)
        self._conversation_id = plan.conversation_id
        self._unsent: list[Message] = []
        self._tools: dict[str, FunctionTool] = {}
        self._options: dict[str, Any] = {}

    async def steps(self, *, streaming: bool) -> AsyncGenerator[TextPiece | Message]:
        """Text as it comes, where the client streams, and each message once it is whole."""
        await self._begin()
        while True:
            await self._compaction.before_call()
            async with aclosing(self._ask(streaming=streaming)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, TextPiece):
                        yield piece
                        continue
                    await self._take_reply(piece)
                    for message in piece.messages:
                        yield message
            calls = self._calls_to_answer()
            if not calls:
                break
            results = await answers_to(calls, self._tools)
            self._add(results)
            self._unsent = results
            for message in results:
                yield message
        await self._end()

    async def _begin(self) -> None:
        for provider in self.plan.providers:
            if isinstance(provider, HistoryProvider) and not provider.load_messages:
                continue
            with provider_scope(self.plan.session, provider.source_id) as state:
                await provider.before_run(
                    agent=self.plan.agent, session=self.plan.session, context=self._context, state=state
                )
        self._prepare_options()
        told = json.dumps(self._options.get("tools") or "") + str(self._options.get("instructions") or "")
        counter = self.plan.tokenizer or CharacterEstimatorTokenizer()
        self._compaction.begin(overhead_tokens=counter.count_tokens(told) if len(told) > len('""') else 0)
        self._unsent = self._context.get_messages(include_input=True)

    def _prepare_options(self) -> None:
        plan = self.plan
        # A run's tool goes over the agent's of the same name.
        tools = {name_of(tool): tool for tool in (*plan.tools, *as_tools(self._context.tools))}
        self._tools = {name: tool for name, tool in tools.items() if isinstance(tool, FunctionTool)}
        said = [plan.options.get("instructions") or plan.agent.instructions, *self._context.instructions]
        self._options = dict(plan.options)
        if instructions := "\n\n".join(text for text in said if text):
            self._options["instructions"] = instructions
        if tools:
            self._options["tools"] = schemas_of(tools.values())

    async def _ask(self, *, streaming: bool) -> AsyncGenerator[TextPiece | ChatResponse]:
        plan, client = self.plan, self.plan.agent.client
        options = dict(self._options)
        if self._conversation_id is not None:
            options["conversation_id"] = self._conversation_id
        if self.response.calls and options.get("tool_choice") not in (None, "auto", "none"):
            del options["tool_choice"]  # a call that was asked for has been made
        if self.response.calls >= plan.agent.max_tool_rounds and "tools" in options:
            options["tool_choice"] = "none"
        messages = self._unsent if plan.is_kept_by_service else self._compaction.projection()
        if streaming:
            async with aclosing(client.stream(messages, options=options, session=plan.session)) as pieces:
                async for piece in pieces:
                    yield piece
        else:
            yield await client.get_response(messages, options=options, session=plan.session)

    async def _take_reply(self, reply: ChatResponse) -> None:
        if reply.usage is not None:
            self.response.usage += reply.usage
            if not self.response.calls and self._compaction.is_unchanged:
                self._context.metadata[FIRST_USAGE] = reply.usage
        self.response.calls += 1
        self.response.response_id, self.response.finish_reason = reply.response_id, reply.finish_reason
        if self.plan.is_kept_by_service:
            self._conversation_id = reply.conversation_id or self._conversation_id
        reply.messages = with_call_ids(as_new(reply.messages))
        self._add(reply.messages)
        await self._history.after_call()

    def _add(self, messages: list[Message]) -> None:
        self.response.messages += messages
        self._history.add(messages)
        self._compaction.append(messages)

    def _calls_to_answer(self) -> list[ToolCall]:
        """The calls of the last reply; none where the caller has to answer them, or there were too many rounds."""
        replied = self.response.messages
        start = next((n for n in range(len(replied), 0, -1) if replied[n - 1].role == "tool"), 0)
        calls = calls_of(replied[start:])
        declared = (
            frozenset(str(tool.get("function", tool).get("name")) for tool in self._options.get("tools", ()))
            - self._tools.keys()
        )
        if self.response.calls > self.plan.agent.max_tool_rounds or not can_answer(calls, self._tools, declared):
            self.response.pending_tool_call_ids = [str(call.id) for call in calls]
            return []
        return calls

    async def _end(self) -> None:
        plan = self.plan
        self._context.response = self.response
        await self._history.after_run()
        self._compaction.keep()
        if plan.is_kept_by_service and self._conversation_id is not None:
            plan.session.service_session_id = self._conversation_id
        plan.session.source_ids = plan.source_ids
        await self._history.after_others()
        await self._compaction.request_summary()
