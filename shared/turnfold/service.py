"""The path of a message: append, plan, context. No request ever waits for a summarizer.

A worker does the rest: it claims the job that was planned here, and its commit changes what `context` reads next.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeVar, cast

from turnfold import jsonio
from turnfold.beside import run_beside
from turnfold.compaction.run import Action, CompactionRun
from turnfold.compaction.token_budget import TokenBudgetComposedStrategy
from turnfold.errors import BadInput, Conflict, IdempotencyMismatch, NotFound, RevisionMismatch
from turnfold.index import MessageIndex
from turnfold.jobs.planning import plan
from turnfold.jobs.queue import JobQueue
from turnfold.messages import Message, checked_messages
from turnfold.policy import Policy
from turnfold.sessions.entry import new_entry
from turnfold.sessions.head import Head
from turnfold.sessions.head_cache import HeadCache
from turnfold.sessions.index_state import counts_of, resume, state_after, state_of
from turnfold.sessions.job import Job, new_job
from turnfold.sessions.pins import bounded, find_message, pins_with
from turnfold.sessions.recount import is_counted_by, policy_of, recounted
from turnfold.sessions.replay import replay
from turnfold.sessions.restore import restore_included
from turnfold.sessions.session_key import SessionKey, checked_session_id
from turnfold.sessions.store import Appended, AppendWrite, OtherBody, Read, SessionStore, Stale
from turnfold.sessions.view_of import reads_in_vain, view_of
from turnfold.turn import AppendResult, Turn
from turnfold.usage import learned_overhead

T = TypeVar("T")
# Messages of so many characters take some ten milliseconds to count.
HEAVY_CHARS = 100_000
MAX_MESSAGES = 10_000
SERVICE_MANAGED = "the conversation is kept by the service behind the model: nothing is compacted"


class TurnfoldService:
    """Conversations of one tenant over a store and a queue.

    Args:
        store: where sessions are.
        queue: where a worker is woken; the job itself is in the store.
        policy: for sessions without one of their own.
        ttl_seconds: how long an idle session is kept, where it says nothing else.
        keeps_policy: sessions that are made here keep the policy, so that workers with another one obey it.
    """

    def __init__(
        self,
        *,
        store: SessionStore,
        queue: JobQueue,
        policy: Policy,
        ttl_seconds: int,
        tenant: str = "default",
        heads: HeadCache | None = None,
        sending: set[asyncio.Task[bool]] | None = None,
        keeps_policy: bool = False,
    ) -> None:
        self.store, self.queue, self.policy, self.tenant = store, queue, policy, tenant
        self.ttl_seconds, self.keeps_policy = ttl_seconds, keeps_policy
        self._heads = heads or HeadCache()
        self._sending = set[asyncio.Task[bool]]() if sending is None else sending

    def for_tenant(self, tenant: str) -> TurnfoldService:
        """The same store and queue for another tenant."""
        return TurnfoldService(
            store=self.store, queue=self.queue, policy=self.policy, ttl_seconds=self.ttl_seconds,
            tenant=tenant, heads=self._heads, sending=self._sending, keeps_policy=self.keeps_policy,
        )  # fmt: skip

    async def append(
        self,
        session_id: str,
        messages: Iterable[Mapping[str, Any] | Any],
        *,
        usage: Any = None,
        pin: Any = None,
        idempotency_key: str = "",
        digest: str = "",
        if_match: int | None = None,
    ) -> AppendResult:
        """Stores messages, in order, all or none; plans a summary when the policy says that one is due.

        The session is made if it is new. Messages may be mappings or objects of a client library. `usage` is what the
        provider reported for the call that the messages answer: what it counted beside the session's messages
        (instructions, tool schemas) counts towards every token trigger from then on. `pin` marks what every summary
        must hold to the letter: true for all of these messages, or a list of some, by number, and of facts, as texts.

        Raises:
            BadInput: naming the field.
            RevisionMismatch: `if_match` is not the session's revision.
            IdempotencyMismatch: the key was used for another body.
            Unavailable: the store is out of reach; nothing was stored.
        """
        key = self.key(session_id)
        given = [_plain(message) for message in messages]
        is_heavy = jsonio.is_longer_than(given, HEAVY_CHARS)
        checked = await run_beside(checked_messages, given) if is_heavy else checked_messages(given)
        if not 1 <= len(checked) <= MAX_MESSAGES:
            raise BadInput("messages", f"must be 1 to {MAX_MESSAGES} messages, not {len(checked)}")
        async with self._heads.order(key):
            head = self._heads.get(key) or await self.store.read_head(key)
            while True:
                if head is not None:
                    head = await recounted(self.store, key, head, self.policy)
                work = (key, head, checked, usage)
                write = await run_beside(self._append_write, *work) if is_heavy else self._append_write(*work)
                pins = pins_with(write.head.pins, pin, first=write.head.length - len(checked) + 1, count=len(checked))
                write = replace(
                    write, idempotency_key=idempotency_key, digest=digest, head=replace(write.head, pins=pins)
                )
                stale_match = if_match is not None and if_match != (head.revision if head else 0)
                answer = await self._try_append(key, write, is_refused=stale_match)
                if isinstance(answer, OtherBody):
                    raise IdempotencyMismatch
                if isinstance(answer, Appended):
                    return await self._appended(key, write, answer)
                if stale_match and answer.head == head:
                    raise RevisionMismatch(f"the session is at revision {head.revision if head else 0}")
                head = answer.head

    async def context(self, session_id: str, *, budget_tokens: int | None = None) -> Turn:
        """The messages for the model's next call. Never waits for a summarizer.

        Raises:
            NotFound: there is no such session.
        """
        if budget_tokens is not None and budget_tokens < 1:
            raise BadInput("budget_tokens", f"must be at least 1, not {budget_tokens}")
        key = self.key(session_id)
        read = await self._found(self.store.read_turn(key, served=True), session_id)
        policy = self._policy_of(read.head)
        while not is_counted_by(read.head, policy):
            await recounted(self.store, key, read.head, self.policy)
            read = await self._found(self.store.read_turn(key), session_id)
            policy = self._policy_of(read.head)
        index = restore_included(read.view, read.entries, read.head, policy.tokenizer)
        run = CompactionRun(deferred=True)
        head = await self._run_inline(key, read, policy, index, run)
        over = False
        if budget_tokens is not None:
            index.overhead_tokens = 0  # the budget is for the messages; what goes beside them is the caller's
            await TokenBudgetComposedStrategy(token_budget=budget_tokens).compact(index, run)
            over = index.included.tokens > budget_tokens
        return Turn(
            messages=index.projection(),
            counts=index.included.public(),
            revision=head.revision,
            view_revision=head.view_revision,
            pending_job=head.pending_job or None,
            over_budget=over,
            pending_tool_call_ids=index.pending_tool_call_ids,
            actions=run.actions,
        )

    async def compact(self, session_id: str) -> Job:
        """Asks for a summary now, whatever the trigger says: the job that does it, the pending one if there is one."""
        key = self.key(session_id)
        head = await self._found(self.store.read_head(key), session_id)
        while True:
            job = new_job(key, head.incarnation, forced=True)
            wanted = replace(head, version=head.version + 1, pending_job=job.id)
            answer = await self.store.request_job(key, head.version, wanted, job)
            if isinstance(answer, Job):
                self._heads.drop(key)
                self._wake(answer)
                return answer
            if answer.head is None:
                raise NotFound(f"there is no session {session_id!r}")
            head = answer.head

    async def create(
        self,
        session_id: str | None = None,
        *,
        policy: Policy | None = None,
        metadata: Mapping[str, Any] | None = None,
        ttl_seconds: int | None = None,
        service_session_id: str | None = None,
    ) -> tuple[str, Head]:
        """Makes a session; its id and head.

        Raises:
            Conflict: there is one of that id.
        """
        session_id = f"s-{secrets.token_urlsafe(12)}" if session_id is None else session_id
        head = self._new_head()
        head = replace(
            head,
            policy=policy.json if policy else head.policy,
            metadata=dict(metadata or {}),
            ttl_seconds=ttl_seconds or self.ttl_seconds,
            service_session_id=service_session_id or "",
        )
        answer = await self.store.write_head(self.key(session_id), None, head)
        if isinstance(answer, Stale):
            raise Conflict(f"there is a session {session_id!r} already")
        return session_id, answer

    async def session(self, session_id: str) -> Head:
        """
        Raises:
            NotFound: there is no such session.
        """
        return await self._found(self.store.read_head(self.key(session_id)), session_id)

    async def update(self, session_id: str, *, if_match: int | None = None, **changes: Any) -> Head:
        """Changes settings of a session; moves its revision.

        Raises:
            NotFound, RevisionMismatch
        """
        key = self.key(session_id)
        head = await self.session(session_id)
        while True:
            if if_match is not None and if_match != head.revision:
                raise RevisionMismatch(f"the session is at revision {head.revision}")
            wanted = replace(head, version=head.version + 1, revision=head.revision + 1, **changes)
            answer = await self.store.write_head(key, head.version, wanted)
            self._heads.drop(key)
            if isinstance(answer, Head):
                if "policy" in changes:
                    await self.store.look_later(key, 0)  # another policy may make a summary due: a sweep finds out
                return answer
            if answer.head is None:
                raise NotFound(f"there is no session {session_id!r}")
            head = answer.head

    async def pin(self, session_id: str, message_id: str, *, pinned: bool = True) -> Head:
        """Marks a message as never to be lost, or takes the mark back.

        A message that is folded already gets into its summary by a job; the session's revision does not move.

        Raises:
            NotFound: there is no such session, or no such message in it.
            BadInput: the session has too many pins.
        """
        key = self.key(session_id)
        head = await self.session(session_id)
        entry = await find_message(self.store, key, message_id)
        if entry is None:
            raise NotFound(f"there is no message {message_id!r} in session {session_id!r}")
        position = entry.position
        while (position in head.pins) is not pinned:
            pins = [*head.pins, position] if pinned else [one for one in head.pins if one != position]
            wanted = replace(head, version=head.version + 1, pins=bounded(pins))
            answer = await self.store.write_head(key, head.version, wanted)
            self._heads.drop(key)
            if isinstance(answer, Stale) and answer.head is None:
                raise NotFound(f"there is no session {session_id!r}")
            head = answer if isinstance(answer, Head) else cast("Head", answer.head)
            if isinstance(answer, Head) and pinned and await self._is_folded(key, position):
                await self.compact(session_id)
        return head

    async def delete(self, session_id: str) -> None:
        """Erases a session, its summaries and its jobs.

        Raises:
            NotFound: there is no such session.
        """
        key = self.key(session_id)
        self._heads.drop(key)
        if not await self.store.delete(key):
            raise NotFound(f"there is no session {session_id!r}")

    async def messages(self, session_id: str, *, after: int = 0, limit: int = 100) -> Read:
        """The original log behind position `after`, whatever compaction did."""
        return await self._found(self.store.read_log(self.key(session_id), after, limit), session_id)

    async def history(self, session_id: str) -> tuple[Head, MessageIndex]:
        """Every group of the session with what became of it."""
        key = self.key(session_id)
        read = await self._found(self.store.read_log(key, 0, 2**31), session_id)
        records = await self.store.summaries(key)
        return read.head, replay(read.head, read.view, read.entries, records, self._policy_of(read.head).tokenizer)

    def moved(self, key: SessionKey, job: Job | None = None) -> None:
        """A session was written to beside this class: what is remembered of it is dropped, and its new job is sent."""
        self._heads.drop(key)
        if job is not None:
            self._wake(job)

    async def close(self) -> None:
        """Waits for what is on its way to the queue, then closes queue and store."""
        await asyncio.gather(*self._sending, return_exceptions=True)
        await self.queue.close()
        await self.store.close()

    def key(self, session_id: str) -> SessionKey:
        """
        Raises:
            BadInput: the id is not valid.
        """
        return SessionKey(self.tenant, checked_session_id(session_id))

    async def _is_folded(self, key: SessionKey, position: int) -> bool:
        read = await self.store.read_log(key, position - 1, 1)
        return read is not None and (
            position in read.view.covered or (position < read.view.live and position not in read.view.kept_before_live)
        )

    def _wake(self, job: Job) -> None:
        """Sends off the reply's path: a broker that hangs costs the request nothing, and the store has the job."""
        sending = asyncio.create_task(self.queue.send(job.id, live=job.live))
        self._sending.add(sending)
        sending.add_done_callback(self._sending.discard)

    def _append_write(self, key: SessionKey, head: Head | None, messages: list[Message], usage: Any) -> AppendWrite:
        """The messages counted and grouped, with the job that they make due."""
        base = head or self._new_head()
        base = replace(base, overhead_tokens=learned_overhead(base, usage))
        policy = self._policy_of(base)
        index = resume(base.state, policy.tokenizer)
        counted = [(m, *index.measure(m)) for m in messages]
        placements = index.extend([(base.length + n, *one) for n, one in enumerate(counted, 1)])
        job = plan(key, base, policy, live=index.live, all_tokens=index.all.tokens, turn=index.grouper.turn)
        wanted = replace(
            base,
            version=base.version + (head is not None),
            revision=base.revision + 1,
            length=base.length + len(messages),
            pending_job=job.id if job else base.pending_job,
            state=state_of(index),
        )
        pending = {"id": wanted.pending_job, "state": "queued"} if wanted.pending_job else None
        return AppendWrite(
            head=wanted,
            expected_version=head.version if head else None,
            entries=[
                new_entry(message, (tokens, size), policy.tokenizer_name, placement)
                for (message, tokens, size), placement in zip(counted, placements, strict=True)
            ],
            job=job,
            rest={"counts": counts_of(wanted.state), "job": pending},
        )

    async def _try_append(
        self, key: SessionKey, write: AppendWrite, *, is_refused: bool
    ) -> Appended | Stale | OtherBody:
        """The write; where If-Match refuses it, only the answer that was given before under the same key."""
        if is_refused:
            write = replace(write, expected_version=-1)
        return await self.store.append(key, write)

    async def _appended(self, key: SessionKey, write: AppendWrite, answer: Appended) -> AppendResult:
        if answer.head is not None and not answer.repeated:
            self._heads.put(key, answer.head)
        if write.job is not None and not answer.repeated:
            self._wake(write.job)
        return AppendResult(
            first=answer.first, last=answer.last, ids=list(answer.ids), revision=answer.revision,
            counts=answer.rest["counts"], job=answer.rest["job"], repeated=answer.repeated,
        )  # fmt: skip

    async def _run_inline(
        self, key: SessionKey, read: Read, policy: Policy, index: MessageIndex, run: CompactionRun
    ) -> Head:
        """Runs the policy's inline steps, and stores what they hid, so that it stays hidden from turn to turn."""
        head = read.head
        if head.service_session_id:
            tokens = index.included.tokens
            run.actions.append(Action("none", False, False, tokens, tokens, SERVICE_MANAGED))
            return head
        changed = await policy.strategy.compact(index, run)
        if not changed and not reads_in_vain(index, len(read.entries)):
            return head
        for line in [made for made in index.made_groups if not made.durable and not made.included]:
            index.drop_line(line)
        state, open_end = state_after(index, head.state)
        view = view_of(index, read.view, open_end)
        if not changed and view.read == read.view.read:
            return head
        wanted = replace(head, version=head.version + 1, view_revision=head.view_revision + changed, state=state)
        stored = await self.store.write_view(key, head.version, wanted, view)
        if stored:
            self._heads.drop(key)
        return wanted if stored else head

    async def _found(self, answer: Awaitable[T | None], session_id: str) -> T:
        found = await answer
        if found is None:
            raise NotFound(f"there is no session {session_id!r}")
        return found

    def _policy_of(self, head: Head) -> Policy:
        return policy_of(head, self.policy)

    def _new_head(self) -> Head:
        policy = self.policy.json if self.keeps_policy else ""
        return Head(incarnation=secrets.token_hex(8), ttl_seconds=self.ttl_seconds, policy=policy)


def _plain(message: Any) -> Any:
    """A message of a client library as a mapping; a mapping as it is."""
    if isinstance(message, Mapping):
        return cast("Mapping[str, Any]", message)
    if callable(dump := getattr(message, "model_dump", None)):
        return dump(exclude_none=True)
    return message
