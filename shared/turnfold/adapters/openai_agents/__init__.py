"""For openai-agents: a `Session` around your own."""

from turnfold.adapters.missing_extra import missing_extra

try:
    from turnfold.adapters.openai_agents.compacting_session import CompactingSession
    from turnfold.adapters.openai_agents.model_input_filter import model_input_filter
except ModuleNotFoundError as error:
    raise missing_extra(error, "openai-agents") from error

__all__ = ["CompactingSession", "model_input_filter"]
