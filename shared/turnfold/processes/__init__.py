"""Child processes that end when their parent ends, however it ends, and the ports that they listen on."""

from turnfold.processes.ports import free_port, port_is_free
from turnfold.processes.tied_process import start_tied

__all__ = ["free_port", "port_is_free", "start_tied"]
