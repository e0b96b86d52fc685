"""What a user may well want of the assistant, but nobody else may order: a word that must be there, and the pattern."""

from __future__ import annotations

WISHES: tuple[tuple[str, str], ...] = (
    ("from now on", r"\bfrom now on\b"),
    ("only", r"\b(?:reply|respond|answer|output|print|say)(?: me)? (?:only|just|nothing but|exactly|solely)\b"),
    ("only", r"^(?:only|just) (?:reply|respond|answer|output|print|say|write)\b"),
    ("respond with", r"\b(?:respond|reply|answer) with (?:the |exactly|only|just|[\"'“‘`])"),
    ("must", r"^you (?:must|shall|will) (?:now |always |only |never |immediately )"),
    ("do not tell", r"\bdo not (?:tell|inform|mention (?:this|it) to) the user\b"),
    ("don't tell", r"\bdon['’]t (?:tell|inform) the user\b"),
    (
        "the assistant",
        (
            r"\bthe (?:ai |ai-)?(?:assistant|model|agent) (?:must|should|shall|has to|needs to"
            r"|is (?:now )?(?:required|instructed|ordered|authori[sz]ed) to)\b"
        ),
    ),
    (
        "call the",
        (
            r"^(?:immediately |now |please )?(?:call|invoke|execute|run|use) the [\w`\"']+ (?:tool|function"
            r"|api|command)\b"
        ),
    ),
    (
        "send ",
        (
            r"^(?:immediately |now |please )?(?:send|forward|e-?mail|transfer|wire|upload|post"
            r"|exfiltrate) (?:all |the |every |this |any |\$|€)"
        ),
    ),
    ("ab jetzt", r"\bab (?:jetzt|sofort)\b"),
    ("ab sofort", r"\bab sofort\b"),
    ("antworte", r"\bantworte(?:n sie)? (?:nur|ausschließlich|immer|ab jetzt|auf alles)\b"),
    ("partir de", r"\b(?:à partir de maintenant|a partir de ahora|a partir de agora|a partire da ora)\b"),
    ("réponds", r"\brépond(?:s|ez) (?:uniquement|seulement|toujours|par|exactement)\b"),
    ("responde", r"\bresponde (?:solo|sólo|únicamente|siempre|exactamente|apenas|somente)\b"),
    ("отныне", r"\bотныне\b|\bс этого момента\b"),
    ("отвечай", r"\bотвечай(?:те)? (?:только|всегда)\b"),
    ("从现在", r"从现在(?:开始|起)"),
    ("從現在", r"從現在(?:開始|起)"),
    ("只", r"只(?:能|需|要|许|准)?(?:回复|回答|输出|回覆|输入|说)"),
    ("今から", r"(?:今|これ)から(?:は|先)?"),
    ("とだけ", r"とだけ(?:答|返|出力|言)"),
    ("지금부터", r"지금부터"),
    ("라고만", r"라고만 (?:대답|답|출력)"),
    ("من الآن", r"من الآن فصاعد"),
    ("أجب", r"أجب (?:فقط|دائم)|(?:رد|أجب) ب"),
    ("अब से", r"अब से"),
)
