"""Agents: a client, instructions and tools, run over a session until the model has nothing more to call.

`agent.py` is what is used, `run.py` the path of one run, `chat_client.py` what a client is.
"""
