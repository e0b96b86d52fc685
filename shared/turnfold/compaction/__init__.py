"""Strategies: what changes which groups of a conversation are shown."""
