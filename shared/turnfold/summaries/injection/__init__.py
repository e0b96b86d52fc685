"""Orders to models that stand in a conversation: found, so that no summary hands them on."""

from __future__ import annotations

from turnfold.summaries.injection.orders import begins_an_order, is_order_to_models, pieces_with_orders

__all__ = ["begins_an_order", "is_order_to_models", "pieces_with_orders"]
