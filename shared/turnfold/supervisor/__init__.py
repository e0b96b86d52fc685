"""The whole system on one machine: its parts as child processes that are started again when they die."""

from turnfold.supervisor.child import Child, ChildSpec
from turnfold.supervisor.running_system import System, running_system
from turnfold.supervisor.supervisor import Supervisor

__all__ = ["Child", "ChildSpec", "Supervisor", "System", "running_system"]
