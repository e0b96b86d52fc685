"""Celery's consumer without a step that a worker on quorum queues would run in vain."""

from __future__ import annotations

from typing import Any, ClassVar

from celery.worker.consumer import Consumer

NOT_NEEDED = "celery.worker.consumer.delayed_delivery:DelayedDelivery"

# Any: the type stubs know nothing of a blueprint's steps.
CeleryBlueprint: Any = Consumer.Blueprint


class PlainConsumer(Consumer):
    """Makes no queues for delayed messages: Celery would declare 28, and a retry's time is in the store."""

    class Blueprint(CeleryBlueprint):  # type: ignore[misc]  # its base is Any, see above
        default_steps: ClassVar[list[str]] = [step for step in CeleryBlueprint.default_steps if step != NOT_NEEDED]
