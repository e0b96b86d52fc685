"""What was measured, a row a measure, source, ratio and method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any


@dataclass
class Score:
    """One row of the table."""

    measure: str
    source: str
    ratio: int
    method: str
    wanted: int = 0
    kept: int = 0
    summaries: int = 0
    values: int = 0
    invented: int = 0
    over_budget: int = 0
    milliseconds: list[float] = field(default_factory=list[float])

    def row(self) -> dict[str, Any]:
        """The row as printed and written."""
        times = sorted(self.milliseconds) or [0.0]
        numbers = {key: value for key, value in asdict(self).items() if key != "milliseconds"}
        return numbers | {
            "kept_percent": round(100 * self.kept / max(1, self.wanted), 1),
            "invented_percent": round(100 * self.invented / max(1, self.values), 2),
            "ms_median": round(times[len(times) // 2], 1),
            "ms_most": round(times[-1], 1),
        }


def print_table(rows: Sequence[dict[str, Any]]) -> None:
    """The rows as a table in plain text."""
    titles = (
        "measure",
        "source",
        "ratio",
        "method",
        "wanted",
        "kept_percent",
        "invented",
        "over_budget",
        "ms_median",
        "ms_most",
    )
    cells = [titles, *(tuple(str(row[title]) for title in titles) for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(titles))]
    for line in cells:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
