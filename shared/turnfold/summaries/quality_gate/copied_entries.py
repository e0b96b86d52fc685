"""Replies that copy the transcript's form: numbered entries, or a dialogue with its roles before each line."""

from __future__ import annotations

import re

from turnfold.summaries.quality_gate.sources import Sources

_ROLE = (
    r"user|assistant|system|developer|tool|function|human|ai|bot|customer|client|agent|chatbot|model|result of [\w.-]+"
    r"|benutzer(in)?|nutzer(in)?|kunde|kundin|assistent(in)?|utilisateur|client|usuario|cliente"
    r"|asistente|usuário|utente"
    r"|gebruiker|пользователь|клиент|ассистент|用户|使用者|用戶|助手|助理|客服|顾客|客户|系统|ユーザー"
    r"|アシスタント|사용자"
    r"|어시스턴트|المستخدم|العميل|المساعد|الزبون|النظام"
)
_NUMBERED = re.compile(rf"^\s*\[\d{{1,5}}\]\s*(\W{{0,3}})({_ROLE})\b", re.IGNORECASE | re.MULTILINE)
_LINE = re.compile(rf"^[ \t>*_#-]*({_ROLE})[ \t*_]*[:：][ \t*_]*(.*)$", re.IGNORECASE | re.MULTILINE)
# In a dialogue people speak of themselves and to each other; in a summary of turns others tell of them.
_SPOKEN = re.compile(
    r"\b(i|i['’]\w+|you|you['’]\w+|your|my|me|we|our|ich|mein\w*|mir|wir|ihnen|ihre?|du|dein\w*|je"
    r"|j['’]\w+|vous|votre|mon"
    r"|yo|usted|mi|su|quiero|eu|você|io|lei|ik|uw?|я|вы|мне|вам)\b|我|你|您|私|です|ます|저는|أنا|أريد|لك\b|لديك",
    re.IGNORECASE,
)
DIALOGUE_LINES = 4
SHORTEST_COPY_CHARS = 12


def copies_entries(text: str, sources: Sources) -> bool:
    """Entries of the transcript, or a dialogue, instead of a text about one."""
    if _NUMBERED.search(text):
        return True
    lines = [(match[1].casefold(), match[match.lastindex or 0].strip()) for match in _LINE.finditer(text)]
    if not lines:
        return False
    copied = sum(1 for _, said in lines if len(said) >= SHORTEST_COPY_CHARS and sources.quote(said))
    spoken = sum(1 for _, said in lines if not said or _SPOKEN.search(said))
    is_dialogue = len(lines) >= DIALOGUE_LINES and len({role for role, _ in lines}) > 1 and 2 * spoken >= len(lines)
    return is_dialogue or (2 * copied >= len(lines) and _is_mostly(lines, text))


def _is_mostly(lines: list[tuple[str, str]], text: str) -> bool:
    """Whether such lines are at least half of the text."""
    return 2 * sum(len(role) + len(said) for role, said in lines) >= len("".join(text.split()))
