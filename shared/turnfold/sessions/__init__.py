"""Sessions in a store: the log of a conversation, its counts, and the view that compaction made of it."""
