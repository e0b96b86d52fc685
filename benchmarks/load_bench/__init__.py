"""Many conversations at once, and what becomes of their summaries."""
