"""Orders to models in English: a word that must be there, and the pattern."""

from __future__ import annotations

_EN_RULES = r"(?:instructions?|prompts?|messages?|rules|directions|directives|guidelines|context|commands?|orders)"
_EN_IGNORE = (
    r"(?:ignore|disregard|forget|discard|override|bypass|skip|drop)\b(?: about)?(?: (?:all|any|every"
    r"|each|the|your|these|those|my|of"
    r"|everything|what|you|were|told|and|or)){0,5} (?:previous|prior|above|earlier|preceding|foregoing"
    r"|former|past|existing|initial"
    r"|original|system|safety|developer|current|given)\b"
)
_EN_VERB = (
    r"(?:write|say|state|include|add|mention|put|insert|output|print|claim|note|begin|start|end|return"
    r"|produce|replace|append)"
)

ENGLISH: tuple[tuple[str, str], ...] = (
    ("previous", rf"{_EN_IGNORE}.{{0,30}}?\b{_EN_RULES}"),
    ("prior", rf"{_EN_IGNORE}.{{0,30}}?\b{_EN_RULES}"),
    ("above", rf"{_EN_IGNORE}(?:.{{0,30}}?\b{_EN_RULES})?"),
    ("earlier", rf"{_EN_IGNORE}.{{0,30}}?\b{_EN_RULES}"),
    ("preceding", rf"{_EN_IGNORE}.{{0,30}}?\b{_EN_RULES}"),
    (
        "instruction",
        (
            rf"(?:{_EN_IGNORE}.{{0,30}}?|(?:ignore|disregard|forget|override|bypass)\b (?:all |any |the |your "
            rf"|these |those ){{0,3}})\binstructions?"
        ),
    ),
    (
        "told",
        (
            r"(?:ignore|disregard|forget) (?:everything|all|anything|what)(?: that)? (?:you(?:['’]ve| have"
            r"| were|r)?|i|they) (?:been )?told"
        ),
    ),
    (
        "rules",
        (
            r"(?:ignore|disregard|forget|bypass|break) (?:all |any |the |your ){1,3}(?:rules|guidelines"
            r"|safety rules|restrictions)"
        ),
    ),
    ("new instruction", r"\bnew (?:system )?instructions?\s*[:：-]"),
    (
        "instruction",
        (
            r"^#{1,4} ?(?:new |system )?instructions?\b|\bimportant instructions? (?:for|to) (?:the |any "
            r"|all )?(?:ai|assistant|model|agent|summari[sz]er|llm)"
        ),
    ),
    (
        "system",
        (
            r"^\W{0,4}\b(?:system|developer)(?: (?:prompt|message|override|note|instruction"
            r"|update))?\s*[\])>*]{0,3}[:：]"
        ),
    ),
    (
        "system",
        (
            r"(?:reveal|print|show|output|repeat|leak|disclose|display) (?:me )?(?:your|the) (?:full |entire "
            r"|hidden )?system (?:prompt|message|instructions?)"
        ),
    ),
    (
        "prompt",
        (
            r"\b(?:begin|end|start) (?:of )?(?:the )?(?:system )?prompt\b|(?:reveal|print|repeat|leak) (?:your"
            r"|the) (?:initial |original |hidden )?prompt"
        ),
    ),
    ("transcript", r"(?:the )?transcript (?:is over|ends here|has ended|is finished)|\bend of (?:the )?transcript\b"),
    ("you are now", r"\byou are now (?:a |an |the |in |my |no longer |dan\b|free|unrestricted|jailbroken|running)"),
    ("you are no longer", r"\byou are no longer (?:a |an |the |bound|restricted|limited|summari)"),
    ("pretend", r"\bpretend (?:that )?(?:you(?:['’]re| are)|to be) "),
    ("act as", r"^act as (?:if you|a |an |the |my )"),
    (
        "summar",
        (
            rf"(?:in|into|to|at the (?:end|top|start|beginning) of) (?:the|your|this|any"
            rf"|every) summary,? (?:please )?(?:always )?{_EN_VERB}\b"
        ),
    ),
    (
        "summar",
        (
            rf"{_EN_VERB}\b.{{0,80}}? (?:in|into|to|at the (?:end|top|start|beginning) of) (?:the|your|this|any"
            rf"|every) summary\b"
        ),
    ),
    (
        "summar",
        (
            r"(?:the|your|this|every|any) summary (?:must|should|has to|shall|needs to|will) (?:always |only "
            r"|just )?(?:say|state|include|contain|be|begin|start|end|read|mention)\b"
        ),
    ),
    (
        "summari",
        (
            rf"when(?:ever)? (?:you(?:['’]re| are)? )?(?:asked to )?summari[sz](?:e|es"
            rf"|ing)\b.{{0,60}}?\b(?:{_EN_VERB}|tell|respond|reply|answer)\b"
        ),
    ),
    ("summari", r"(?:do not|don['’]t|never|stop|instead of|rather than) summari[sz](?:e|ing)\b"),
    (
        "summari",
        (
            r"summari[sz]e (?:this|the|it|everything|our)(?: (?:conversation|chat|transcript|above))? (?:as"
            r"|by saying|with the words?)\b"
        ),
    ),
    (
        "summari",
        (
            r"\b(?:note|message|attention|instructions?) (?:to|for) (?:the )?(?:ai|summari[sz]er"
            r"|summari[sz]ation|language model|llm|assistant model)\b"
        ),
    ),
    (
        "ai",
        (
            r"^(?:dear|attention|hey|hello),? (?:ai|llm|language model|ai assistant|ai model)\b"
            r"|\battention:? (?:ai|llm|all ai|summari)"
        ),
    ),
    ("dan", r"\b(?:enter|enable|activate|switch to) (?:dan|developer|debug|god|jailbreak|admin(?:istrator)?) mode\b"),
    ("developer mode", r"\b(?:enter|enable|activate|switch to) developer mode\b"),
)
