"""Other names, under which the published designs document the same strategies."""

from __future__ import annotations

from turnfold.compaction.pipeline import PipelineCompactionStrategy
from turnfold.compaction.sliding_window import SlidingWindowStrategy
from turnfold.compaction.summarization import SummarizationStrategy
from turnfold.compaction.tool_result import ToolResultCompactionStrategy
from turnfold.compaction.truncation import TruncationStrategy

PipelineStrategy = PipelineCompactionStrategy
SlidingWindowCompactionStrategy = SlidingWindowStrategy
SummarizationCompactionStrategy = SummarizationStrategy
ToolResultStrategy = ToolResultCompactionStrategy
TruncationCompactionStrategy = TruncationStrategy
