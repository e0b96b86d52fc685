"""How many random examples a property is tried on."""

from __future__ import annotations

from hypothesis import settings

TIMES = 10


def register_profiles() -> None:
    """Names what `pytest --hypothesis-profile` may ask for; to be called before tests are collected."""
    settings.register_profile("soak", max_examples=1_000, deadline=None)
    settings.register_profile("few", max_examples=10, deadline=None, derandomize=True, database=None)


def many() -> settings:
    """Ten times the profile's examples: a thousand; ten thousand under `soak`; a hundred, always the same, under `few`.

    To be called where tests are collected: the profile is chosen by then.
    """
    return settings(max_examples=TIMES * settings().max_examples, deadline=None)
