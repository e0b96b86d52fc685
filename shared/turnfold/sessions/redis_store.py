"""Sessions in Redis (7.0 or later) or Valkey: one script a write, one round trip a read."""

from __future__ import annotations

from typing import Any

from turnfold import jsonio
from turnfold.errors import Unavailable
from turnfold.sessions import keys
from turnfold.sessions.entry import read_entry
from turnfold.sessions.head import Head
from turnfold.sessions.job import Job
from turnfold.sessions.redis_answers import appended_of, entries_of, flat, head_of, head_of_pairs, reads_of, settable
from turnfold.sessions.redis_api_keys import RedisApiKeys
from turnfold.sessions.redis_connection import was_refused
from turnfold.sessions.redis_fleet import RedisFleet
from turnfold.sessions.redis_indexes import NAMES_AT_A_TIME
from turnfold.sessions.redis_jobs import LOOK_AFTER_MS
from turnfold.sessions.redis_ledger import RedisLedger
from turnfold.sessions.redis_made import RedisMade
from turnfold.sessions.redis_provider import RedisProvider
from turnfold.sessions.redis_waiting import RedisWaiting
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import Appended, AppendWrite, OtherBody, Read, Stale
from turnfold.sessions.view import View


class RedisStore(RedisMade, RedisWaiting, RedisLedger, RedisApiKeys, RedisProvider, RedisFleet):
    """A session store over one client; see `RedisConnection` for what it takes."""

    async def read_head(self, key: SessionKey) -> Head | None:
        return head_of(await self.ask(self.client.hgetall(keys.head(key))))

    async def append(self, key: SessionKey, write: AppendWrite) -> Appended | Stale | OtherBody:
        job_id = write.head.pending_job or f"{key.shard:03d}-"
        names = [
            *self._session_keys(key), *self._tenant_keys(key),
            keys.due(key.shard), keys.job(job_id), keys.jobs(key.shard, key.tenant),
            keys.idempotency(key, write.idempotency_key), keys.index(key), keys.marks(key),
        ]  # fmt: skip
        head, job = flat(settable(write.head)), flat(write.job.to_hash()) if write.job else []
        digest = write.digest if write.idempotency_key else ""
        arguments: list[Any] = [
            "", _version(write.expected_version), write.head.ttl_seconds * 1000, key.id, key.tenant,
            keys.expiring_member(key), len(head), len(job), len(write.entries), digest, jsonio.dumps(write.rest),
            keys.IDEMPOTENCY_SECONDS * 1000, LOOK_AFTER_MS, keys.JOB_SECONDS * 1000, *head, *job,
        ]  # fmt: skip
        for entry in write.entries:
            arguments += (_utf8(entry.given_id), jsonio.dumps(entry.given_id), entry.spare_id, entry.start, entry.body)
        return appended_of(await self.run("append", names, arguments), write)

    async def read_turn(self, key: SessionKey, *, served: bool = False) -> Read | None:
        if not served:
            return await self._read(key, "turn")
        try:
            return await self._read(key, "turn", script="serve")
        except Unavailable as error:
            if not was_refused(error):
                raise
            return await self._read(key, "turn")  # a store that takes no writes just now can be read all the same

    async def read_live(self, key: SessionKey) -> Read | None:
        return await self._read(key, "live")

    async def read_log(self, key: SessionKey, after: int, limit: int) -> Read | None:
        names = [keys.head(key), keys.view(key), keys.log(key)]
        found, view, lines = await self.run("read_log", names, [after, after + limit - 1])
        head = head_of_pairs(found)
        return None if head is None else Read(head, View.from_json(view), entries_of(after + 1, lines))

    async def write_view(self, key: SessionKey, expected_version: int, head: Head, view: View) -> bool:
        answer = await self._put_head(key, expected_version, head, view=view, is_activity=False)
        return not isinstance(answer, Stale)

    async def write_head(self, key: SessionKey, expected_version: int | None, head: Head) -> Head | Stale:
        return await self._put_head(key, expected_version, head, view=None, is_activity=True)

    async def request_job(self, key: SessionKey, expected_version: int, head: Head, job: Job) -> Job | Stale:
        answer = await self._request_job(key, expected_version, head, job)
        if answer[0] == b"pending":
            pending = answer[1].decode()
            if (found := await self.read_job(pending)) is not None:
                return found
            answer = await self._request_job(key, expected_version, head, job, gone=pending)
        if answer[0] == b"stale":
            return Stale(head_of_pairs(answer[1:]))
        return await self.read_job(job.id) or Stale(await self.read_head(key))

    async def delete(self, key: SessionKey) -> bool:
        existed, is_more = await self._delete_some(key)
        while is_more:
            _, is_more = await self._delete_some(key)
        await self.ask(self.client.zrem(keys.waiting(key.shard), keys.expiring_member(key)))
        return bool(existed)

    async def summaries(self, key: SessionKey) -> dict[str, dict[str, Any]]:
        found = await self.ask(self.client.hgetall(keys.summaries(key)))
        return {name.decode(): jsonio.loads(text) for name, text in found.items()}

    async def _request_job(
        self, key: SessionKey, expected_version: int, head: Head, job: Job, *, gone: str = ""
    ) -> list[bytes]:
        names = [
            keys.head(key), keys.owned(key), keys.due(key.shard), keys.job(job.id), keys.jobs(key.shard, key.tenant)
        ]  # fmt: skip
        fields = flat(settable(head))
        arguments = ["", expected_version, LOOK_AFTER_MS, keys.JOB_SECONDS * 1000, gone, len(fields), *fields]
        answer: list[bytes] = await self.run("request_job", names, [*arguments, *flat(job.to_hash())])
        return answer

    async def _delete_some(self, key: SessionKey) -> tuple[int, int]:
        """One step: whether there was a session, and whether another step is needed."""
        owned = [name.decode() for name in await self.ask(self.client.zrange(keys.owned(key), 0, NAMES_AT_A_TIME - 1))]
        job_ids = [name.rpartition(":")[2] for name in owned if ":job:" in name]
        names = [
            *self._session_keys(key), *self._tenant_keys(key), keys.due(key.shard),
            keys.jobs(key.shard, key.tenant), keys.replies(key), keys.index(key), keys.marks(key), *owned,
        ]  # fmt: skip
        existed, is_more = await self.run("delete", names, [key.id, key.tenant, keys.expiring_member(key), *job_ids])
        return existed, is_more

    async def _read(self, key: SessionKey, mode: str, *, script: str = "read") -> Read | None:
        names = [keys.head(key), keys.log(key), keys.view(key)]
        if script == "serve":
            names.append(keys.ledger(key.shard, key.tenant))
        answer = await self.run(script, names, [mode])
        if not answer:
            return None
        head, view, start, lines, kept = answer
        entries = entries_of(int(start), lines)
        for position, line in zip(kept[::2], kept[1::2], strict=True):
            if (entry := read_entry(int(position), line)) is not None:
                entries[entry.position] = entry
        found = head_of_pairs(head)
        return None if found is None else Read(found, View.from_json(view), entries)

    async def _put_head(
        self, key: SessionKey, expected_version: int | None, head: Head, *, view: View | None, is_activity: bool
    ) -> Head | Stale:
        names = [*self._session_keys(key), *self._tenant_keys(key), keys.index(key), keys.marks(key)]
        fields = settable(head) | (reads_of(view) if view else {})
        arguments = [
            "", _version(expected_version), head.ttl_seconds * 1000, key.id, key.tenant,
            keys.expiring_member(key), view.to_json() if view else "", "1" if is_activity else "", *flat(fields),
        ]  # fmt: skip
        answer = await self.run("write_head", names, arguments)
        present = head_of_pairs(answer[1:])
        return present if answer[0] == b"ok" and present is not None else Stale(present)

    def _session_keys(self, key: SessionKey) -> list[str]:
        return [keys.head(key), keys.log(key), keys.ids(key), keys.view(key), keys.summaries(key), keys.owned(key)]

    def _tenant_keys(self, key: SessionKey) -> list[str]:
        return [keys.sessions(key.shard, key.tenant), keys.tenants(key.shard), keys.expiring(key.shard)]


def _version(version: int | None) -> str:
    return "" if version is None else str(version)


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
