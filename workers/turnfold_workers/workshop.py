"""What every job of a process needs."""

from __future__ import annotations

import os
import socket
from dataclasses import dataclass, field

from turnfold.jobs.prices import FREE, Prices
from turnfold.jobs.retries import RetryPolicy
from turnfold.policy import Policy
from turnfold.protection import build_redactor, build_signer
from turnfold.provenance import Signer
from turnfold.redaction.redactor import Redactor
from turnfold.sessions.job import Job
from turnfold.sessions.provider import UNLIMITED, ModelLimits
from turnfold.sessions.store import SessionStore
from turnfold.settings import Settings
from turnfold.summaries.summarizer import Summarizer
from turnfold.wiring import build_limits, build_prices, build_summarizer
from turnfold_workers.shared_model import SharedModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Workshop:
    """What a job needs: opened once a process, shared by all its jobs.

    Attributes:
        signer: signs summaries, and checks earlier ones.
        redactor: what the summarizer must not see; None: it may see all.
        prices: of the summarizer's tokens.
        worth_within_turns: a planned summary must pay for itself within so many; 0: that is not asked.
        limits: of each model, for all workers together.
        call_seconds: how long one call of the model may take.
    """

    store: SessionStore
    summarizer: Summarizer
    policy: Policy
    worker: str
    lease_seconds: float
    retries: RetryPolicy
    signer: Signer = field(default_factory=Signer)
    redactor: Redactor | None = None
    prices: Prices = FREE
    worth_within_turns: int = 0
    limits: ModelLimits = UNLIMITED
    call_seconds: float = 45.0

    def summarizer_for(self, job: Job) -> Summarizer:
        """The summarizer within the limits that all workers share. The extractive one asks nobody, and has none."""
        if self.summarizer.name == "extractive":
            return self.summarizer
        return SharedModel(
            summarizer=self.summarizer,
            store=self.store,
            limits=self.limits,
            call_seconds=self.call_seconds,
            tenant=job.tenant,
            live=job.live,
        )


def workshop_of(settings: Settings, store: SessionStore, policy: Policy) -> Workshop:
    """A workshop by the settings.

    Raises:
        BadInput: naming the setting that is missing or wrong.
    """
    summarizer = build_summarizer(settings.summarizer_name, settings)
    return Workshop(
        store=store,
        summarizer=summarizer,
        policy=policy,
        worker=f"{socket.gethostname()}:{os.getpid()}",
        lease_seconds=settings.lease_seconds,
        retries=RetryPolicy(),
        signer=build_signer(settings),
        prices=build_prices(settings),
        worth_within_turns=settings.worth_within_turns,
        limits=build_limits(settings),
        call_seconds=settings.summary_timeout_seconds,
        # Nothing leaves for the extractive one.
        redactor=None if summarizer.name == "extractive" else build_redactor(settings),
    )
