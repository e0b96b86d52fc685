"""The parts of the quality benchmark."""
