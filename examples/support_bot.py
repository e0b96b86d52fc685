"""A support bot: replies are streamed as the model writes them, and old turns are folded while nobody waits.

python -m examples.support_bot --port 8500
curl -N http://127.0.0.1:8500/chats/ana -H 'Content-Type: application/json' -d '{"text": "Where is DK-99812?"}'
"""

from __future__ import annotations

import argparse
from collections.abc import AsyncGenerator

import uvicorn
from fastapi import FastAPI
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from examples.surroundings import chat_client, store_url, worker
from turnfold import Agent, AgentSession, ChatClient, RedisHistoryProvider
from turnfold.testing import Calls, ModelRequest, Reply, Says

# Folds early, so that a short chat shows it; leave the policy out for one that suits long chats.
POLICY = {
    "strategy": "summarization",
    "trigger": {"tokens_exceed": 300},
    "target": {"tokens_below": 150},
    "minimum_preserved": 2,
    "min_source_tokens": 50,
}
PARCELS = {"DK-99812": "at sea since Tuesday, expected in Hull on Friday", "DK-10007": "handed over to Ana Brandt"}


class Said(BaseModel):
    """What a customer writes."""

    text: str


def track_parcel(number: str) -> str:
    """Tells where a parcel is.

    Args:
        number: as printed on the label, such as DK-99812.
    """
    return PARCELS.get(number, "not known")


def create_app(client: ChatClient, history: RedisHistoryProvider) -> FastAPI:
    """The backend: one route to talk, one to read what is kept."""
    app = FastAPI()
    agent = Agent(
        client=client,
        name="support",
        instructions="You help customers of a parcel service. Be brief and friendly.",
        tools=[track_parcel],
        context_providers=[history],
    )

    async def talk(chat_id: str, said: Said) -> StreamingResponse:
        async def reply() -> AsyncGenerator[str]:
            # The history is in the store, so that a session is no more than its id.
            async for update in agent.run(said.text, session=AgentSession(session_id=chat_id), stream=True):
                if update.text:
                    yield update.text

        return StreamingResponse(reply(), media_type="text/plain; charset=utf-8")

    async def context(chat_id: str) -> dict[str, object]:
        """What the model will be sent next: summaries, and what follows them."""
        messages = await history.get_messages(AgentSession(session_id=chat_id))
        return {"messages": messages}

    app.post("/chats/{chat_id}")(talk)
    app.get("/chats/{chat_id}")(context)
    return app


def script(request: ModelRequest) -> Reply:
    """A model that looks each parcel up once."""
    last = request.messages[-1]
    numbers = [number for number in PARCELS if number in str(last.get("content"))]
    if last["role"] == "user" and numbers:
        return Calls.one("track_parcel", number=numbers[0])
    if last["role"] == "tool":
        return Says(f"Thank you for waiting. I have looked it up for you, and this is what I found: {last['content']}.")
    return Says("I am glad to help. Tell me the number on the label, and I will look your parcel up.")


def main() -> None:
    """Serves until Ctrl-C."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8500)
    port = parser.parse_args().port
    with store_url() as redis_url, worker(redis_url), chat_client(script) as client:
        history = RedisHistoryProvider(redis_url=redis_url, policy=POLICY)
        uvicorn.run(create_app(client, history), host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main()
