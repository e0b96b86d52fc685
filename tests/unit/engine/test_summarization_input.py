"""What a summarizer is asked in place: which words it reads, within which bounds."""

from __future__ import annotations

from tests.unit.engine.folding import LONG, folding, sources
from tests.unit.engine.talk import (
    ScriptedSummarizer,
    compact_again,
    compacted,
    kinds,
    shown,
    system,
    texts,
    tool_turn,
    turns,
    user,
)
from turnfold.compaction.run import CompactionRun
from turnfold.compaction.summarization import SummarizationStrategy
from turnfold.compaction.tool_result import ToolResultCompactionStrategy
from turnfold.summaries.prompt import chat_prompt
from turnfold.triggers import Always


def test_the_summarizer_reads_whole_groups_in_order_without_system_messages() -> None:
    summarizer = ScriptedSummarizer()

    compacted([system("rules"), *tool_turn("a", "x" * 400), *LONG], folding(summarizer))

    roles = [message["role"] for message in summarizer.asked[0].messages]
    assert roles[:4] == ["user", "assistant", "tool", "user"]
    assert "system" not in roles


def test_a_collapsed_group_stands_for_its_source() -> None:
    summarizer = ScriptedSummarizer()
    index, _ = compacted(
        [*tool_turn("a", "y" * 2000), *LONG], ToolResultCompactionStrategy(trigger=Always(), minimum_preserved=2)
    )
    assert kinds(index)[1] == "summary"

    compact_again(index, folding(summarizer))

    assert "y" * 2000 in texts(summarizer.asked[0].messages)


def test_it_asks_for_a_tenth_of_the_sources_at_least_64_tokens_and_never_as_much_as_they_are() -> None:
    large, small, tiny = ScriptedSummarizer(), ScriptedSummarizer(), ScriptedSummarizer("Hi.")

    compacted([user("x" * 40_000), *LONG[:2]], folding(large, max_summary_input_tokens=None))
    compacted([user("x" * 800), *LONG[:2]], folding(small))
    compacted([user("x" * 80), *LONG[:2]], folding(tiny))

    assert large.asked[0].max_tokens == 1000
    assert small.asked[0].max_tokens == 64
    assert tiny.asked[0].max_tokens == 19


def test_the_ratio_can_be_set() -> None:
    summarizer = ScriptedSummarizer()

    compacted([user("x" * 4000), *LONG[:2]], folding(summarizer, summary_ratio=0.5))

    assert summarizer.asked[0].max_tokens == 500


def test_the_input_budget_ends_the_selection_at_a_whole_group() -> None:
    summarizer = ScriptedSummarizer()

    index, _ = compacted(turns(20, words=50), folding(summarizer, max_summary_input_tokens=1000))

    (prompt,) = [chat_prompt(request) for request in summarizer.asked]
    assert sum(len(message["content"]) // 4 for message in prompt) <= 1000
    assert 0 < len(sources(index)[0]) < 20
    assert sources(index)[0] == list(range(len(sources(index)[0])))


def test_the_input_budget_holds_for_many_short_messages_too() -> None:
    summarizer = ScriptedSummarizer()

    compacted([user("ok") for _ in range(2000)], folding(summarizer, max_summary_input_tokens=1500))

    assert sum(len(message["content"]) for message in chat_prompt(summarizer.asked[0])) // 4 <= 1500


def test_where_no_whole_group_fits_nothing_changes_nobody_is_asked_and_the_reason_is_told() -> None:
    summarizer, run = ScriptedSummarizer(), CompactionRun()

    index, changed = compacted(LONG, folding(summarizer, max_summary_input_tokens=10), run=run)

    assert (changed, summarizer.asked) == (False, [])
    assert index.projection() == LONG
    assert run.actions[0].reason == "no_group_fits_the_input"


def test_without_a_bound_everything_outside_the_floor_is_folded() -> None:
    index, _ = compacted(turns(200, words=50), folding(max_summary_input_tokens=None))

    assert shown(index) == [398, 399]


def test_a_huge_tool_result_does_not_block_the_summary() -> None:
    summarizer = ScriptedSummarizer()
    huge = "head " + "x" * 1_000_000 + " tail"

    index, changed = compacted([*tool_turn("a", huge), *LONG[:2]], folding(summarizer))

    prompt = chat_prompt(summarizer.asked[0])[1]["content"]
    assert changed
    assert shown(index) == [3, 4]
    assert "head " in prompt
    assert " tail" in prompt
    assert "left out" in prompt
    assert len(prompt) < 40_000


def test_a_tokenizer_of_its_own_counts_the_input() -> None:
    class Dear:
        def count_tokens(self, text: str) -> int:
            return 100 * len(text)

    assert not compacted(LONG, folding(tokenizer=Dear()))[1]


def test_the_runs_summarizer_writes_for_strategies_without_one() -> None:
    strategy = SummarizationStrategy(trigger=Always(), minimum_preserved=2)

    index, _ = compacted(LONG, strategy, run=CompactionRun(summarizer=ScriptedSummarizer("From the run.")))

    assert texts(index.projection())[0] == "[Summary]\nFrom the run."


def test_without_any_summarizer_nothing_changes_and_the_reason_is_told() -> None:
    run = CompactionRun()

    assert not compacted(LONG, SummarizationStrategy(trigger=Always(), minimum_preserved=2), run=run)[1]
    assert "no summarizer" in (run.actions[0].reason or "")


def test_prompt_and_model_reach_the_summarizer() -> None:
    summarizer = ScriptedSummarizer()

    compacted(LONG, folding(summarizer, prompt="Only the decisions.", model="small-1"))

    assert (summarizer.asked[0].prompt, summarizer.asked[0].model) == ("Only the decisions.", "small-1")
