"""For pydantic-ai: a capability, and a conversation store around your own."""

from turnfold.adapters.missing_extra import missing_extra

try:
    from turnfold.adapters.pydantic_ai.compacting_history import CompactingHistory
    from turnfold.adapters.pydantic_ai.followed_store import FollowedConversationStore
except ModuleNotFoundError as error:
    raise missing_extra(error, "pydantic-ai") from error

__all__ = ["CompactingHistory", "FollowedConversationStore"]
