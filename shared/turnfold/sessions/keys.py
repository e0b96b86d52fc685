"""Every key in Redis, with type, meaning and lifetime.

All keys of a shard share a hash tag, and so a slot of a cluster: one script can move a session, its jobs and the
shard's indexes together. Tenant and session id are percent-encoded, so neither can break out of its place.

| key | type | meaning | lifetime |
|---|---|---|---|
| `{tf:007}:s:TENANT:ID:head` | hash | counters, revision, fence, pending job, policy | the session's |
| `{tf:007}:s:TENANT:ID:log` | list | the messages, position 1 first; an erased one is empty | the session's |
| `{tf:007}:s:TENANT:ID:view` | string | JSON: where the live part starts, summaries, what is hidden | the session's |
| `{tf:007}:s:TENANT:ID:ids` | hash | message ids that clients gave, to positions | the session's |
| `{tf:007}:s:TENANT:ID:sums` | hash | every summary's record by id, those folded again too | the session's |
| `{tf:007}:s:TENANT:ID:owned` | sorted set | its further keys, jobs and answers, by their ends | the session's |
| `{tf:007}:s:TENANT:ID:replies` | hash | replies that passed the gate, by digest, until a commit | 1 h |
| `{tf:007}:s:TENANT:ID:index` | hash | the search index, made by workers, see `StoredIndex` | the session's |
| `{tf:007}:s:TENANT:ID:marks` | hash | marks, to the redacted values that they stand for | the session's |
| `{tf:007}:s:TENANT:ID:idem:KEY` | hash | the answer given under an Idempotency-Key | 24 h |
| `{tf:007}:job:ID` | hash | a job | its session's while it waits, at least 7 days; 7 days after its end |
| `{tf:007}:agent:TENANT:ID` | string | JSON: a whole session of an agent, see `RedisSessionStore` | the session's |
| `{tf:model:NAME}:state` | hash | a model: what was asked of it in the last minute, and its health | 1 h |
| `{tf:model:NAME}:calls` | sorted set | its calls at work, `TENANT:ID`, by their latest end | 1 h |
| `{tf:model:NAME}:asking` | sorted set | tenants that wait for it, by when they are forgotten | 1 h |
| `tf:lock:NAME` | string | somebody does this kind of round just now | seconds |
| `{tf:007}:due` | sorted set | jobs by the time at which somebody should look at them | permanent |
| `{tf:007}:ledger:TENANT` | hash | what the tenant's summaries cost and saved, see `Ledger` | permanent |
| `{tf:007}:waiting` | sorted set | sessions, `TENANT:ID`, by when a sweep looks at them | permanent, sweeps empty it |
| `tf:api-keys` | hash | API keys by their SHA-256, see `StoredKey` | permanent |
| `tf:counts` | hash | counts of all processes, see `turnfold.metrics` | permanent, bounded |
| `tf:workers` | hash | JSON: workers by name, see `WorkerState` | permanent, workers take out those that are gone |
| `tf:swept-policy` | hash | digest of the default policy that all sessions were planned by, by tenant | permanent |
| `{tf:007}:sessions:TENANT` | sorted set | session ids by last activity | permanent, a sweep takes out what expired |
| `{tf:007}:expiring` | sorted set | sessions, `TENANT:ID`, by the time at which they expire | permanent, as before |
| `{tf:007}:tenants` | set | tenants with sessions in this shard | permanent, as before |
| `{tf:007}:jobs:TENANT` | sorted set | job ids by creation | permanent, entries 7 days |

The schedule is kept beside the sessions, by redbeat:

| key | type | meaning | lifetime |
|---|---|---|---|
| `{tf:beat}::lock` | string | which beat is at work | 30 s, renewed |
| `{tf:beat}::schedule` | sorted set | entries by the time at which they are due | permanent, one entry |
| `{tf:beat}::statics` | set | names of the entries that came from settings | permanent, one entry |
| `{tf:beat}:turnfold.sweep` | hash | the sweep: what is sent, and when it was sent last | permanent |

The broker's keys, in another database, begin with `turnfold:`; Celery makes and empties them.
"""

