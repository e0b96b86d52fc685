"""For LangChain and LangGraph: a middleware, hooks for graphs that take none, and a message history."""

from turnfold.adapters.missing_extra import missing_extra

try:
    from turnfold.adapters.langchain.chat_message_history import TurnfoldChatMessageHistory
    from turnfold.adapters.langchain.compacting_middleware import CompactingMiddleware
    from turnfold.adapters.langchain.model_hooks import post_model_hook, pre_model_hook
except ModuleNotFoundError as error:
    raise missing_extra(error, "langchain") from error

__all__ = ["CompactingMiddleware", "TurnfoldChatMessageHistory", "post_model_hook", "pre_model_hook"]
