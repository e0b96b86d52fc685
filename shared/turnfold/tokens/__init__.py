"""Counting tokens: what a tokenizer is, the estimator, tiktoken, and the cost of images."""

from turnfold.tokens.counting import Measure, measuring, message_tokens
from turnfold.tokens.estimator import CharacterEstimatorTokenizer
from turnfold.tokens.named import tokenizer_named
from turnfold.tokens.protocol import TokenizerProtocol
from turnfold.tokens.tiktoken_tokenizer import TiktokenTokenizer

__all__ = [
    "CharacterEstimatorTokenizer",
    "Measure",
    "TiktokenTokenizer",
    "TokenizerProtocol",
    "measuring",
    "message_tokens",
    "tokenizer_named",
]
