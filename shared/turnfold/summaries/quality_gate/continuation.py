"""Replies that go on with the chat: the assistant's next turn, said to the user, where a summary tells of both."""

from __future__ import annotations

import re

_SUMMARY_WORD = (
    r"(summary|recap|overview|zusammenfassung|überblick|résumé|resumen|resumo|riassunto|samenvatting"
    r"|сводк|резюме|总结|總結|摘要|概括|要約|まとめ|요약|ملخص|خلاصة)"
)
# How a turn of a chat begins; `Sure, here is a summary:` only leads to one.
_TURN_OPENING = re.compile(
    r"^\W*(sure( thing)?|of course|certainly|absolutely|definitely|no problem|you['’]?re welcome"
    r"|my pleasure|great( choice"
    r"| question)?|perfect|got it|understood|alright|thank(s| you) (for|so much|very much)\b"
    r"|you(['’]re| are) (ready|all set|now)|glad (to|i)|i['’]?d be (happy|glad)"
    r"|i would be (happy|glad)|i(['’]ll| will) (go ahead|check|look|now|help|get|be happy|proceed"
    r"|need)|let me (check|look|know|help"
    r"|see|pull|verify|go)|please (provide|tell|let|confirm|give|share|note|hold|wait)"
    r"|could you( please)?\b|can you( please)?\b"
    r"|would you (like|prefer)|do you (want|need|have|prefer)|your (reservation|booking|order|flight"
    r"|refund|request|account"
    r"|payment)\b[^.]{0,60} (has|have) (now )?been\b|selbstverständlich|natürlich|gerne?[,.!]|sehr gerne?|kein problem"
    r"|vielen dank für|danke für|alles klar|bien sûr|avec plaisir|merci (pour|de|d['’])|d['’]accord|claro|por supuesto"
    r"|gracias por|con gusto|perfecto|de acuerdo|certamente|com certeza|obrigad[oa]|certo[,.!]"
    r"|grazie per|natuurlijk|конечно"
    r"|спасибо за|好的|当然|當然|没问题|沒問題|不客气|不客氣|谢谢|謝謝|感谢您|请问|請問|请提供"
    r"|收到[，。!！]|明白了|了解了"
    r"|はい[、。]|承知|かしこまりました|もちろん|ありがとうございます|네[,.]|물론|감사합니다"
    r"|알겠습니다|بالتأكيد|بالطبع|شكرا?|عفو[اًا]+"
    r"|حسن[اًا]+[،,.]|على الرحب|يسعدني)",
    re.IGNORECASE,
)
# The user's own words, as if the reply came from the user.
_USERS_OPENING = re.compile(
    r"^\W*(i(['’]d| would) like|i (want|need|wish|am looking|have a question)|i['’]m looking"
    r"|ich (möchte|will|brauche|hätte)|je (voudrais|veux"
    r"|souhaite)|(yo )?(quiero|quisiera|necesito)\b|me gustaría|eu (quero|gostaria|preciso)|vorrei"
    r"|ik wil|я хочу|我(想|要|需要)|(أنا )?(أريد|أود)\b)",
    re.IGNORECASE,
)
_ASKS_FOR_SOMETHING = re.compile(
    r"(?:^|(?<=[.!?\n]))\s*please (go ahead|provide|let me|confirm|choose|select|tell me|share|send me"
    r"|specify|try again|enter|reply|respond)\b",
    re.IGNORECASE,
)
_FIRST_SENTENCE = re.compile(r"^.{0,160}?([.!?:：。！？؟\n]|$)", re.DOTALL)
# Questions and offers to `you` at the end.
_TO_YOU = re.compile(
    r"(is there )?anything else (i can|you|that i)|(would|do|could|can|are|have|did|will|shall|may|should) (you|i|we)\b"
    r"|(let|tell) me know (if|what|which|how|whether)|feel free to|what (would|do|can|is) you"
    r"|how (would|do) you|which (one )?(would|do) you"
    r"|(möchten|brauchen|haben|wünschen|können|soll|darf|kann) (sie|ich|wir)|möchtest du|soll ich"
    r"|gibt es (sonst )?noch etwas"
    r"|(voulez|souhaitez|avez|pouvez|puis)-(vous|je)|desea|quiere(s)?|puedo (ayudar|hacer)|algo más"
    r"|você (gostaria|quer)|posso ajudar"
    r"|wilt u|kan ik (u|nog)|вам .{0,30}|хотите|(您|你)(还|是否|需要|想|要|可以|有没有|觉得|看)|需要我"
    r"|还有(什么|其他)|請問|请问|可以吗|好吗"
    r"|でしょうか|ますか|ませんか|드릴까요|하시겠|있으신가요|هل (تريد|ترغب|تود|يمكنك|هناك|لديك|تحتاج)|هل أ",
    re.IGNORECASE,
)
_LAST_SENTENCE = re.compile(r"([^.!?。！？؟\n]{1,300}[?？؟])[\s\"'”’*)）😊🙂]*$")
_OFFER_AT_END = re.compile(
    r"((please )?let me know (if|what|how|whether|which)|feel free to (ask|reach|contact|let)"
    r"|have a (great|nice|safe|wonderful) "
    r"(day|trip|flight|weekend|one)|(einen|ich wünsche) .{0,20}schönen tag|bonne journée|que tenga"
    r"|祝您|祝你|如有.{0,12}(请|欢迎)"
    r"|随时(告诉|联系)我|نتمنى لك|لا تتردد في)[^.!。！\n]{0,120}[.!。！]?\W*$",
    re.IGNORECASE,
)
# `Open question: Do you want the aisle seat?` tells of a question.
_TOLD = re.compile(r"(^|\n)\s*([-*•\d.)]+\s+|\|)|[:：]\s*[\"'“„«「]?|[\"“„«「]")


def continues_the_chat(text: str) -> bool:
    """The next turn of the chat in place of a summary: by how it begins, or by what it ends with."""
    first = _FIRST_SENTENCE.match(text)
    begins = _TURN_OPENING.match(text) and not re.search(_SUMMARY_WORD, first.group() if first else "", re.IGNORECASE)
    if begins or _USERS_OPENING.match(text) or _ASKS_FOR_SOMETHING.search(text):
        return True
    return _asks_you(text) or _OFFER_AT_END.search(text) is not None


def _asks_you(text: str) -> bool:
    question = _LAST_SENTENCE.search(text)
    if question is None or not _TO_YOU.match(question[1].lstrip(" ,;-–—*，")):
        return False
    line = text[text.rfind("\n", 0, question.start(1) + 1) + 1 : question.end(1)]
    return _TOLD.search(line.rstrip("?？؟")) is None
