from __future__ import annotations

import pytest

from turnfold.errors import BadInput
from turnfold.formats import format_named

TALK = [{"role": "user", "content": "hello", "extra": {"kept": 1}}, {"role": "assistant", "content": "hi"}]


def test_chat_messages_come_and_go_as_they_are() -> None:
    chat = format_named("chat")

    assert chat.write(chat.read(TALK)) == {"messages": TALK}


def test_what_is_wrong_is_named() -> None:
    with pytest.raises(BadInput, match=r"messages\[0\]\.role"):
        format_named("chat").read([{"content": "hello"}])
