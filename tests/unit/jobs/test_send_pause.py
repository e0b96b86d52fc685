"""How often a broker that failed is tried again."""

from __future__ import annotations

from turnfold.jobs.send_pause import SendPause


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_without_a_failure_every_send_is_allowed() -> None:
    pause = SendPause(1.0, clock=Clock())

    assert [pause.allows() for _ in range(3)] == [True, True, True]


def test_after_a_failure_one_send_in_each_pause_is_allowed() -> None:
    # given
    clock = Clock()
    pause = SendPause(1.0, clock=clock)
    pause.failed()
    refused = pause.allows()

    # when
    clock.now += 1.0

    # then
    assert not refused
    assert [pause.allows() for _ in range(3)] == [True, False, False]


def test_a_success_ends_the_pause() -> None:
    # given
    pause = SendPause(1.0, clock=Clock())
    pause.failed()

    # when
    pause.succeeded()

    # then
    assert [pause.allows() for _ in range(2)] == [True, True]
