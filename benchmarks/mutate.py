"""Whether the tests notice when the engine is changed: mutmut on a copy of it, and a table of what survived.

python benchmarks/mutate.py                 all modules
python benchmarks/mutate.py groups counts   these
"""

from __future__ import annotations

import argparse
import fnmatch
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

STAGE = Path(".mutate/stage")
LOG = Path(".mutate/mutmut.log")
SURVIVORS = Path(".mutate/survivors.txt")
BAR = 0.9
CORE = ("groups", "grouping", "index", "counts")
MODULES = (*CORE, "compaction/*")
KILLED = ("killed", "timeout", "caught by type check", "segfault")
# What tests a module, and is fast. Random examples are few and always the same.
TESTS = ("tests/unit/engine",)
NOT_THESE = ("linear", "parts", "openai", "quality_gate", "conversation_file", "jsonio", "recorded")
# mutmut leaves decorated functions alone: a property is written as a method, which it changes.
PROPERTY = re.compile(r"^    @property\n    def (\w+)\(self\)", re.MULTILINE)
AS_METHOD = r"    \1 = property(lambda self: self._of_\1())\n\n    def _of_\1(self)"
CONFIG = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = {modules}
also_copy = []
pytest_add_cli_args_test_selection = {selection}
pytest_add_cli_args = ["--hypothesis-profile=few", "-p", "no:cacheprovider", "-W", "ignore"]
track_dependencies = false
use_git_change_detection = false
use_setproctitle = false
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="*", help=f"below shared/turnfold; all: {' '.join(MODULES)}")
    parser.add_argument("--children", default="2", help="how many run at once (2)")
    given = parser.parse_args()
    modules = [f"src/turnfold/{name}.py" for name in given.modules or MODULES]
    stage(modules)
    if run("run", "--max-children", given.children, log=LOG):
        print(f"mutmut stopped; what it said stands in {LOG}")
        return 2
    return report()


def stage(modules: list[str]) -> None:
    """A copy of library and tests in the layout that mutmut knows."""
    shutil.rmtree(STAGE, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree("shared/turnfold", STAGE / "src/turnfold", ignore=ignore)
    shutil.copytree("tests", STAGE / "tests", ignore=ignore)
    for file in (STAGE / "src").rglob("*.py"):
        if any(fnmatch.fnmatch(str(file.relative_to(STAGE)), module) for module in modules):
            file.write_text(PROPERTY.sub(AS_METHOD, file.read_text()))
    selection = [*TESTS, "-m", "not slow and not soak", "-k", " and ".join(f"not {name}" for name in NOT_THESE)]
    config = CONFIG.format(modules=modules, selection=selection).replace("'", '"')
    (STAGE / "pyproject.toml").write_text(Path("pyproject.toml").read_text() + config)


def report() -> int:
    """Prints what came out; 1 where more survived than the bar allows."""
    verdicts = [line.strip().rsplit(": ", 1) for line in asked("results", "--all", "true").splitlines() if ": " in line]
    by_module: dict[str, Counter[str]] = {}
    for name, verdict in verdicts:
        by_module.setdefault(name.split(".x", 1)[0].removeprefix("turnfold."), Counter())[verdict] += 1
    total: Counter[str] = Counter()
    for module, counts in sorted(by_module.items()):
        total += counts
        print(row(module, counts))
    print(row("all", total))
    SURVIVORS.write_text("\n".join(asked("show", name) for name, verdict in verdicts if verdict not in KILLED))
    print(f"What survived stands in {SURVIVORS}.")
    return int(share(total) < BAR)


def share(counts: Counter[str]) -> float:
    return sum(counts[verdict] for verdict in KILLED) / max(1, counts.total())


def row(module: str, counts: Counter[str]) -> str:
    left = {verdict: count for verdict, count in counts.items() if verdict not in KILLED}
    return f"{module:40} {counts.total():5} mutants {100 * share(counts):6.1f} % killed  {left or ''}"


def run(*command: str, log: Path) -> int:
    """The exit code of mutmut, what it says in a file: it draws its progress."""
    with log.open("w") as file:
        return subprocess.run(
            [sys.executable, "-m", "mutmut", *command], cwd=STAGE, stdout=file, stderr=subprocess.STDOUT, check=False
        ).returncode


def asked(*command: str) -> str:
    """What mutmut answers."""
    mutmut = [sys.executable, "-m", "mutmut", *command]
    return subprocess.run(mutmut, cwd=STAGE, capture_output=True, text=True, check=False).stdout


if __name__ == "__main__":
    raise SystemExit(main())
