"""A drop-in for any Chat Completions client: the path of a call is `calls.py`, from top to bottom."""
