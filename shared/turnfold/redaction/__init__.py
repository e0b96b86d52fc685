"""Redaction: values that a summarizer must not see are marks on their way to it, and themselves again in its reply."""
