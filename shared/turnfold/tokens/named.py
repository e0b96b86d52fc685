"""Tokenizers by the name that a policy gives."""

from __future__ import annotations

from functools import lru_cache

from turnfold.tokens.estimator import CharacterEstimatorTokenizer
from turnfold.tokens.protocol import TokenizerProtocol
from turnfold.tokens.tiktoken_tokenizer import TiktokenTokenizer

ESTIMATE = CharacterEstimatorTokenizer.name


@lru_cache(maxsize=32)
def tokenizer_named(name: str) -> TokenizerProtocol:
    """`estimate`, an encoding (`o200k_base`), or a model that tiktoken knows.

    Raises:
        ValueError: for any other name.
    """
    if name == ESTIMATE:
        return CharacterEstimatorTokenizer()
    import tiktoken  # loaded with the first exact count anyway
    from tiktoken.model import encoding_name_for_model

    if name not in tiktoken.list_encoding_names():
        try:
            encoding_name_for_model(name)
        except KeyError:
            known = ", ".join([ESTIMATE, *sorted(tiktoken.list_encoding_names())])
            raise ValueError(f"unknown tokenizer {name!r}; one of {known}, or a model's name") from None
    try:
        return TiktokenTokenizer(name)
    except OSError as error:  # a table that is not bundled is fetched over the network
        raise ValueError(f"the table of tokenizer {name!r} can't be loaded: {type(error).__name__}") from None
