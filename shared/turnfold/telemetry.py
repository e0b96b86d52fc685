"""Names of all log events, and the logger. Lines carry ids and numbers; never what anybody said."""

from __future__ import annotations

import logging
from typing import Any

import structlog

JOB_CLAIMED = "job.claimed"  # a worker took a job; fence, tries
JOB_NOTHING_TO_DO = "job.nothing_to_do"  # there was nothing to fold; reason
JOB_COMMITTED = "job.committed"  # the summary shows, its sources are hidden; sources: groups
JOB_SUPERSEDED = "job.superseded"  # another claim rules; nothing was written
JOB_RETRYING = "job.retrying"  # to be tried again; delay: seconds
JOB_DEAD = "job.dead"  # not tried again; reason, error
JOB_HANDED_BACK = "job.handed_back"  # broken off since its worker ends, or it took too long; another one goes on
JOB_FAILED = "job.failed"  # a fault in the worker's own code
CALL_DEFERRED = "model.call_deferred"  # no room for a call: reason: open, busy or budget; delay: seconds
JOB_RESENT = "job.resent"  # a job whose message was lost, or that is to be tried again, was sent
REPLY_KEPT = "reply.kept"  # a reply passed the gate; model, seconds
REPLY_REJECTED = "reply.rejected"  # the quality gate refused a reply; reason: one of `Rejection`, model
REPLY_REUSED = "reply.reused"  # a reply kept by an earlier claim was used
SESSION_INDEXED = "session.indexed"  # what was said since is in the search index
INDEX_FAILED = "session.index_failed"  # … is not in it yet, and is found all the same; error
SUMMARY_FORGED = "summary.forged"  # an earlier summary is not what was signed: its originals are told again
SEND_FAILED = "job.send_failed"  # the broker could not be reached in time; the job is in the store
SEND_SKIPPED = "job.send_skipped"  # the broker was out of reach a moment ago
SUMMARIZE_FAILED = "task.summarize_failed"  # a task ended by an error: its type, file and line
SWEEP_FAILED = "task.sweep_failed"  # the same, of a sweep
POLL_FAILED = "worker.poll_failed"  # looking for lost jobs failed; it goes on
WORKER_READY = "worker.ready"  # takes jobs
WORKER_STOPPING = "worker.stopping"  # takes no more jobs, finishes those it has
WORKER_STOPPED = "worker.stopped"
BEAT_STARTED = "beat.started"
BEAT_STOPPED = "beat.stopped"  # the store was out of reach for too long; error
API_READY = "api.ready"  # the server answers; url
API_STOPPED = "api.stopped"  # the server has ended by itself
HTTP_REQUEST = "http.request"  # a request was answered; duration_ms; status 499: the client left before the answer
HTTP_FAILED = "http.failed"  # a fault in the server's own code, with its traceback
TURN_NOT_STORED = "proxy.turn_not_stored"  # a reply was given, but it could not be stored; error
HISTORY_NOT_FOLLOWED = "adapter.history_not_followed"  # the model got a history without its session; error
SWEEP_DONE = "sweep.done"  # due, planned: jobs recorded or sent again, looked_at: sessions
PROVIDER_FAILED = "agent.provider_failed"  # what a provider does after a run failed; the turn is stored
COMPACTION_FAILED = "agent.compaction_failed"  # a history could not be compacted after a run; it is as it was
TOOL_FAILED = "agent.tool_failed"  # a tool raised; the model was told; tool
SUMMARIZER_CHOSEN = "summarizer.chosen"  # said once at start


def logger(name: str) -> Any:
    """The logger of a module: events and fields go to the standard library's logger of that name.

    So a backend that uses the library decides, as with any other, what is shown and how.
    """
    return structlog.wrap_logger(
        logging.getLogger(name),
        processors=[structlog.stdlib.filter_by_level, structlog.stdlib.render_to_log_kwargs],
        wrapper_class=structlog.stdlib.BoundLogger,
    )
