"""Numbers for operators: what they are called, and how they are counted."""
