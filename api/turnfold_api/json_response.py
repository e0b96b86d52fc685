"""Answers in JSON that carries messages unchanged."""

from __future__ import annotations

from typing import Any

from starlette.responses import JSONResponse

from turnfold import jsonio


class ExactJSON(JSONResponse):
    """JSON written by `turnfold.jsonio`: long integers and lone surrogates survive."""

    def render(self, content: Any) -> bytes:
        return jsonio.dumps(content)
