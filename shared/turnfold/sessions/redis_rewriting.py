"""Taking things back in Redis: messages that are erased, summaries that are withdrawn."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any, cast

from turnfold.sessions import keys
from turnfold.sessions.head import Head
from turnfold.sessions.redis_answers import flat, head_of_pairs, reads_of, settable
from turnfold.sessions.redis_indexes import NAMES_AT_A_TIME, pieces
from turnfold.sessions.redis_jobs import LOOK_AFTER_MS, RedisJobs
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import RewriteWrite, Stale


class RedisRewriting(RedisJobs):
    """The part of the store that forgets a part of a session."""

    async def rewrite(self, key: SessionKey, write: RewriteWrite) -> Head | Stale:
        no_job = f"{key.shard:03d}-"
        next_job = write.next_job.id if write.next_job else no_job
        names = [
            keys.head(key), keys.log(key), keys.ids(key), keys.view(key), keys.summaries(key), keys.owned(key),
            keys.replies(key), keys.due(key.shard), keys.jobs(key.shard, key.tenant),
            keys.job(write.pending_job or no_job), keys.job(next_job), *await self._made_of(key, write.erased),
        ]  # fmt: skip
        answer = await self.run("rewrite", names, _arguments(write))
        present = head_of_pairs(answer[1:])
        return present if answer[0] == b"ok" and present is not None else Stale(present)

    async def _made_of(self, key: SessionKey, erased: Sequence[int]) -> list[str]:
        """Keys of what tells of these messages: what was made of the session, and the answers to their appends."""
        return [keys.index(key), keys.marks(key), *await self._answers_with(key, erased)] if erased else []

    async def _answers_with(self, key: SessionKey, erased: Sequence[int]) -> list[str]:
        """Keys of the answers that tell of these messages: there will be no more, each message was appended once."""
        owned = await self.ask(cast("Awaitable[list[bytes]]", self.client.zrange(keys.owned(key), 0, -1)))
        answers = [name.decode() for name in owned if name.startswith(keys.idempotency(key, "").encode())]
        found: list[str] = []
        for some in pieces(answers, NAMES_AT_A_TIME):
            async with self.client.pipeline(transaction=False) as pipe:
                for name in some:
                    pipe.hmget(name, ["first", "last"])
                spans = await self.ask(pipe.execute())
            found += [name for name, span in zip(some, spans, strict=True) if _spans_any(span, erased)]
        return found


def _spans_any(span: Sequence[bytes | None], positions: Sequence[int]) -> bool:
    first, last = span
    return first is not None and last is not None and any(int(first) <= one <= int(last) for one in positions)


def _arguments(write: RewriteWrite) -> list[Any]:
    head = flat(settable(write.head) | reads_of(write.view))
    lines = [part for position, line in write.lines.items() for part in (position, line)]
    ids = [message_id.encode("utf-8", "surrogatepass") for message_id in write.message_ids]
    job = flat(write.next_job.to_hash()) if write.next_job else []
    return [
        "", write.expected_version, write.view.to_json(), write.pending_job, write.reason, keys.JOB_SECONDS * 1000,
        LOOK_AFTER_MS, len(head), len(lines), len(ids), len(write.summaries), len(job),
        *head, *lines, *ids, *write.summaries, *job,
    ]  # fmt: skip
