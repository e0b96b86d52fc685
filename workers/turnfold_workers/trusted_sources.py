"""Earlier summaries among a job's sources are taken at their word only if it is theirs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from turnfold import telemetry
from turnfold.groups import MessageGroup
from turnfold.provenance import Owner, Signer, Verdict
from turnfold.sessions.chain import is_folded, positions_under
from turnfold.sessions.job import Job
from turnfold.sessions.store import Read
from turnfold.summaries.quality_gate import SUMMARY_MARK
from turnfold.summaries.summarizer import SummaryRequest
from turnfold_workers.originals import messages_at
from turnfold_workers.workshop import Workshop

log = telemetry.logger(__name__)


async def with_trusted_sources(
    workshop: Workshop, job: Job, read: Read, sources: Sequence[MessageGroup], request: SummaryRequest
) -> SummaryRequest:
    """The request; a summary that is not what was signed is left out of it, and what it covers is told again."""
    store, signer = workshop.store, workshop.signer
    summaries = [group for group in sources if group.durable]
    if not signer or not summaries:
        return request
    records = await store.some_summaries(job.key, [group.id for group in summaries])
    owner = Owner(job.tenant, job.session, job.incarnation)
    forged = {group.id for group in summaries if is_forged(signer, owner, group, records.get(group.id))}
    if not forged:
        return request
    log.error(telemetry.SUMMARY_FORGED, **job.log_context(), summaries=len(forged))
    believed = [group for group in summaries if group.id not in forged]
    # What a forged record says of its sources is not believed either.
    known = set(positions_under(await store.summaries(job.key), [group.id for group in believed]))
    folded = [p for p in range(1, read.head.length + 1) if is_folded(read.view, p) and p not in known]
    originals = await messages_at(store, job.key, folded)
    earlier = [group.messages[0].text.removeprefix(SUMMARY_MARK).strip() for group in believed]
    return replace(request, messages=[*originals, *request.messages], earlier=earlier)


def is_forged(signer: Signer, owner: Owner, group: MessageGroup, record: Mapping[str, Any] | None) -> bool:
    """Whether the summary that is shown is not the one that was signed."""
    if record is None or record["text"] != group.messages[0].text:
        return True
    return signer.verdict(owner, record) is Verdict.FORGED
