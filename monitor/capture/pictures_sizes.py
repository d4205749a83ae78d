"""Width and height of a JPEG by its own header."""

from struct import unpack_from

_FRAMES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""Markers that begin a frame."""
_BARE = frozenset({0x01, *range(0xD0, 0xDA)})
"""Markers without a length."""


def jpeg_size(picture: bytes) -> tuple[int, int] | None:
    """Width and height in pixels; None for bytes that are no JPEG."""
    if picture[:2] != b"\xff\xd8":
        return None
    at = 2
    while at + 9 <= len(picture) and picture[at] == 0xFF:
        marker = picture[at + 1]
        if marker in _FRAMES:
            height, width = unpack_from(">HH", picture, at + 5)
            return width, height
        if marker in _BARE or marker == 0xFF:
            at += 1 if marker == 0xFF else 2
        else:
            at += 2 + unpack_from(">H", picture, at + 2)[0]
    return None
