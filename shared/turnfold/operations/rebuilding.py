"""Asking for a session's summary to be made again from the originals."""

from __future__ import annotations

from dataclasses import replace

from turnfold.errors import BadInput, Conflict, NotFound
from turnfold.service import TurnfoldService
from turnfold.sessions.job import Job, new_job

MAX_PROMPT_CHARS = 20_000
MAX_MODEL_CHARS = 200


async def request_rebuild(
    service: TurnfoldService, session_id: str, *, prompt: str | None = None, model: str | None = None, live: bool = True
) -> Job:
    """Has the summary made again from the messages under it, and from what was unfolded beside it.

    The old summary shows until the new one has passed the quality gate; if none passes, it stays.

    Args:
        prompt: instruction in place of the policy's.
        model: in place of the policy's, or the summarizer's own.
        live: somebody waits for it; False: it comes after the jobs of those who are about to speak.

    Raises:
        NotFound: there is no such session.
        Conflict: the session waits for another job.
        BadInput: naming the argument that is wrong.
    """
    wanted = _checked("prompt", prompt, MAX_PROMPT_CHARS), _checked("model", model, MAX_MODEL_CHARS)
    key = service.key(session_id)
    head = await service.session(session_id)
    while True:
        job = replace(
            new_job(key, head.incarnation, live=live), rebuild=True, with_prompt=wanted[0], with_model=wanted[1]
        )
        asked = replace(head, version=head.version + 1, pending_job=job.id)
        answer = await service.store.request_job(key, head.version, asked, job)
        if isinstance(answer, Job):
            if answer.id == job.id:
                service.moved(key, answer)
            elif (answer.rebuild, answer.with_prompt, answer.with_model) != (True, *wanted):
                raise Conflict(f"the session waits for job {answer.id}")
            return answer
        if answer.head is None:
            raise NotFound(f"there is no session {session_id!r}")
        head = answer.head


def _checked(name: str, value: str | None, most: int) -> str:
    if value is None:
        return ""
    if not value.strip() or len(value) > most:
        raise BadInput(name, f"must be a text of 1 to {most} characters")
    return value
