"""Jobs in Redis: claims, leases, results, and what is due."""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import asdict
from typing import Any, cast

from turnfold import jsonio
from turnfold.sessions import keys
from turnfold.sessions.job import Job, JobState
from turnfold.sessions.ledger import NOTHING_SPENT, Spent
from turnfold.sessions.redis_answers import flat, head_of_pairs, job_of, job_of_pairs, reads_of, result_of, settable
from turnfold.sessions.redis_indexes import RedisIndexes
from turnfold.sessions.session_key import SHARDS, SessionKey
from turnfold.sessions.store import CommitWrite, Stale

# A job that was sent is looked at after this long: by then a worker has it, or its message was lost.
LOOK_AFTER_MS = 3000


class RedisJobs(RedisIndexes):
    """The part of the store that workers use."""

    async def read_job(self, job_id: str) -> Job | None:
        found = await self.ask(self.client.hgetall(keys.job(job_id)))
        return job_of(found)

    async def list_jobs(self, tenant: str, before: tuple[int, str] | None, limit: int) -> list[Job]:
        names = [keys.jobs(shard, tenant) for shard in range(SHARDS)]
        found: list[Job] = []
        while len(found) < limit and (page := await self.newest(names, before, limit)):
            found += await self._read_jobs(tenant, [job_id for _, job_id in page])
            before = page[-1]
        return found[:limit]

    async def claim(self, job_id: str, worker: str, lease_ms: int) -> Job | None:
        job = await self.read_job(job_id)
        if job is None:
            await self.ask(self.client.zrem(keys.due(int(job_id[:3])), job_id))
            return None
        return job_of_pairs(await self.run("claim", self._job_keys(job), ["", job_id, worker, lease_ms]))

    async def renew(self, job: Job, lease_ms: int) -> bool:
        return await self._hold(job, JobState.RUNNING, lease_ms, "")

    async def release(self, job: Job, *, delay_ms: int, error: str, is_try: bool = True) -> bool:
        return await self._hold(job, JobState.RETRYING, delay_ms, error, "failure" if is_try else "no try")

    async def finish(self, job: Job, state: JobState, *, reason: str, error: str, plan_at_tokens: int) -> bool:
        told = {"reason": reason, "error": error}
        arguments = ["", job.id, job.fence, str(state), plan_at_tokens, keys.JOB_SECONDS * 1000, *flat(told)]
        return bool(await self.run("finish", [*self._job_keys(job), keys.owned(job.key)], arguments))

    async def revive(self, job: Job) -> Job | None:
        arguments = ["", job.id, LOOK_AFTER_MS, keys.JOB_SECONDS * 1000]
        return job_of_pairs(await self.run("revive", [*self._job_keys(job), keys.owned(job.key)], arguments))

    async def cancel(self, job: Job, *, plan_at_tokens: int) -> Job | None:
        arguments = ["", job.id, plan_at_tokens, keys.JOB_SECONDS * 1000]
        return job_of_pairs(await self.run("cancel", [*self._job_keys(job), keys.owned(job.key)], arguments))

    async def commit(self, key: SessionKey, write: CommitWrite) -> Job | Stale | None:
        further = write.next_job.id if write.next_job else write.job.id
        names = [
            keys.head(key), keys.view(key), keys.summaries(key), keys.owned(key), keys.job(write.job.id),
            keys.due(key.shard), keys.job(further), keys.jobs(key.shard, key.tenant), keys.replies(key),
            keys.ledger(key.shard, key.tenant),
        ]  # fmt: skip
        head = flat(settable(write.head) | reads_of(write.view))
        job = flat(result_of(write.job))
        arguments: list[Any] = [
            "", write.job.id, write.job.incarnation, write.fence, write.expected_version, write.view.to_json(),
            write.job.summary_id, jsonio.dumps(write.summary), keys.JOB_SECONDS * 1000, LOOK_AFTER_MS,
            len(head), len(job), *head, *job, *(flat(write.next_job.to_hash()) if write.next_job else []),
        ]  # fmt: skip
        answer = await self.run("commit", names, arguments)
        if answer[0] == b"stale":
            return Stale(head_of_pairs(answer[1:]))
        return await self.read_job(write.job.id) if answer[0] == b"ok" else None

    async def keep_reply(
        self, key: SessionKey, incarnation: str, digest: str, reply: bytes, *, spent: Spent = NOTHING_SPENT
    ) -> bool:
        names = [keys.head(key), keys.replies(key), keys.ledger(key.shard, key.tenant)]
        told = flat({name: str(value) for name, value in asdict(spent).items() if value})
        return bool(await self.run("keep", names, [incarnation, digest, reply, keys.REPLY_SECONDS * 1000, *told]))

    async def kept_reply(self, key: SessionKey, digest: str) -> bytes | None:
        found: bytes | None = await self.ask(cast("Awaitable[Any]", self.client.hget(keys.replies(key), digest)))
        return found

    async def due_jobs(self, limit: int) -> list[str]:
        now = await self.now_ms()
        async with self.client.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                pipe.zrange(keys.due(shard), "-inf", now, byscore=True, offset=0, num=limit, withscores=True)
            found = await self.ask(pipe.execute())
        due = sorted((score, name.decode()) for shard in found for name, score in shard)
        return [name for _, name in due[:limit]]

    async def postpone(self, job_ids: Sequence[str], delay_ms: int) -> None:
        now = await self.now_ms()
        async with self.client.pipeline(transaction=False) as pipe:
            for job_id in job_ids:
                pipe.zadd(keys.due(int(job_id[:3])), {job_id: now + delay_ms}, xx=True, gt=True)
            await self.ask(pipe.execute())

    async def _read_jobs(self, tenant: str, job_ids: Sequence[str]) -> list[Job]:
        """Those whose record is there; the others leave the index: a job's id is never used again."""
        async with self.client.pipeline(transaction=False) as pipe:
            for job_id in job_ids:
                pipe.hgetall(keys.job(job_id))
            found = await self.ask(pipe.execute())
        if gone := [job_id for job_id, record in zip(job_ids, found, strict=True) if not record]:
            async with self.client.pipeline(transaction=False) as pipe:
                for job_id in gone:
                    pipe.zrem(keys.jobs(int(job_id[:3]), tenant), job_id)
                await self.ask(pipe.execute())
        return [job for record in found if (job := job_of(record)) is not None]

    async def _hold(self, job: Job, state: JobState, look_after_ms: int, error: str, counts: str = "") -> bool:
        arguments = ["", job.id, job.fence, str(state), look_after_ms, error, counts]
        return bool(await self.run("hold", self._job_keys(job), arguments))

    def _job_keys(self, job: Job) -> list[str]:
        return [keys.job(job.id), keys.head(job.key), keys.due(job.key.shard)]
