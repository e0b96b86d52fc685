"""Images, recordings and files in words: what they are called, and how large they are; never their content."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from turnfold.jsonio import is_array, is_object
from turnfold.summaries.one_line import one_line

_KINDS = {
    "image_url": "image", "image": "image", "input_image": "image", "image_file": "image", "input_audio": "audio",
    "audio": "audio", "file": "file", "input_file": "file", "document": "file", "video_url": "video", "video": "video",
}  # fmt: skip
_TITLES = ("filename", "name", "title", "alt", "description", "caption", "file_id")
MAX_TITLE_CHARS = 120
BASE64_BYTES = 0.75  # a character


def descriptions(message: Mapping[str, Any]) -> list[str]:
    """A description of each part of the message that is no text, in order: `(image: crate.jpg, image/jpeg, 80 KB)`."""
    content = message.get("content")
    return [_described(part) for part in content if is_object(part) and _kind(part)] if is_array(content) else []


def _kind(part: Mapping[str, Any]) -> str | None:
    return _KINDS.get(str(part.get("type")))


def _described(part: Mapping[str, Any]) -> str:
    told = [one_line(text)[:MAX_TITLE_CHARS] for text in _told(part)]
    kind = str(_kind(part))
    return f"({kind}: {', '.join(dict.fromkeys(told))})" if told else f"({kind})"


def _told(part: Mapping[str, Any]) -> Iterator[str]:
    """What the part says of itself, then what its address or its data tells."""
    holders = [part, *(value for value in part.values() if is_object(value))]
    for holder in holders:
        yield from (text for title in _TITLES if isinstance(text := holder.get(title), str) and text)
    for holder in holders:
        for field in ("url", "image_url", "file_url", "file_data", "data"):
            if isinstance(text := holder.get(field), str) and text:
                yield from _of_address(text, holder)
        if isinstance(text := holder.get("format"), str):
            yield text


def _of_address(text: str, holder: Mapping[str, Any]) -> Iterator[str]:
    if text.startswith("data:"):
        kind, _, data = text[5:].partition(",")
        yield kind.partition(";")[0] or "data"
        yield _size(data)
    elif "://" in text[:12]:
        address = urlsplit(text.split("?", 1)[0][:2000])
        yield unquote(address.path.rsplit("/", 1)[-1]) or address.netloc
    else:
        if isinstance(media_type := holder.get("media_type"), str):
            yield media_type
        yield _size(text)


def _size(base64: str) -> str:
    kilobytes = len(base64) * BASE64_BYTES / 1024
    return f"{kilobytes:.0f} KB" if kilobytes >= 1 else f"{len(base64) * BASE64_BYTES:.0f} bytes"
