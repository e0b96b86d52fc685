"""Sessions in Redis (7.0 or later) or Valkey: one script a write, one round trip a read."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any, cast

import orjson
from redis.asyncio import Redis
from redis.exceptions import RedisError

from turnfold import jsonio
from turnfold.errors import Unavailable
from turnfold.sessions import keys
from turnfold.sessions.entry import Entry, read_entry
from turnfold.sessions.head import Head
from turnfold.sessions.job import Job, JobState
from turnfold.sessions.scripts import script
from turnfold.sessions.session_key import SHARDS, SessionKey
from turnfold.sessions.store import Appended, AppendWrite, CommitWrite, OtherBody, Read, Stale
from turnfold.sessions.view import View

# A job that was sent is looked at after this long: by then a worker has it, or its message was lost.
LOOK_AFTER_MS = 3000
# The script sets these itself: what the caller saw of them may be old.
_STORE_OWNED = ("fence", "created_at_ms", "last_active_at_ms")


class RedisStore:
    """A session store over one client.

    Args:
        client: answers in bytes (`decode_responses=False`).
        shebang: False for fakeredis, which can't read the scripts' first line.
    """

    def __init__(self, client: Redis, *, shebang: bool = True) -> None:
        self._client = client
        self._shebang = shebang
        self._scripts: dict[str, Any] = {}

    async def read_head(self, key: SessionKey) -> Head | None:
        return _head(await self._ask(self._client.hgetall(keys.head(key))))

    async def append(self, key: SessionKey, write: AppendWrite) -> Appended | Stale | OtherBody:
        job_id = write.job.id if write.job else f"{key.shard:03d}-"
        names = [
            *self._session_keys(key), *self._tenant_keys(key),
            keys.due(key.shard), keys.job(job_id), keys.jobs(key.shard, key.tenant),
            keys.idempotency(key, write.idempotency_key),
        ]  # fmt: skip
        head, job = _flat(_settable(write.head)), _flat(write.job.to_hash()) if write.job else []
        digest = write.digest if write.idempotency_key else ""
        arguments: list[Any] = [
            "", _version(write.expected_version), write.head.ttl_seconds * 1000, key.id, key.tenant,
            len(head), len(job), len(write.entries), digest, jsonio.dumps(write.rest),
            keys.IDEMPOTENCY_SECONDS * 1000, LOOK_AFTER_MS, keys.JOB_SECONDS * 1000, *head, *job,
        ]  # fmt: skip
        for entry in write.entries:
            arguments += (_utf8(entry.given_id), jsonio.dumps(entry.given_id), entry.spare_id, entry.start, entry.body)
        return _appended(await self._run("append", names, arguments), write)

    async def read_turn(self, key: SessionKey) -> Read | None:
        return await self._read(key, "turn")

    async def read_live(self, key: SessionKey) -> Read | None:
        return await self._read(key, "live")

    async def read_log(self, key: SessionKey, after: int, limit: int) -> Read | None:
        async with self._client.pipeline(transaction=True) as pipe:
            pipe.hgetall(keys.head(key))
            pipe.get(keys.view(key))
            pipe.lrange(keys.log(key), after, after + limit - 1)
            found, view, lines = await self._ask(pipe.execute())
        head = _head(found)
        return None if head is None else Read(head, View.from_json(view), _entries(after + 1, lines))

    async def write_view(self, key: SessionKey, expected_version: int, head: Head, view: View) -> bool:
        answer = await self._write_head(key, expected_version, head, view=view.to_json(), is_activity=False)
        return not isinstance(answer, Stale)

    async def write_head(self, key: SessionKey, expected_version: int | None, head: Head) -> Head | Stale:
        return await self._write_head(key, expected_version, head, view=b"", is_activity=True)

    async def request_job(self, key: SessionKey, expected_version: int, head: Head, job: Job) -> Job | Stale:
        names = [
            keys.head(key), keys.owned(key), keys.due(key.shard), keys.job(job.id), keys.jobs(key.shard, key.tenant)
        ]  # fmt: skip
        fields = _flat(_settable(head))
        arguments = ["", expected_version, LOOK_AFTER_MS, keys.JOB_SECONDS * 1000, len(fields), *fields]
        answer = await self._run("request_job", names, [*arguments, *_flat(job.to_hash())])
        if answer[0] == b"stale":
            return Stale(_head_of_pairs(answer[1:]))
        found = await self.read_job(answer[1].decode() if answer[0] == b"pending" else job.id)
        return found or Stale(await self.read_head(key))

    async def delete(self, key: SessionKey) -> bool:
        owned = [name.decode() for name in await self._ask(self._client.smembers(keys.owned(key)))]
        job_ids = [name.rpartition(":")[2] for name in owned if ":job:" in name]
        names = [
            keys.head(key), keys.sessions(key.shard, key.tenant), keys.due(key.shard),
            keys.jobs(key.shard, key.tenant), *self._session_keys(key)[1:], *owned,
        ]  # fmt: skip
        return bool(await self._run("delete", names, [key.id, *job_ids]))

    async def list_sessions(self, tenant: str, before: tuple[int, str] | None, limit: int) -> list[tuple[int, str]]:
        names = [keys.sessions(shard, tenant) for shard in range(SHARDS)]
        return await self._newest(names, before, limit)

    async def summaries(self, key: SessionKey) -> dict[str, dict[str, Any]]:
        found = await self._ask(self._client.hgetall(keys.summaries(key)))
        return {name.decode(): jsonio.loads(text) for name, text in found.items()}

    async def read_job(self, job_id: str) -> Job | None:
        found = await self._ask(self._client.hgetall(keys.job(job_id)))
        return _job(found)

    async def list_jobs(self, tenant: str, before: tuple[int, str] | None, limit: int) -> list[Job]:
        names = [keys.jobs(shard, tenant) for shard in range(SHARDS)]
        found = [await self.read_job(job_id) for _, job_id in await self._newest(names, before, limit)]
        return [job for job in found if job is not None]

    async def claim(self, job_id: str, worker: str, lease_ms: int) -> Job | None:
        job = await self.read_job(job_id)
        if job is None:
            await self._ask(self._client.zrem(keys.due(int(job_id[:3])), job_id))
            return None
        return _job_of_pairs(await self._run("claim", self._job_keys(job), ["", job_id, worker, lease_ms]))

    async def renew(self, job: Job, lease_ms: int) -> bool:
        return await self._hold(job, JobState.RUNNING, lease_ms, "")

    async def release(self, job: Job, *, delay_ms: int, error: str) -> bool:
        return await self._hold(job, JobState.RETRYING, delay_ms, error)

    async def finish(self, job: Job, state: JobState, *, reason: str, error: str, plan_at_tokens: int) -> bool:
        told = {"reason": reason, "error": error}
        arguments = ["", job.id, job.fence, str(state), plan_at_tokens, keys.JOB_SECONDS * 1000, *_flat(told)]
        return bool(await self._run("finish", self._job_keys(job), arguments))

    async def commit(self, key: SessionKey, write: CommitWrite) -> Job | Stale | None:
        further = write.next_job.id if write.next_job else write.job.id
        names = [
            keys.head(key), keys.view(key), keys.summaries(key), keys.owned(key), keys.job(write.job.id),
            keys.due(key.shard), keys.job(further), keys.jobs(key.shard, key.tenant),
        ]  # fmt: skip
        head, job = _flat(_settable(write.head)), _flat(_result_of(write.job))
        arguments: list[Any] = [
            "", write.job.id, write.job.incarnation, write.fence, write.expected_version, write.view.to_json(),
            write.job.summary_id, jsonio.dumps(write.summary), keys.JOB_SECONDS * 1000, LOOK_AFTER_MS,
            len(head), len(job), *head, *job, *(_flat(write.next_job.to_hash()) if write.next_job else []),
        ]  # fmt: skip
        answer = await self._run("commit", names, arguments)
        if answer[0] == b"stale":
            return Stale(_head_of_pairs(answer[1:]))
        return await self.read_job(write.job.id) if answer[0] == b"ok" else None

    async def keep_reply(self, key: SessionKey, digest: str, reply: bytes) -> None:
        name = keys.reply(key.shard, digest)
        async with self._client.pipeline(transaction=True) as pipe:
            pipe.set(name, reply, ex=keys.REPLY_SECONDS)
            pipe.sadd(keys.owned(key), name)
            pipe.expire(keys.owned(key), keys.JOB_SECONDS, nx=True)
            await self._ask(pipe.execute())

    async def kept_reply(self, key: SessionKey, digest: str) -> bytes | None:
        found: bytes | None = await self._ask(self._client.get(keys.reply(key.shard, digest)))
        return found

    async def due_jobs(self, limit: int) -> list[str]:
        now = await self.now_ms()
        async with self._client.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                pipe.zrange(keys.due(shard), "-inf", now, byscore=True, offset=0, num=limit, withscores=True)
            found = await self._ask(pipe.execute())
        due = sorted((score, name.decode()) for shard in found for name, score in shard)
        return [name for _, name in due[:limit]]

    async def postpone(self, job_ids: Sequence[str], delay_ms: int) -> None:
        now = await self.now_ms()
        async with self._client.pipeline(transaction=False) as pipe:
            for job_id in job_ids:
                pipe.zadd(keys.due(int(job_id[:3])), {job_id: now + delay_ms}, xx=True, gt=True)
            await self._ask(pipe.execute())

    async def recent_sessions(self, since_ms: int, limit: int) -> list[SessionKey]:
        async with self._client.pipeline(transaction=False) as pipe:
            for shard in range(SHARDS):
                pipe.smembers(keys.tenants(shard))
            tenants = await self._ask(pipe.execute())
        places = [(shard, name.decode()) for shard, names in enumerate(tenants) for name in names]
        async with self._client.pipeline(transaction=False) as pipe:
            for shard, tenant in places:
                pipe.zrange(
                    keys.sessions(shard, tenant), since_ms, "+inf", byscore=True, offset=0, num=limit, withscores=True
                )
            found = await self._ask(pipe.execute())
        recent = sorted(
            (score, SessionKey(tenant, name.decode()))
            for (_, tenant), members in zip(places, found, strict=True)
            for name, score in members
        )
        return [key for _, key in recent[:limit]]

    async def try_lock(self, name: str, hold_ms: int) -> bool:
        return bool(await self._ask(self._client.set(keys.lock(name), "1", px=hold_ms, nx=True)))

    async def now_ms(self) -> int:
        seconds, micros = await self._ask(cast("Awaitable[Any]", self._client.time()))
        return int(seconds) * 1000 + int(micros) // 1000

    async def ping(self) -> None:
        await self._ask(cast("Awaitable[Any]", self._client.ping()))

    async def close(self) -> None:
        await self._client.aclose()

    async def _read(self, key: SessionKey, mode: str) -> Read | None:
        answer = await self._run("read", [keys.head(key), keys.log(key), keys.view(key)], [mode])
        if not answer:
            return None
        head, view, start, lines, kept = answer
        entries = _entries(int(start), lines)
        for position, line in zip(kept[::2], kept[1::2], strict=True):
            if (entry := read_entry(int(position), line)) is not None:
                entries[entry.position] = entry
        found = _head_of_pairs(head)
        return None if found is None else Read(found, View.from_json(view), entries)

    async def _write_head(
        self, key: SessionKey, expected_version: int | None, head: Head, *, view: bytes, is_activity: bool
    ) -> Head | Stale:
        names = [*self._session_keys(key), *self._tenant_keys(key)]
        arguments = [
            "", _version(expected_version), head.ttl_seconds * 1000, key.id, key.tenant, view,
            "1" if is_activity else "", *_flat(_settable(head)),
        ]  # fmt: skip
        answer = await self._run("write_head", names, arguments)
        present = _head_of_pairs(answer[1:])
        return present if answer[0] == b"ok" and present is not None else Stale(present)

    async def _hold(self, job: Job, state: JobState, look_after_ms: int, error: str) -> bool:
        arguments = ["", job.id, job.fence, str(state), look_after_ms, error]
        return bool(await self._run("hold", self._job_keys(job), arguments))

    async def _newest(self, names: list[str], before: tuple[int, str] | None, limit: int) -> list[tuple[int, str]]:
        """Members of all shards' sets by score, newest first, those with the same score by name."""
        highest = "+inf" if before is None else before[0]
        async with self._client.pipeline(transaction=False) as pipe:
            for name in names:
                pipe.zrange(name, highest, "-inf", byscore=True, desc=True, offset=0, num=limit + 1, withscores=True)
            found = await self._ask(pipe.execute())
        merged = sorted(((int(score), name.decode()) for shard in found for name, score in shard), reverse=True)
        return [item for item in merged if before is None or item < before][:limit]

    def _session_keys(self, key: SessionKey) -> list[str]:
        return [keys.head(key), keys.log(key), keys.ids(key), keys.view(key), keys.summaries(key), keys.owned(key)]

    def _tenant_keys(self, key: SessionKey) -> list[str]:
        return [keys.sessions(key.shard, key.tenant), keys.tenants(key.shard)]

    def _job_keys(self, job: Job) -> list[str]:
        return [keys.job(job.id), keys.head(job.key), keys.due(job.key.shard)]

    async def _run(self, name: str, names: list[str], arguments: Sequence[Any]) -> Any:
        if name not in self._scripts:
            self._scripts[name] = self._client.register_script(script(name, shebang=self._shebang))
        return await self._ask(self._scripts[name](keys=names, args=arguments))

    async def _ask(self, answer: Awaitable[Any]) -> Any:
        try:
            return await answer
        except (RedisError, OSError) as error:
            raise Unavailable(f"the session store did not answer: {type(error).__name__}: {error}") from error


