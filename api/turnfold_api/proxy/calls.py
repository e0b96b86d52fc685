"""The path of a call: find the session, send its context to the model's server, store the turn, give the reply."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass
from typing import Any

import httpx
from fastapi import Response
from starlette.responses import StreamingResponse

from turnfold import jsonio
from turnfold.beside import run_beside
from turnfold.jsonio import is_object
from turnfold.service import TurnfoldService
from turnfold_api.body import LARGE_BYTES
from turnfold_api.proxy.call_body import CallBody, history_of
from turnfold_api.proxy.openai_errors import UpstreamFailed
from turnfold_api.proxy.reply import StreamedReply
from turnfold_api.proxy.sent_context import SentContext, compacted, context_of
from turnfold_api.proxy.target import Body, Target, find_target
from turnfold_api.proxy.turn_writer import STORED, TurnWriter
from turnfold_api.proxy.upstream import Upstream

PATH = "/chat/completions"
PASSED_BACK = ("retry-after", "x-request-id")


@dataclass(frozen=True, slots=True)
class Caller:
    """What a call came with beside its body, and the server that it goes on to.

    Attributes:
        session_id: from the header or the address; otherwise the body's metadata may have one.
    """

    headers: Mapping[str, str]
    session_id: str | None
    service: TurnfoldService
    upstream: Upstream


async def complete(raw: bytes, caller: Caller) -> Response:
    """
    Raises:
        BadInput, UnparsableJson, UpstreamFailed, Unavailable
    """
    call = await run_beside(CallBody.parse, raw) if len(raw) > LARGE_BYTES else CallBody.parse(raw)
    body = Body.of(call.messages, history_of(caller.headers.get("x-turnfold-history")))
    session_id = caller.session_id or call.session_id
    if session_id is None:
        sent = await compacted(call.messages, caller.service.policy)
        return await _answer(call, caller, sent, None, sent.headers)
    target = await find_target(caller.service, session_id, body)
    sent = await context_of(caller.service, target, body.instructions)
    writer = TurnWriter(caller.service, session_id, body, target)
    return await _answer(call, caller, sent, writer, sent.headers | _names(session_id, target))


def _names(session_id: str, target: Target) -> dict[str, str]:
    """Which session was worked on; ids may have any character, headers may not."""
    named = {"X-Turnfold-Session": target.session_id}
    if target.session_id != session_id:
        named["X-Turnfold-Branch"] = target.session_id
    return {name: value.encode("ascii", "backslashreplace").decode() for name, value in named.items()}


async def _answer(
    call: CallBody, caller: Caller, sent: SentContext, writer: TurnWriter | None, told: dict[str, str]
) -> Response:
    answer = await caller.upstream.call(PATH, caller.headers, call.with_messages(sent.messages))
    media_type = answer.headers.get("content-type")
    if answer.status_code == 200 and call.streams:
        return StreamingResponse(_streamed(answer, caller.upstream, writer), headers=told, media_type=media_type)
    content = await _whole(answer)
    if answer.status_code == 200 and writer is not None:
        reply, usage = _reply_of(content)
        told[STORED] = "true" if reply is not None and await writer.write(reply, usage) else "false"
    told |= {name: answer.headers[name] for name in PASSED_BACK if name in answer.headers}
    return Response(content, answer.status_code, headers=told, media_type=media_type)


async def passed_through(path: str, headers: Mapping[str, str], upstream: Upstream) -> Response:
    """An answer of the model's server as it is."""
    answer = await upstream.call(path, headers, None)
    content = await _whole(answer)
    return Response(content, answer.status_code, media_type=answer.headers.get("content-type"))


async def _whole(answer: httpx.Response) -> bytes:
    try:
        return await answer.aread()
    except httpx.HTTPError as error:
        raise UpstreamFailed(f"the model's server broke off: {type(error).__name__}", 502) from None
    finally:
        await answer.aclose()


async def _streamed(answer: httpx.Response, upstream: Upstream, writer: TurnWriter | None) -> AsyncGenerator[bytes]:
    """The stream as it comes; its end is held until the turn is stored, so that the next call finds it.

    Also where the client hangs up, or the model's server breaks off: what was sent until then is stored.
    """
    reply, held = StreamedReply(), bytearray()
    is_whole = False
    try:
        async for data in answer.aiter_raw():
            reply.feed(data)
            if reply.is_finished:
                held += data
            else:
                yield data
        is_whole = True
    finally:
        if not is_whole:  # nothing can be awaited here: the request is being taken down
            upstream.run(_end(answer, reply, writer))
    await _end(answer, reply, writer)
    if held:
        yield bytes(held)


async def _end(answer: httpx.Response, reply: StreamedReply, writer: TurnWriter | None) -> None:
    await answer.aclose()
    message = reply.message()
    if writer is not None and message is not None:
        await writer.write(message, reply.usage)


def _reply_of(content: bytes) -> tuple[Mapping[str, Any] | None, Any]:
    """The first choice's message and the usage; None where the answer is not what the format says."""
    try:
        value: Any = jsonio.loads(content)
        message = value["choices"][0]["message"]
    except (ValueError, KeyError, IndexError, TypeError):
        return None, None
    return (_tidy(message) if is_object(message) else None), value.get("usage")


def _tidy(message: Mapping[str, Any]) -> dict[str, Any]:
    """Without the fields that say nothing: some servers refuse to read what they themselves wrote."""
    return {name: value for name, value in message.items() if value or name in {"role", "content"}}
