"""Whether the tests notice when the engine is changed: mutmut on a copy of it, and a table of what survived.

python benchmarks/mutate.py                 all suites, an hour or more
python benchmarks/mutate.py core            one of them
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

HOME = Path(".mutate")
STAGE = HOME / "stage"
LOG = HOME / "mutmut.log"
BAR = 0.9
PACKAGES = (Path("shared/turnfold"), Path("workers/turnfold_workers"), Path("api/turnfold_api"))
# Modules, and what tests them and is fast: every change runs all tests that reach it until one fails.
SUITES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "core": (
        ("groups", "grouping", "index", "counts"),
        ("grouping", "groups", "index", "folded_groups", "counts", "properties"),
    ),
    "compaction": (
        ("compaction/*",),
        (
            *("common_rules", "truncation", "sliding_window", "tool_result", "selective_tool_call", "pipeline"),
            *("token_budget", "context_window", "summarization", "summarization_input", "custom_strategies"),
            *("reports", "aliases", "overhead", "policy", "policy_writing", "properties"),
            *("what_workers_fold", "arguments_reach_their_steps"),
        ),
    ),
}
KILLED = ("killed", "timeout", "caught by type check", "segfault")
# mutmut leaves decorated functions alone: a property is written as a method, which it changes.
PROPERTY = re.compile(r"^    @property\n    def (\w+)\(self\)", re.MULTILINE)
AS_METHOD = r"    \1 = property(lambda self: self._of_\1())\n\n    def _of_\1(self)"
# Random examples are few and always the same. Test modules are imported once, not again for each change.
CONFIG = """
[tool.mutmut]
source_paths = ["src"]
only_mutate = {modules}
also_copy = []
pytest_add_cli_args_test_selection = {tests}
pytest_add_cli_args = ["--hypothesis-profile=few", "--import-mode=prepend", "-p", "no:cacheprovider", "-W", "ignore"]
track_dependencies = false
use_git_change_detection = false
use_setproctitle = false
"""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*", help=f"of {', '.join(SUITES)}; all if not given")
    parser.add_argument("--children", default="2", help="how many run at once (2)")
    given = parser.parse_args()
    failed = False
    for suite in given.suites or SUITES:
        stage(*SUITES[suite])
        if run("run", "--max-children", given.children):
            print(f"mutmut stopped; what it said stands in {LOG}")
            return 2
        failed = report(suite) or failed
    return int(failed)


def stage(modules: tuple[str, ...], tests: tuple[str, ...]) -> None:
    """A copy of library and tests in the layout that mutmut knows."""
    shutil.rmtree(STAGE, ignore_errors=True)
    ignore = shutil.ignore_patterns("__pycache__")
    for package in PACKAGES:
        shutil.copytree(package, STAGE / "src" / package.name, ignore=ignore)
    shutil.copytree("tests", STAGE / "tests", ignore=ignore)
    paths = [f"src/turnfold/{module}.py" for module in modules]
    for file in (STAGE / "src/turnfold").rglob("*.py"):
        if any(fnmatch.fnmatch(str(file.relative_to(STAGE)), path) for path in paths):
            file.write_text(PROPERTY.sub(AS_METHOD, file.read_text()))
    files = [f"tests/unit/engine/test_{name}.py" for name in tests]
    config = CONFIG.format(modules=paths, tests=files).replace("'", '"')
    (STAGE / "pyproject.toml").write_text(Path("pyproject.toml").read_text() + config)


def report(suite: str) -> bool:
    """Prints what came out; whether more survived than the bar allows."""
    verdicts = [line.strip().rsplit(": ", 1) for line in asked("results", "--all", "true").splitlines() if ": " in line]
    by_module: dict[str, Counter[str]] = {}
    for name, verdict in verdicts:
        by_module.setdefault(name.split(".x", 1)[0].removeprefix("turnfold."), Counter())[verdict] += 1
    total: Counter[str] = Counter()
    for module, counts in sorted(by_module.items()):
        total += counts
        print(row(module, counts))
    print(row(f"all of {suite}", total))
    survivors = HOME / f"survivors-{suite}.txt"
    survivors.write_text("\n".join(asked("show", name) for name, verdict in verdicts if verdict not in KILLED))
    print(f"What survived stands in {survivors}.")
    return share(total) < BAR


def share(counts: Counter[str]) -> float:
    return sum(counts[verdict] for verdict in KILLED) / max(1, counts.total())


def row(module: str, counts: Counter[str]) -> str:
    left = {verdict: count for verdict, count in counts.items() if verdict not in KILLED}
    return f"{module:34} {counts.total():5} changes {100 * share(counts):6.1f} % noticed  {left or ''}"


def run(*command: str) -> int:
    """The exit code of mutmut; what it says goes into a file: it draws its progress."""
    with LOG.open("w") as file:
        return subprocess.run(
            [sys.executable, "-m", "mutmut", *command], cwd=STAGE, stdout=file, stderr=subprocess.STDOUT, check=False
        ).returncode


def asked(*command: str) -> str:
    """What mutmut answers."""
    mutmut = [sys.executable, "-m", "mutmut", *command]
    return subprocess.run(mutmut, cwd=STAGE, capture_output=True, text=True, check=False).stdout


if __name__ == "__main__":
    raise SystemExit(main())
