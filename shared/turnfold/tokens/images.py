"""What an image costs: by its size, never by the length of its base64.

Source: OpenAI, "Images and vision", cost of tiled models: 85 tokens for low detail; for high detail the image is
scaled to fit 2,048 × 2,048, then to 768 on its shorter side, and each 512 × 512 tile costs 170 beside the 85.
"""

from __future__ import annotations

import base64
import binascii
import math
import struct
from collections.abc import Mapping
from typing import Any

from turnfold.jsonio import is_object

BASE_TOKENS = 85
TILE_TOKENS = 170
# A size that can't be seen (a link, an unknown format) is taken as 1,024 × 1,024.
UNKNOWN_SIZE = (1024, 1024)


def image_tokens(part: Mapping[str, Any]) -> int:
    """Tokens of an `image_url` (or Responses `input_image`) part, 0 for any other part."""
    if part.get("type") not in ("image_url", "input_image"):
        return 0
    holder = part.get("image_url")
    detail = holder.get("detail") if is_object(holder) else part.get("detail")
    if detail == "low":
        return BASE_TOKENS
    url = holder.get("url") if is_object(holder) else holder
    return BASE_TOKENS + TILE_TOKENS * _tiles(*_size_of(url if isinstance(url, str) else ""))


def _tiles(width: int, height: int) -> int:
    fit = min(1.0, 2048 / max(width, height))
    width, height = int(width * fit), int(height * fit)
    shrink = min(1.0, 768 / max(1, min(width, height)))
    return math.ceil(max(1, width * shrink) / 512) * math.ceil(max(1, height * shrink) / 512)


def _size_of(url: str) -> tuple[int, int]:
    """Width and height from the head of a `data:` PNG or GIF; pixels."""
    if not url.startswith("data:image/") or "base64," not in url[:100]:
        return UNKNOWN_SIZE
    start = url.index("base64,") + 7
    try:
        head = base64.b64decode(url[start : start + 64] + "==", validate=False)
    except (binascii.Error, ValueError):
        return UNKNOWN_SIZE
    if head.startswith(b"\x89PNG") and len(head) >= 24:
        return _at_least_one(struct.unpack(">II", head[16:24]))
    if head.startswith(b"GIF8") and len(head) >= 10:
        return _at_least_one(struct.unpack("<HH", head[6:10]))
    return UNKNOWN_SIZE


def _at_least_one(size: tuple[int, ...]) -> tuple[int, int]:
    return max(1, size[0]), max(1, size[1])
