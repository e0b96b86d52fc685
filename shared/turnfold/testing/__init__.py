"""What tests and examples put in the place of a model: the real protocol, on loopback, with replies of one's own."""

from turnfold.testing.model_reply import Calls, Fails, Reply, Says
from turnfold.testing.scripted_model import ModelRequest, ScriptedModel

__all__ = ["Calls", "Fails", "ModelRequest", "Reply", "Says", "ScriptedModel"]
