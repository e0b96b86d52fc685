"""Replies that say nothing: blank ones, and a word that says that there is nothing."""

from __future__ import annotations

import re

_EMPTY_WORDS = frozenset(
    (
        "none", "n/a", "na", "null", "nil", "nothing", "empty", "no", "ok", "okay", "done", "summary",
        "the summary", "no summary", "undefined", "keine", "keines", "nichts", "entfällt", "zusammenfassung",
        "aucun", "aucune", "rien", "néant", "résumé", "ninguno", "ninguna", "nada", "resumen", "nenhum",
        "resumo", "nessuno", "niente", "riassunto", "geen", "нет", "ничего", "无", "無", "没有", "沒有", "空", "总结",
        "摘要", "なし", "ありません", "要約", "없음", "요약", "لا شيء", "لا يوجد", "ملخص", "yok", "brak",
    )
)  # fmt: skip
_NOTHING_SAID = re.compile(
    r"(there (is|was) (nothing|no (information|content|conversation))\b.{0,60}"
    r"|(nothing|no content|no information)( here)? to (summari[sz]e|report|add)\b.{0,40}"
    r"|no (important|relevant|key|new|significant) (facts?|information|details?|content)\b.{0,40}"
    r"|es gibt nichts zusammenzufassen|nichts zusammenzufassen|(rien|nada) (à|que) (résumer|resumir)"
    r"|(没有|沒有|无|無)(需要|可|任何)?.{0,6}(总结|總結|摘要)的?(内容|內容|信息)?|لا يوجد ما يمكن تلخيصه)",
    re.IGNORECASE,
)
# What models write before a summary; alone it is none.
_HEADING = re.compile(
    r"(\W*(here('s| is)|below is|this is|the following is)?\s*(a|the|your)?\s*(brief|concise|short)?\s*summary"
    r"( of (the|this) (conversation|transcript|chat))?|\W*(conversation )?summary)\W*",
    re.IGNORECASE,
)


def is_blank(text: str) -> bool:
    """No letter and no digit."""
    return not any(sign.isalnum() for sign in text)


def says_nothing(text: str) -> bool:
    """A word such as `NONE`, a heading with nothing under it, or the remark that there is nothing to say."""
    bare = text.strip(" .!…。！:：\"'`«»„“”‘’[](){}<>*_#-–—\n\t").casefold()
    return bare in _EMPTY_WORDS or any(form.fullmatch(bare) for form in (_NOTHING_SAID, _HEADING))
