"""A conversation with an agent, as a value."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from typing import Any, cast

from turnfold.errors import BadInput
from turnfold.history.state_types import decoded, encoded
from turnfold.jsonio import is_object

_KIND, _VERSION = "session", 1


class AgentSession:
    """One conversation: ids, and what the providers of its agent keep of it. Opaque; store it whole.

    Attributes:
        session_id: unique; made up where none is given.
        service_session_id: the conversation's id with the service behind the model, where that keeps the history: a
            response's id, or a conversation's. It is no proof of who may read it.
        state: what each provider keeps, by the provider's source id. JSON's types, messages, and registered types.
        metadata: the caller's own, of the same types.
        source_ids: of the providers that the session was used with.
    """

    def __init__(
        self,
        *,
        session_id: str | None = None,
        service_session_id: str | None = None,
        metadata: Mapping[str, Any] | None = None,
    ) -> None:
        self.session_id = str(uuid.uuid4()) if session_id is None else _checked_id(session_id)
        self.service_session_id = service_session_id
        self.state: dict[str, Any] = {}
        self.metadata: dict[str, Any] = dict(metadata or {})
        self.source_ids: tuple[str, ...] = ()
        self.restored_source_ids: tuple[str, ...] = ()
        """Those of the agent that the session was stored by, until a run has compared them with its own."""

    def state_of(self, source_id: str) -> dict[str, Any]:
        """What a provider keeps; made empty where there is nothing yet.

        Raises:
            BadInput: something else stands there.
        """
        state: Any = self.state.setdefault(source_id, {})
        if not isinstance(state, dict):
            raise BadInput(f"state.{source_id}", f"must be a mapping, as a provider keeps it, not {state!r}")
        return cast("dict[str, Any]", state)

    def to_dict(self) -> dict[str, Any]:
        """The whole session as JSON.

        Raises:
            BadInput: naming the path of a value whose type is not registered.
        """
        return {
            "type": _KIND,
            "version": _VERSION,
            "session_id": self.session_id,
            "service_session_id": self.service_session_id,
            "source_ids": list(self.source_ids or self.restored_source_ids),
            "metadata": encoded(self.metadata, "metadata"),
            "state": encoded(self.state, "state"),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> AgentSession:
        """The inverse of `to_dict`.

        Raises:
            BadInput: naming what is missing, or the path of a value whose type is not registered here.
        """
        if not is_object(data) or "session_id" not in data:
            raise BadInput("session_id", "is missing; give what to_dict() returned")
        session = cls(session_id=data["session_id"], service_session_id=data.get("service_session_id"))
        session.metadata = decoded(data.get("metadata") or {}, "metadata")
        session.state = decoded(data.get("state") or {}, "state")
        session.restored_source_ids = tuple(data.get("source_ids") or ())
        return session

    def __repr__(self) -> str:
        return f"<AgentSession {self.session_id}>"


def _checked_id(session_id: object) -> str:
    if not isinstance(session_id, str) or not session_id:
        raise BadInput("session_id", f"must be a string that is not empty, not {session_id!r}")
    return session_id
