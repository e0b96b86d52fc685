"""`turnfold up` with tiny parts, run as a file: what the command itself does, without the weight of the real parts."""

from __future__ import annotations

import functools
import sys

import typer

import turnfold.cli.app
import turnfold.supervisor
from turnfold.cli import main
from turnfold.cli.up_command import up
from turnfold.supervisor import ChildSpec, running_system

READY_SERVER = """
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200 if self.path == "/readyz" else 404)
        self.end_headers()
http.server.HTTPServer(("127.0.0.1", int(sys.argv[-1])), Handler).serve_forever()
"""
SLEEPER = "import signal; print('here I am'); signal.pause()"


def tiny_parts(port: int) -> list[ChildSpec]:
    return [
        ChildSpec("api", (sys.executable, "-c", READY_SERVER, "turnfold", "api", "--port", str(port))),
        ChildSpec("worker", (sys.executable, "-c", SLEEPER, "turnfold", "worker")),
        ChildSpec("beat", (sys.executable, "-c", SLEEPER, "turnfold", "beat")),
    ]


if __name__ == "__main__":
    turnfold.supervisor.running_system = functools.partial(running_system, parts=tiny_parts)
    app = typer.Typer()
    app.callback()(lambda: None)
    app.command("up")(up)
    turnfold.cli.app.app = app
    main()
