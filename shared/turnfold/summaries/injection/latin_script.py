"""Orders to models in other languages of Latin script: a word that must be there, and the pattern."""

from __future__ import annotations

LATIN_SCRIPT: tuple[tuple[str, str], ...] = (
    # German
    ("ignorier", r"\bignorier(?:e|en sie|t)?\b.{0,40}?(?:anweisung|instruktion|regel|vorgabe|befehl|prompt|nachricht)"),
    ("vergiss", r"\bvergiss\b.{0,40}?(?:anweisung|instruktion|regel|vorgabe|befehl|vorherige|bisherige|alles)"),
    (
        "vergessen sie",
        (
            r"\bvergessen sie\b.{0,40}?(?:anweisung|instruktion|regel|vorgabe|befehl|vorherige|bisherige"
            r"|alles)"
        ),
    ),
    ("du bist", r"\bdu bist (?:jetzt|nun|ab jetzt|ab sofort|nicht mehr|kein)"),
    (
        "zusammenfassung",
        (
            r"\b(?:schreib|sag|füg|nimm|erwähn|gib|behaupt|setz)\w*\b.{0,80}?\b(?:in|zu|an) (?:die|der"
            r"|deine[r]?|ihre[r]?|jede[r]?) zusammenfassung"
        ),
    ),
    (
        "zusammenfassung",
        (
            r"\b(?:die|deine|ihre|jede) zusammenfassung (?:muss|soll|darf|hat)\b|in (?:der|deiner"
            r"|die) zusammenfassung (?:schreib|steh|sag|erwähn|muss|soll)"
        ),
    ),
    ("fasse", r"\bfasse?n? (?:sie )?(?:das|dies|den|die)? ?.{0,20}nicht zusammen\b"),
    ("systemnachricht", r"^\W*system(?:nachricht|meldung|anweisung)\s*[:：]"),
    # French
    (
        "instruction",
        (
            r"\b(?:ignore[zr]?|oublie[zr]?|néglige[zr]?|ignora|olvida|ignorar|ignore|esqueça|dimentica|negeer"
            r"|abaikan)\b.{0,50}?\b(?:instructions?|instruction)"
        ),
    ),
    ("consigne", r"\b(?:ignore[zr]?|oublie[zr]?)\b.{0,40}?\bconsignes?"),
    ("tu es", r"\btu es (?:maintenant|désormais|à présent) "),
    (
        "résumé",
        (
            r"\b(?:écri[st]|écrivez|dis|dites|ajoute[zr]?|mentionne[zr]?|inclu[st]|mets"
            r"|mettez)\b.{0,80}?\b(?:dans|à la fin d[ue]) (?:le|ton|votre|du) résumé|(?:dans|le|ton"
            r"|votre) résumé,? (?:écri|di[st]|ajoute|doit)"
        ),
    ),
    # Spanish, Portuguese, Italian
    ("instruccion", r"\b(?:ignor[ae]n?|olvid[ae]n?|descarta|omite)\b.{0,50}?\binstrucciones"),
    ("instruções", r"\b(?:ignor[ae]m?|esqueça|desconsidere)\b.{0,50}?\binstruções"),
    ("istruzioni", r"\b(?:ignora|dimentica|trascura)(?:te)?\b.{0,50}?\bistruzioni"),
    (
        "resumen",
        (
            r"\b(?:escrib[ea]|di|diga|incluy[ea]|añad[ea]|agreg(?:a|ue)|pon)\b.{0,80}?\b(?:en"
            r"|al final de) (?:el|tu|su) resumen|en (?:el|tu|su) resumen,? (?:escrib|di\b|inclu|añad|pon)"
        ),
    ),
    (
        "resumo",
        (
            r"\b(?:escrev[ae]|diga|inclua|adicione|coloque)\b.{0,80}?\bno (?:seu )?resumo"
            r"|no (?:seu )?resumo,? (?:escrev|dig|inclu|adicion)"
        ),
    ),
    (
        "riassunto",
        (
            r"\b(?:scriv[ia]|di['’]?|inclu[dí]\w*|aggiungi)\b.{0,80}?\bnel (?:tuo )?riassunto"
            r"|nel (?:tuo )?riassunto,? (?:scriv|aggiung|inclu|di\b)"
        ),
    ),
    ("ahora eres", r"\bahora eres (?:un|una|el|la|mi)\b"),
    # Dutch, Polish, Turkish, Indonesian, Vietnamese
    ("negeer", r"\bnegeer\b.{0,40}?(?:instructies|opdrachten|regels)"),
    ("instrukcj", r"\b(?:zignoruj|ignoruj|zapomnij)\w*\b.{0,40}?instrukcj"),
    ("poleceni", r"\b(?:zignoruj|ignoruj|zapomnij)\w*\b.{0,40}?poleceni"),
    ("talimat", r"talimatlar\w*\b.{0,30}?(?:yok ?say|unut|görmezden|dikkate alma)"),
    ("instruksi", r"\b(?:abaikan|lupakan)\b.{0,40}?(?:instruksi|perintah)"),
    ("hướng dẫn", r"(?:bỏ qua|quên|phớt lờ)\b.{0,40}?(?:hướng dẫn|chỉ dẫn|lệnh)"),
)
