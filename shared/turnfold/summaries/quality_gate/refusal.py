"""Replies in which a model declines, or says that it was given nothing to summarize."""

from __future__ import annotations

import re

_APOLOGY = (
    r"(i['’]?m|i am|we['’]re) (so |very |really |deeply )?sorry|sorry[,.]|my apologies|apologies[,.]|i apologi[sz]e"
    r"|(es )?tut mir (sehr )?leid|entschuldigung[,.]|(je suis )?désolée?[,.]? (mais|je)|je suis (vraiment )?désolée?"
    r"|lo siento|lamento\b|(me )?desculpe|mi dispiace|sinto muito|het spijt me|извините|к сожалению, я|przepraszam"
    r"|(很|非常|十分)?抱歉|对不起|對不起|不好意思，?我|申し訳|すみません|죄송|عذر[اًا]|آسف|أعتذر|üzgünüm"
)
_INABILITY = (
    r"i (can ?not|can['’]t|could not|couldn['’]t|won['’]t|will not) (?!find\b|access my\b)"
    r"|i (am|['’]m) (unable|not able|not allowed|not permitted|programmed)"
    r"|i (do not|don['’]t) (have (access|the ability|enough|any (information|context))|see (any|a) (transcript|conv))"
    r"|i must (decline|refuse)|i have to decline|unfortunately,? i (can|am|do|don|['’]m)|as an? (ai"
    r"|artificial|language)"
    r"|i(['’]m| am) (just )?an? (ai|language model|virtual assistant)|this (content|request) (violates|may violate)"
    r"|ich (kann|darf|werde) (das|dies\w*|ihnen|dir|dabei|leider|nicht|hier|kein\w*)|leider (kann"
    r"|darf) ich|als (ki|sprachmodell)\b"
    r"|je ne (peux|suis|dispose)|en tant qu['’]ia|no puedo|como (modelo|ia)\b|não posso|non posso"
    r"|ik kan (dit|dat|niet|geen)"
    r"|я не могу|как (языковая|ии)|(我|本人)(无法|不能|没办法|無法|沒辦法)|作为(一个|一名)?(人工智能|ai|语言模型)"
    r"|できません|お手伝いできません|ai(として|言語モデル)|할 수 없|لا (أستطيع|يمكنني)|كنموذج (لغوي|ذكاء)"
)
_ASKS_FOR_THE_TEXT = (
    r"(please|could you( please)?|can you( please)?|kindly) (provide|share|paste|send|give)( me)?( with)? "
    r"(the|a|your|some|more)? ?(full )?(transcript|conversation|text|chat|content|context)"
    r"|(it (seems|looks like|appears)( that)?|i notice( that)?) (you|there|the transcript|no) .{0,40}"
    r"(n['’]t|not|no|empty|missing).{0,40}(transcript|conversation|text|content|provide)"
    r"|bitte (geben|senden|stellen|teilen) sie (mir )?(das|den|die) (transkript|text|gespräch)"
    r"|请(您)?(提供|发送|给出).{0,8}(对话|文本|内容|记录)|يرجى (تقديم|تزويدي|إرسال).{0,12}(النص|المحادثة)"
)
_LEAD = (
    r"^\W*(hello|hi|hey|well|hmm|no|unfortunately|leider|malheureusement|lamentablemente|很遗憾"
    r"|遗憾的是)?[\s,.!，。、-]*"
)
_REFUSAL = re.compile(f"{_LEAD}({_APOLOGY}|{_INABILITY}|{_ASKS_FOR_THE_TEXT})", re.IGNORECASE)


def is_refusal(text: str) -> bool:
    """Whether the reply begins as a refusal does. What a summary tells of a refusal further on is no matter."""
    return _REFUSAL.match(text) is not None
