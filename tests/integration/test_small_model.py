"""A real small model writes the summaries: what it writes is bad, and no session has to live with it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.live_system import LiveSystem, live_system
from tests.support.small_model import NAME, small_model
from tests.support.waiting import wait_until
from turnfold.summaries.quality_gate import Rejection

pytestmark = [pytest.mark.slow, pytest.mark.small_model, pytest.mark.timeout(600)]

MODEL_SECONDS = 400.0
SESSION = "a-return"
TALK = [
    ("user", "Hello! The kettle from my order K-55180 has a crack in the lid, and I would like my money back, please."),
    ("assistant", "I am sorry to hear that. Under which e-mail address did you order, and when did the parcel arrive?"),
    ("user", "Under petra.lund@example.org. It arrived on 2031-02-13, two days after I ordered it, in a dented box."),
    ("assistant", "Thank you. I found it: kettle KET-900 for 64.95 euro, paid by card_8812 and by voucher_31."),
    ("user", "Right, 44.95 by card and 20 by voucher. I don't want a replacement, I have bought another one already."),
    ("assistant", "Then I will refund 44.95 euro to card_8812 and put 20 euro back on voucher_31. Is that fine?"),
    ("user", "Yes, that is fine. And what shall I do with the broken kettle? I have no car to bring it anywhere."),
    ("assistant", "You may keep it or throw it away. The refund number is RF-30917, it takes three working days."),
    ("user", "Good. Please send the confirmation to my new address petra@lund.example, the old one will be closed."),
    ("assistant", "Noted. The confirmation goes to petra@lund.example. Is there anything else about this order?"),
    ("user", "No, thanks."),
    ("assistant", "You are welcome, have a nice day!"),
]
POLICY = {
    "strategy": "summarization",
    "trigger": {"messages_exceed": 10},
    "target": {"not": {"messages_exceed": 3}},
    "minimum_preserved": 2,
    "min_source_tokens": 0,
    "summary_ratio": 0.5,
    "tokenizer": "o200k_base",
}


@pytest.fixture(scope="module")
def system(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveSystem]:
    with small_model() as base_url:
        env = {
            "TURNFOLD_OPENAI_BASE_URL": base_url,
            "TURNFOLD_SUMMARY_MODEL": NAME,
            "TURNFOLD_SUMMARY_MAX_TOKENS_FIELD": "max_tokens",
            "TURNFOLD_SUMMARY_TIMEOUT_SECONDS": str(MODEL_SECONDS),
        }
        with live_system(tmp_path_factory.mktemp("system"), env=env) as running:
            running.start_worker()
            yield running


def test_its_bad_summaries_are_refused_and_the_session_ends_with_a_good_degraded_one(system: LiveSystem) -> None:
    # given a conversation that is due
    chat = system.chat(policy=POLICY, mark=SESSION)
    api = httpx.Client(base_url=f"{system.base_url}/v1", trust_env=False, timeout=30)
    messages = [{"role": role, "content": text} for role, text in TALK]
    job = api.post(f"/sessions/{SESSION}/messages", json={"messages": messages}).json()["job"]["id"]

    # when the model was asked
    def ended() -> bool:
        return api.get(f"/jobs/{job}").json()["state"] in ("succeeded", "dead")

    wait_until(ended, description="the job ends", timeout_seconds=MODEL_SECONDS)

    # then none of its replies stands, each for a reason of the gate
    assert api.get(f"/jobs/{job}").json()["state"] == "succeeded"
    (summary,) = system.summaries(chat)
    assert (summary["degraded"], summary["model"]) == (True, "extractive")
    assert len(summary["rejections"]) == 2
    assert set(summary["rejections"]) <= {str(reason) for reason in Rejection}
    # and what stands has what will be needed
    context: Any = api.get(f"/sessions/{SESSION}/context").json()
    text = context["messages"][0]["content"]
    assert text == summary["text"]
    for value in ("K-55180", "petra.lund@example.org", "card_8812", "voucher_31", "RF-30917"):
        assert value in text
    assert context["messages"][-1]["content"] == TALK[-1][1]
    assert system.findings(chat) == []
    api.close()
