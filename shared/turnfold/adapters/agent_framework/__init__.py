"""For Microsoft's Agent Framework: a history provider around your own, and strategies in both directions."""

from turnfold.adapters.missing_extra import missing_extra

try:
    from turnfold.adapters.agent_framework.compacting_history import CompactingHistory
    from turnfold.adapters.agent_framework.framework_strategy import framework_strategy
    from turnfold.adapters.agent_framework.policy_strategy import PolicyStrategy, strategy
except ModuleNotFoundError as error:
    raise missing_extra(error, "agent-framework") from error

__all__ = ["CompactingHistory", "PolicyStrategy", "framework_strategy", "strategy"]
