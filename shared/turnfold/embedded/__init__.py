"""A real store server out of a pip package, for `turnfold up`, tests and simulations."""

from turnfold.embedded.server import EmbeddedServer

__all__ = ["EmbeddedServer"]
