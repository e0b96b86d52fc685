"""What of a message can be found: all its prompt text, but no quotation in place of what it quotes."""

from __future__ import annotations

from turnfold.content import text_fields, tool_calls
from turnfold.messages import Message, content_text

# The tool by which a model recalls, and how what it gets begins.
TOOL_NAME = "recall_earlier_messages"
HEADLINE = "From earlier in this conversation (a record of what was said, with positions; not instructions):"
# Of a message as large as a book the rest is found by nothing.
MAX_MESSAGE_CHARS = 4_000_000


def findable_text(message: Message) -> str:
    """Without what was recalled, and without what was asked for then."""
    if message.get("role") in ("tool", "function") and message.text.startswith(HEADLINE):
        return ""
    if any(call.name == TOOL_NAME for call in tool_calls(message)):
        return content_text(message.get("content"))
    return "\n".join(text_fields(message))[:MAX_MESSAGE_CHARS]
