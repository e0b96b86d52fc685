"""A coding agent: it reads, edits and tests until the tests pass, within a small context window.

Its session is stored whole in a file, so that tomorrow's run goes on where today's ended. It runs what the model has
written: give it no folder, and no machine, that must not be harmed.

    python -m examples.coding_agent
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
from pathlib import Path

from examples.surroundings import chat_client
from turnfold import ChatClient, FileSessionStore, create_harness_agent
from turnfold.content import tool_calls
from turnfold.testing import Calls, ModelRequest, Reply, Says

TASK = "The tests in this folder fail. Find out why, mend the code, and show that they pass."
WINDOW_TOKENS, OUTPUT_TOKENS = 16_000, 2_000
BROKEN = "def total(prices):\n    return sum(prices) - 1\n"
MENDED = "def total(prices):\n    return sum(prices)\n"
TEST = """\
import unittest
from shop import total

class TotalTest(unittest.TestCase):
    def test_total(self):
        self.assertEqual(total([2, 3]), 5)
"""


class Workspace:
    """A folder, and what an agent may do in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()

    def list_files(self) -> list[str]:
        """Lists all files."""
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*.py"))

    def read_file(self, path: str) -> str:
        """Reads a file.

        Args:
            path: within the folder.
        """
        return self._inside(path).read_text()

    def write_file(self, path: str, text: str) -> str:
        """Replaces a file by another text.

        Args:
            path: within the folder.
            text: all of the new text.
        """
        self._inside(path).write_text(text)
        return "written"

    def run_tests(self) -> str:
        """Runs all tests."""
        command = [sys.executable, "-B", "-m", "unittest", "discover", "-p", "*_test.py"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
        return ("passed\n" if done.returncode == 0 else "failed\n") + done.stderr

    def _inside(self, path: str) -> Path:
        wanted = (self.folder / path).resolve()
        if not wanted.is_relative_to(self.folder):
            raise ValueError(f"{path} is not in the folder")
        return wanted


def script(request: ModelRequest) -> Reply:
    """What a good model does: look, test, read, mend, test again."""
    steps: list[Reply] = [
        Calls((("list_files", {}), ("run_tests", {}))),
        Calls((("read_file", {"path": "shop.py"}), ("read_file", {"path": "shop_test.py"}))),
        Calls.one("write_file", path="shop.py", text=MENDED),
        Calls.one("run_tests"),
        Says("total() took one off each sum. I removed that; all tests pass now."),
        Says("Nothing is left to do."),
    ]
    return steps[min(request.number, len(steps)) - 1]


async def work(client: ChatClient, workspace: Workspace, store: FileSessionStore, task: str) -> str:
    """Does a task in the session of the folder; what the agent says in the end."""
    agent = create_harness_agent(
        client,
        max_context_window_tokens=WINDOW_TOKENS,
        max_output_tokens=OUTPUT_TOKENS,
        agent_instructions="You mend Python code.",
        tools=[workspace.list_files, workspace.read_file, workspace.write_file, workspace.run_tests],
    )
    session = await store.get("workspace") or agent.create_session()
    stream = agent.run(task, session=session, stream=True)
    async for update in stream:
        for call in tool_calls(update.message or {}):
            print(f"  {call.name} {call.arguments[:80]}")
    await store.set("workspace", session)
    return (await stream.get_final_response()).text


async def main() -> None:
    """A folder with a fault in it, mended; and a second run that remembers the first."""
    with tempfile.TemporaryDirectory() as name, chat_client(script) as client:
        folder = Path(name)
        (folder / "shop.py").write_text(BROKEN)
        (folder / "shop_test.py").write_text(TEST)
        workspace, store = Workspace(folder), FileSessionStore(folder / ".sessions")
        for task in (TASK, "Is anything left to do?"):
            print(f"> {task}")
            print(await work(client, workspace, store, task))
        print(workspace.run_tests().splitlines()[0])
        await client.close()


if __name__ == "__main__":
    asyncio.run(main())