def _version(version: int | None) -> str:
    return "" if version is None else str(version)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _flat(fields: Mapping[str, str]) -> list[str]:
    return [part for pair in fields.items() for part in pair]


def _settable(head: Head) -> dict[str, str]:
    return {name: text for name, text in head.to_hash().items() if name not in _STORE_OWNED}


def _result_of(job: Job) -> dict[str, str]:
    names = ("reason", "summary_id", "model", "source_tokens", "summary_tokens", "prompt_tokens", "completion_tokens")
    return {name: text for name, text in job.to_hash().items() if name in names}


def _head(found: Mapping[bytes, bytes]) -> Head | None:
    return Head.from_hash({k.decode(): v.decode() for k, v in found.items()}) if found else None


def _head_of_pairs(flat: Sequence[bytes]) -> Head | None:
    return _head(dict(zip(flat[::2], flat[1::2], strict=True)))


def _job(found: Mapping[bytes, bytes]) -> Job | None:
    return Job.from_hash({k.decode(): v.decode() for k, v in found.items()}) if found else None


def _job_of_pairs(flat: Sequence[bytes]) -> Job | None:
    return _job(dict(zip(flat[::2], flat[1::2], strict=True)))


def _entries(first: int, lines: Sequence[bytes]) -> dict[int, Entry]:
    found = (read_entry(position, line) for position, line in enumerate(lines, first))
    return {entry.position: entry for entry in found if entry is not None}


def _appended(answer: Sequence[bytes], write: AppendWrite) -> Appended | Stale | OtherBody:
    kind = answer[0]
    if kind == b"stale":
        return Stale(_head_of_pairs(answer[1:]))
    if kind == b"other":
        return OtherBody()
    revision, first, last = (int(part) for part in answer[1:4])
    if kind == b"repeated":
        ids = tuple(orjson.loads(answer[4]))
        return Appended(first, last, ids, revision, jsonio.loads(answer[5]), repeated=True)
    ids = tuple(part.decode("utf-8", "surrogatepass") for part in answer[5:])
    return Appended(first, last, ids, revision, write.rest, head=write.head)
