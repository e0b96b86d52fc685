"""Whether the summaries that show are those that were made: of these sources, by who has the key."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from turnfold.provenance import Owner, Signer, Verdict, sources_digest
from turnfold.sessions.chain import Records
from turnfold.sessions.session_key import SessionKey
from turnfold.sessions.store import Read

_SAID = {
    Verdict.FORGED: "is not what was signed",
    Verdict.UNKNOWN_KEY: "is signed by a key that is not set",
    Verdict.UNSIGNED: "is not signed, and an earlier one is",
}


def doubts(key: SessionKey, read: Read, records: Records, signer: Signer | None) -> Iterator[str]:
    """What speaks against each summary that shows."""
    owner = Owner(key.tenant, key.id, read.head.incarnation)
    for group in (group for group in read.view.made if group.durable):
        record = records.get(group.id)
        if record is None or record["text"] != group.messages[0].text:
            yield f"summary {group.id} is not the one in its record"
        elif "sources_digest" in record and record["sources_digest"] != _digest(record, read, records):
            yield f"summary {group.id} was not made from the messages that it names"
        elif signer and (said := _said(signer.verdict(owner, record), record, records)):
            yield f"summary {group.id} {said}"


def _said(verdict: Verdict, record: Mapping[str, Any], records: Records) -> str | None:
    """What is wrong with the signature. None is missed where none was made yet: before there were keys."""
    if verdict is Verdict.UNSIGNED:
        made = record["created_at_ms"]
        if not any(other.get("signature") and other["created_at_ms"] <= made for other in records.values()):
            return None
    return _SAID.get(verdict)


def _digest(record: Mapping[str, Any], read: Read, records: Records) -> str:
    messages = [(p, read.entries[p].message) for p in record["positions"] if p in read.entries]
    return sources_digest(messages, [(name, records[name]["text"]) for name in record["summary_of"] if name in records])
