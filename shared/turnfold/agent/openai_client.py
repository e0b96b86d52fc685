"""What both clients of OpenAI's protocols share: the connection, and the model's name."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypedDict

from turnfold.agent.chat_client import ChatClient
from turnfold.errors import BadInput
from turnfold.history.conversation import Strategy, checked_compaction
from turnfold.tokens import TokenizerProtocol

if TYPE_CHECKING:
    from openai import AsyncOpenAI

NO_KEY = "none"


class ClientOptions(TypedDict, total=False):
    """What can be said of every OpenAI client; see `OpenAIClient`."""

    base_url: str | None
    api_key: str | None
    client: AsyncOpenAI | None
    compaction_strategy: Strategy | None
    tokenizer: TokenizerProtocol | None


class OpenAIClient(ChatClient):
    """Connects at the first call.

    Args:
        model: the model's name; a call may name another, `OPENAI_MODEL` is what is used where neither does.
        base_url: of any compatible server; `OPENAI_BASE_URL` or OpenAI's own if not given.
        api_key: `OPENAI_API_KEY` if not given; a server at a `base_url` may need none.
        client: an `openai.AsyncOpenAI` that is there already, in place of the two before.
        compaction_strategy, tokenizer: for agents that have none of their own.
    """

    def __init__(
        self,
        model: str | None = None,
        *,
        base_url: str | None = None,
        api_key: str | None = None,
        client: AsyncOpenAI | None = None,
        compaction_strategy: Strategy | None = None,
        tokenizer: TokenizerProtocol | None = None,
    ) -> None:
        checked_compaction(compaction_strategy, tokenizer, name="compaction_strategy")
        self.model = model
        self._address = {"base_url": base_url, "api_key": api_key}
        self._client, self._is_own = client, client is None
        self.compaction_strategy, self.tokenizer = compaction_strategy, tokenizer

    async def close(self) -> None:
        if self._is_own and self._client is not None:
            await self._client.close()
            self._client = None

    @property
    def client(self) -> AsyncOpenAI:
        """The connection; made when it is first asked for."""
        if self._client is None:
            from openai import AsyncOpenAI  # 0.4 s and 30 MB, only where a model is called

            base_url, api_key = self._address["base_url"], self._address["api_key"]
            is_elsewhere = base_url is not None or "OPENAI_BASE_URL" in os.environ
            if api_key is None and is_elsewhere and "OPENAI_API_KEY" not in os.environ:
                api_key = NO_KEY
            self._client = AsyncOpenAI(base_url=base_url, api_key=api_key)
        return self._client

    def model_for(self, options: Mapping[str, Any]) -> str:
        """
        Raises:
            BadInput: nobody names a model.
        """
        model = options.get("model") or self.model or os.environ.get("OPENAI_MODEL")
        if not model:
            raise BadInput("model", "is not named: by the call, the client or OPENAI_MODEL")
        return str(model)
