"""What `import turnfold` gives, and what it costs."""

from __future__ import annotations

import subprocess
import sys

import turnfold


def test_every_public_name_can_be_imported() -> None:
    assert [name for name in turnfold.__all__ if not hasattr(turnfold, name)] == []
    assert [name for name in turnfold.__all__ if name not in dir(turnfold)] == []


def test_importing_the_library_loads_no_client_and_no_server() -> None:
    heavy = "{'openai', 'celery', 'kombu', 'fastapi', 'redis', 'tiktoken'}"
    code = f"import sys, turnfold; turnfold.MessageIndex; print(sorted({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
