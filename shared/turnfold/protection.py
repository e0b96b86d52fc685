"""What the settings say of signing and of redaction, as parts."""

from __future__ import annotations

from turnfold.provenance import Signer
from turnfold.redaction.argument import patterns_from_argument
from turnfold.redaction.patterns import own_patterns, patterns_named
from turnfold.redaction.redacting import RedactingSummarizer
from turnfold.redaction.redactor import Redactor
from turnfold.setting_values import split_keys
from turnfold.settings import Settings
from turnfold.summaries.summarizer import Summarizer

_PATTERNS = "TURNFOLD_REDACT_PATTERNS"


def build_signer(settings: Settings) -> Signer:
    """What signs summaries, and checks signatures; without keys it does neither."""
    return Signer(split_keys(settings.secret_keys))


def build_redactor(settings: Settings) -> Redactor | None:
    """What the summarizer's model must not see; None where nothing is redacted.

    Raises:
        BadInput: naming the setting that is wrong.
    """
    custom = patterns_from_argument(settings.redact_patterns, _PATTERNS) if settings.redact_patterns else {}
    patterns = [*own_patterns(custom, _PATTERNS), *patterns_named(settings.redact, "TURNFOLD_REDACT")]
    return Redactor(patterns) if patterns else None


def with_redaction(summarizer: Summarizer, settings: Settings) -> Summarizer:
    """The summarizer, for work in place; where values are redacted, it never sees them.

    Raises:
        BadInput: naming the setting that is wrong.
    """
    redactor = build_redactor(settings)
    if redactor is None or summarizer.name == "extractive":  # from which nothing leaves
        return summarizer
    return RedactingSummarizer(summarizer, redactor)
