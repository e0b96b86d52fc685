"""What real workers counted is what `/metrics` of a real server shows."""

from __future__ import annotations

import urllib.request
from pathlib import Path

from prometheus_client.parser import text_string_to_metric_families

from tests.support.live_system import live_system
from tests.support.model_server import Say
from tests.support.waiting import wait_until

REFUSAL = "I'm sorry, but I can't help with that."


def seen(url: str) -> dict[str, float]:
    """Samples without labels that tell of this process's requests, by the text of name and labels."""
    with urllib.request.urlopen(f"{url}/metrics", timeout=5) as answer:
        families = list(text_string_to_metric_families(answer.read().decode()))
    return {
        sample.name.removeprefix("turnfold_") + "".join(f",{value}" for value in sample.labels.values()): sample.value
        for family in families
        for sample in family.samples
        if "http" not in sample.name
    }


def test_a_summary_a_refused_reply_and_the_worker_are_seen(tmp_path: Path) -> None:
    with live_system(tmp_path) as system:
        worker = system.start_worker()
        chat = system.chat()
        system.model.tell(chat.mark, Say(REFUSAL))
        ended = chat.ended_job(chat.append_until_due())
        assert ended["state"] == "succeeded"

        wait_until(
            lambda: seen(system.base_url).get("jobs_ended_total,succeeded") == 1,
            description="the worker has handed its counts over",
        )
        numbers = seen(system.base_url)
        assert numbers["folds_total,yes"] == 1
        assert numbers["job_seconds_count"] == numbers["job_wait_seconds_count"] == 1
        assert sum(value for name, value in numbers.items() if name.startswith("replies_rejected_total,")) == 1
        assert numbers["summary_tokens_total,prompt"] == ended["tokens"]["prompt"]
        assert (numbers["workers"], numbers["jobs_in_flight"], numbers["jobs_waiting"]) == (1, 0, 0)

        worker.process.terminate()
        worker.process.wait()
        assert seen(system.base_url)["workers"] == 0
