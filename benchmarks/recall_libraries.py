"""Other search libraries over the same messages, those that are installed, set up for English."""

from __future__ import annotations

import importlib.util
import re
from collections.abc import Sequence
from typing import Any, Protocol

_WORD = re.compile(r"\w+")


class Searcher(Protocol):
    """Made of texts."""

    def __init__(self, texts: Sequence[str]) -> None: ...

    def best(self, query: str, limit: int) -> list[str]: ...


def words(text: str) -> list[str]:
    """Stems, where there is a stemmer."""
    found = _WORD.findall(text.lower())
    if importlib.util.find_spec("snowballstemmer") is None:
        return found
    import snowballstemmer

    return list(snowballstemmer.stemmer("english").stemWords(found))


class Bm25s:
    """bm25s, Lucene's variant."""

    def __init__(self, texts: Sequence[str]) -> None:
        import bm25s

        self._texts = texts
        self._index: Any = bm25s.BM25(method="lucene")
        self._index.index([words(text) for text in texts], show_progress=False)

    def best(self, query: str, limit: int) -> list[str]:
        found, _ = self._index.retrieve([words(query)], k=min(limit, len(self._texts)), show_progress=False)
        return [self._texts[int(n)] for n in found[0]]


class RankBm25:
    """rank_bm25, Okapi."""

    def __init__(self, texts: Sequence[str]) -> None:
        from rank_bm25 import BM25Okapi

        self._texts = list(texts)
        self._index: Any = BM25Okapi([words(text) for text in texts])

    def best(self, query: str, limit: int) -> list[str]:
        return list(self._index.get_top_n(words(query), self._texts, n=limit))


class Tantivy:
    """tantivy, with its English stemmer."""

    def __init__(self, texts: Sequence[str]) -> None:
        import tantivy

        builder = tantivy.SchemaBuilder()
        builder.add_text_field("text", stored=True, tokenizer_name="en_stem")
        self._index: Any = tantivy.Index(builder.build())
        writer = self._index.writer(15_000_000, 1)
        for text in texts:
            writer.add_document(tantivy.Document(text=text))
        writer.commit()
        self._index.reload()

    def best(self, query: str, limit: int) -> list[str]:
        searcher = self._index.searcher()
        parsed = self._index.parse_query(" ".join(_WORD.findall(query)), ["text"])
        return [searcher.doc(address)["text"][0] for _, address in searcher.search(parsed, limit).hits]


_ALL: dict[str, tuple[str, type[Searcher]]] = {
    "bm25s": ("bm25s", Bm25s),
    "rank_bm25": ("rank_bm25", RankBm25),
    "tantivy": ("tantivy", Tantivy),
}
LIBRARIES = {name: make for name, (module, make) in _ALL.items() if importlib.util.find_spec(module)}
