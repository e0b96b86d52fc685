"""What is to be summarized, and how workers learn of it."""