from __future__ import annotations

from urllib.parse import quote, unquote

from turnfold.sessions.session_key import SessionKey

IDEMPOTENCY_SECONDS = 24 * 3600
JOB_SECONDS = 7 * 24 * 3600
REPLY_SECONDS = 3600
# In braces, so that the keys of the schedule share a slot in a cluster.
BEAT_PREFIX = "{tf:beat}:"
API_KEYS = "tf:api-keys"
SWEPT_POLICY = "tf:swept-policy"
COUNTS = "tf:counts"
WORKERS = "tf:workers"
# Keys without a lifetime: bounded by what exists, or trimmed by sweeps and writes.
PERMANENT = (
    ":due", ":sessions:", ":expiring", ":jobs:", ":tenants", ":waiting", ":ledger:", SWEPT_POLICY, API_KEYS,
    COUNTS, WORKERS,
    f"{BEAT_PREFIX}:schedule", f"{BEAT_PREFIX}:statics", f"{BEAT_PREFIX}turnfold.sweep",
)  # fmt: skip


def encoded(text: str) -> str:
    """The text with all but letters, digits and `-._~` percent-encoded."""
    return quote(text, safe="")


def shard_prefix(shard: int) -> str:
    return f"{{tf:{shard:03d}}}"


def session_prefix(key: SessionKey) -> str:
    return f"{shard_prefix(key.shard)}:s:{encoded(key.tenant)}:{encoded(key.id)}"


def head(key: SessionKey) -> str:
    return f"{session_prefix(key)}:head"


def log(key: SessionKey) -> str:
    return f"{session_prefix(key)}:log"


def view(key: SessionKey) -> str:
    return f"{session_prefix(key)}:view"


def ids(key: SessionKey) -> str:
    return f"{session_prefix(key)}:ids"


def summaries(key: SessionKey) -> str:
    return f"{session_prefix(key)}:sums"


def idempotency(key: SessionKey, idempotency_key: str) -> str:
    return f"{session_prefix(key)}:idem:{encoded(idempotency_key)}"


def job(job_id: str) -> str:
    """A job id begins with the number of its shard: `007-…`."""
    return f"{shard_prefix(int(job_id[:3]))}:job:{job_id}"


def replies(key: SessionKey) -> str:
    return f"{session_prefix(key)}:replies"


def index(key: SessionKey) -> str:
    return f"{session_prefix(key)}:index"


def marks(key: SessionKey) -> str:
    return f"{session_prefix(key)}:marks"


def due(shard: int) -> str:
    return f"{shard_prefix(shard)}:due"


def sessions(shard: int, tenant: str) -> str:
    return f"{shard_prefix(shard)}:sessions:{encoded(tenant)}"


def expiring(shard: int) -> str:
    return f"{shard_prefix(shard)}:expiring"


def expiring_member(key: SessionKey) -> str:
    """The session as `expiring` names it."""
    return f"{encoded(key.tenant)}:{encoded(key.id)}"


def session_of_member(member: str) -> SessionKey:
    """The session that `expiring` names so."""
    tenant, _, session_id = member.partition(":")
    return SessionKey(unquote(tenant), unquote(session_id))


def ledger(shard: int, tenant: str) -> str:
    return f"{shard_prefix(shard)}:ledger:{encoded(tenant)}"


def waiting(shard: int) -> str:
    return f"{shard_prefix(shard)}:waiting"


def jobs(shard: int, tenant: str) -> str:
    return f"{shard_prefix(shard)}:jobs:{encoded(tenant)}"


def tenants(shard: int) -> str:
    return f"{shard_prefix(shard)}:tenants"


def owned(key: SessionKey) -> str:
    return f"{session_prefix(key)}:owned"


def model(name: str) -> str:
    return f"{{tf:model:{encoded(name)}}}:state"


def model_calls(name: str) -> str:
    return f"{{tf:model:{encoded(name)}}}:calls"


def model_asking(name: str) -> str:
    return f"{{tf:model:{encoded(name)}}}:asking"


def lock(name: str) -> str:
    return f"tf:lock:{name}"
