"""The quality gate: a reply that is no summary, or no true one, never takes the place of what was said.

One fault a module; `gate` asks for all of them, `reason` names them.
"""

from __future__ import annotations

from turnfold.summaries.quality_gate.gate import incompleteness, rejection
from turnfold.summaries.quality_gate.reason import Rejection
from turnfold.summaries.quality_gate.summary_mark import SUMMARY_MARK, as_summary

__all__ = ["SUMMARY_MARK", "Rejection", "as_summary", "incompleteness", "rejection"]
