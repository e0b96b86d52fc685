"""Turnfold in the frameworks that people already use: each adapter is a view over the framework's own history.

The framework keeps its history, whole and unchanged. An adapter copies what is new in it into a session, where
summaries are made ahead of the next turn, and gives the model that session's context in place of the whole history.
Take the adapter away, and the framework goes on with what it has stored.

Each framework's package is imported by its own name: `turnfold.adapters.langchain`, ….
"""
