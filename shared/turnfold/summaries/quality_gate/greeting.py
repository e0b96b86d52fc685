"""Replies that greet: a model that takes the transcript for the start of its own chat."""

from __future__ import annotations

import re

_HELLO = (
    r"hello|hi|hiya|hey|greetings|good (morning|afternoon|evening|day)|welcome( back)?|guten (tag"
    r"|morgen|abend)|hallo|moin"
    r"|servus|grüß gott|bonjour|bonsoir|salut|hola|buenos días|buenas (tardes|noches)|olá|oi|bom dia|boa (tarde|noite)"
    r"|ciao|buongiorno|salve|hoi|goedendag|hej|cześć|dzień dobry|привет|здравствуйте|добрый день|merhaba|xin chào"
    r"|你好|您好|大家好|哈喽|こんにちは|こんばんは|안녕하세요|مرحب[اًا]+|أهل[اًا]+( وسهل[اًا]+)?|السلام عليكم|नमस्ते"
)
# `Hi, I am …`, `Hello there!`, `你好！`; not `Hi-Fi system ordered` and not `Hello World example explained`.
_GREETING = re.compile(
    rf"^[\W_]*({_HELLO})( there| again| everyone| zusammen| à tous| a todos)?(\s*$"
    rf"|\s*[!,.:;，。！、؛،~☺🙂😊👋]|\s+[A-Z]\w+[,!])",
    re.IGNORECASE,
)
_HOW_CAN_I_HELP = re.compile(
    r"how (can|may|could) i (help|assist|be of)|what can i (help|do for|assist)|i(['’]m| am) here to (help|assist)"
    r"|(wie|womit) kann ich (ihnen|dir|euch) (heute )?(weiter)?helfen|comment puis-je vous aider|en quoi puis-je"
    r"|(en qué|cómo) puedo ayudar|como posso ajudar|come posso aiutar|hoe kan ik (u|je) helpen"
    r"|чем (я )?могу (вам )?помочь"
    r"|(有什么|有什麼|请问有什么).{0,6}(可以|能).{0,6}(帮|幫|为您|协助)|(我|能)(可以|能)?(怎么|如何)(帮|幫)"
    r"|どのような(ご用件|お手伝い)|何かお手伝い|무엇을 도와|كيف (يمكنني|أستطيع) مساعدت",
    re.IGNORECASE,
)
_NEAR_AN_END_CHARS = 200


def is_greeting(text: str) -> bool:
    """A greeting first, or `How can I help you?` in place of a summary."""
    if _GREETING.match(text):
        return True
    offer = _HOW_CAN_I_HELP.search(text)
    return (
        offer is not None
        and (offer.start() < 80 or len(text) - offer.end() < _NEAR_AN_END_CHARS)
        and not _is_told(text, offer.start())
    )


def _is_told(text: str, start: int) -> bool:
    """Whether the offer is quoted, as in `The assistant asked "How can I help?"`."""
    return text[:start].rstrip(" ").endswith(('"', "“", "„", "«", "‘", "'", "「", "“", ":", "："))
