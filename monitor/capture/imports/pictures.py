"""Pictures that were handed in: their kind and size, read from their first bytes; never decoded."""

import struct
from dataclasses import dataclass

from monitor.capture.imports.parts import ImportFileError

_LARGEST = 100_000
_SIZES = frozenset({*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC})
"""Markers of a JPEG that carry its size."""
_BARE = frozenset({0x01, *range(0xD0, 0xD9)})
"""Markers of a JPEG that nothing belongs to."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What a picture's header says."""

    media: str
    width: int
    """Pixels."""
    height: int


def read_picture(body: bytes) -> Picture:
    """Kind and size of a PNG, JPEG or WebP; ImportFileError where its header is broken."""
    try:
        picture = _read(body)
    except (struct.error, IndexError) as error:
        raise _broken() from error
    if not (0 < picture.width <= _LARGEST and 0 < picture.height <= _LARGEST):
        raise ImportFileError(
            f"picture: {picture.width} x {picture.height} pixels, expected 1 to {_LARGEST:,} each"
        )
    return picture


def _read(body: bytes) -> Picture:
    if body.startswith(b"\x89PNG\r\n\x1a\n"):
        if body[12:16] != b"IHDR":
            raise _broken()
        return Picture("image/png", *struct.unpack(">II", body[16:24]))
    if body.startswith(b"\xff\xd8"):
        return _jpeg(body)
    return _webp(body)


def _jpeg(body: bytes) -> Picture:
    """Walk the markers up to the one that carries the size."""
    at = 2
    while at < len(body):
        if body[at] != 0xFF:
            raise _broken()
        marker = body[at + 1]
        if marker == 0xFF:
            at += 1
            continue
        if marker in _BARE:
            at += 2
            continue
        if marker in _SIZES:
            height, width = struct.unpack(">HH", body[at + 5 : at + 9])
            return Picture("image/jpeg", width, height)
        (length,) = struct.unpack(">H", body[at + 2 : at + 4])
        if length < 2 or marker == 0xDA:
            raise _broken()
        at += 2 + length
    raise _broken()


def _webp(body: bytes) -> Picture:
    """The three kinds of WebP: simple, lossless, extended."""
    kind = body[12:16]
    if kind == b"VP8X":
        width, height = (int.from_bytes(body[at : at + 3], "little") for at in (24, 27))
        return Picture("image/webp", width + 1, height + 1)
    if kind == b"VP8L":
        (bits,) = struct.unpack("<I", body[21:25])
        return Picture("image/webp", (bits & 0x3FFF) + 1, ((bits >> 14) & 0x3FFF) + 1)
    if kind == b"VP8 ":
        width, height = struct.unpack("<HH", body[26:30])
        return Picture("image/webp", width & 0x3FFF, height & 0x3FFF)
    raise _broken()


def _broken() -> ImportFileError:
    return ImportFileError("picture: its header is broken; expected a whole PNG, JPEG or WebP file")
