"""What can be done with a session beside talking: erase a message, unfold a summary, move conversations, run jobs."""
