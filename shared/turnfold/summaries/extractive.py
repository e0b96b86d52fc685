"""The summarizer that needs no model: a fact ledger, plus the lines that cover most of what else was said.

Pure and deterministic: the same sources give the same text. Every value in it stands in the sources.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from turnfold.content import text_fields
from turnfold.summaries.aliases import share_credit
from turnfold.summaries.cost import estimated_tokens
from turnfold.summaries.coverage import covering_units
from turnfold.summaries.digest import EarlierDigest, read_again, written
from turnfold.summaries.fit import cut_to, longest_prefix
from turnfold.summaries.ledger import Fact, gathered, label_of, weights
from turnfold.summaries.one_line import one_line
from turnfold.summaries.summarizer import SummaryReply, SummaryRequest
from turnfold.summaries.units import Unit, units_of
from turnfold.summaries.words import content_words

import os
LEDGER_SHARE = float(os.environ.get("LS",0.6))
REQUEST_SHARE = float(os.environ.get("RS",0.4))
WORD_WEIGHT = float(os.environ.get("WW",0.3))
SHOWN_ALREADY = float(os.environ.get("SA",0.3))


class ExtractiveSummarizer:
    name = "extractive"

    async def summarize(self, request: SummaryRequest) -> SummaryReply:
        return SummaryReply(text=extract(request), model=self.name)


def extract(request: SummaryRequest) -> str:
    earlier = [read_again(t) for t in request.earlier]
    units = [u for e in earlier for u in e.units] + units_of(request.messages)
    first, latest = requests_of(request, earlier)
    count = request.count_tokens
    B = request.max_tokens
    share = int(B*REQUEST_SHARE)
    if latest and count(first)+count(latest) > share:
        latest = cut_to(latest, share//2, count)
        first = cut_to(first, share-count(latest), count)
    elif not latest:
        first = cut_to(first, share, count)
    facts = gathered(units)
    share_credit(facts)
    w = weights(facts, max(1,len(request.messages)-1))
    head = written(first, latest, [], [])
    used = count(head) if head else 0
    sample = "\n".join(u.text for u in units[:40])[:4000]
    scale = (count(sample)/max(1,estimated_tokens(sample))) if sample else 1.0
    left = B - used
    costs = {k: estimated_tokens(f.text)*scale+1 for k,f in facts.items() if f.is_worth_a_line}
    shown_text = (first+" "+latest).casefold()
    PW=float(os.environ.get("PW",0.7))
    ranked = sorted(costs, key=lambda k: -w[k]/costs[k]**PW)
    keys=[]; ucosts=[]; words_w={}
    for u in units:
        ks={m.key for m in u.mentions}
        words = {" "+x for x in content_words(u.text)}
        for x in words:
            words_w[x]=WORD_WEIGHT
        keys.append(ks|words if u.text else set())
        ucosts.append(estimated_tokens(u.text)*scale+3)
    best=head; factor=1.0
    for _ in range(5):
        left = (B - used)*factor
        ledger=[]; labels=set(); room = left*LEDGER_SHARE
        for k in ranked:
            f=facts[k]
            lab=label_of(f)
            c = costs[k]+(0 if lab in labels else estimated_tokens(lab)*scale+2)
            if c>room: continue
            room-=c; labels.add(lab); ledger.append(k)
        rest = left - (left*LEDGER_SHARE-room)
        inl=set(ledger)
        ww={k:(v*SHOWN_ALREADY if k in inl else v) for k,v in w.items()}|words_w
        chosen = covering_units(keys, ucosts, weights=ww, budget=rest)
        text = written(first, latest, [facts[k] for k in ledger], [(i,units[i]) for i in chosen])
        n = count(text)
        if n<=B and n>count(best): best=text
        if B*0.98<=n<=B: break
        factor*= max(.5,min(2,(B-used)/max(1,n-used)))*(0.99 if n>B else 1)
    if best and count(best)<=B: return best
    return cut_to(text, B, count)


def requests_of(request, earlier):
    said = [one_line(m.text) for m in request.messages if m.role=="user" and m.text.strip()]
    firsts=[e.first for e in earlier if e.first]+said
    lasts=said or [e.latest for e in earlier if e.latest]
    first=firsts[0] if firsts else ""
    latest=lasts[-1] if lasts else ""
    return first, latest if latest!=first else ""
