"""Decisions and preferences, found by rule: sentences in which somebody settles something, or says what they want."""

from __future__ import annotations

import re
from collections.abc import Iterable

from turnfold.summaries.unit import Unit

MIN_CHARS, MAX_CHARS = 8, 240

_DECISION = (
    r"\b(?:let['’]s (?:go with|use|take|do|keep|stick)|(?:we|i)(?:['’]ve| have)? (?:decided|agreed"
    r"|settled|chose|picked|choose)"
    r"|decided (?:to|on|that|against)|agreed (?:to|on|that)|i(?:['’]ll| will) (?:take|go with|have)|go (?:ahead )?with"
    r"|(?:the )?(?:final )?decision (?:is|was)|approved|we(?:['’]ll| will) (?:use|go with|keep)|instead of|rather than"
    r"|actually,|i meant|that was wrong|correction"
    r"|entschieden|beschlossen|vereinbart|wir nehmen|ich nehme|dann nehmen|abgemacht|on prend"
    r"|je prends|décidé|nous avons choisi"
    r"|decidido|decidimos|me quedo con|acordado|vamos com|решили|договорились)"
    r"|决定|决議|就(?:订|定|选|要|用|这)|选(?:择|了)|同意|改成|改为|换成|決定|決め|にします|قررنا|قررت"
    r"|اتفقنا|سأستخدم|سآخذ|اخترت"
)
_PREFERENCE = (
    r"\b(?:i|we|she|he|they)(?:['’]d| would)? (?:rather|prefer|like to have|only want|don['’]t want"
    r"|do not want|hate|love|can['’]t (?:have|eat|stand)"
    r"|am allergic|always (?:want|use|take)|never (?:want|use|take))|\bi(?:['’]m| am) allergic"
    r"|\ballerg(?:y|ic) to|\bprefer(?:s|red|ably|ence)?\b"
    r"|\b(?:please )?(?:don['’]t|do not|never|always) (?:send|use|call|add|book|include|put|write"
    r"|mention|change)\b|\bno (?:nuts|meat|layovers?|stops?)\b"
    r"|\b(?:ich möchte|ich will|wir wollen|hätte gern|lieber|bevorzug\w*|am liebsten|bitte (?:nicht"
    r"|kein\w*)|auf keinen fall"
    r"|je préfère|je ne veux pas|plutôt que|prefiero|no quiero|preferi(?:ria|sco)|prefiro|não quero"
    r"|предпочита\w*|не хочу|лучше)\b"
    r"|喜欢|不喜欢|偏好|更想|不要|不想|不吃|过敏|希望|最好|好みます|嫌い|苦手|がいい|希望|أفضل|لا أريد"
    r"|أحب|لا أحب|حساسية"
)
_STATEMENT = re.compile(f"{_DECISION}|{_PREFERENCE}", re.IGNORECASE)
_SPEAKERS = frozenset(("user", "assistant"))


def is_statement(unit: Unit) -> bool:
    """Whether the unit is a sentence that settles something or tells a wish; an assistant's question is none."""
    if not MIN_CHARS <= len(unit.text) <= MAX_CHARS or unit.speaker not in _SPEAKERS:
        return False
    if unit.text.rstrip().endswith(("?", "？", "؟")):
        return False
    return _STATEMENT.search(unit.text) is not None


def statements(units: Iterable[Unit]) -> list[int]:
    """Positions among the units of those that are statements: the user's before the assistant's, newest first."""
    found = [(i, unit) for i, unit in enumerate(units) if is_statement(unit)]
    return [i for i, _ in sorted(found, key=lambda pair: (pair[1].speaker != "user", -pair[0]))]
