"""Sessions of an agent, and what stands around each of its runs: histories, context, compaction.

A session is a value that can be stored whole; a provider holds nothing of any one session, and is shared by all.
"""
