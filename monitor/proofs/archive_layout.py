"""Whether a zip says the same to every program: its lists agree, and nothing lies between them.

Programs differ in which of a zip's two lists they believe (the headers before each file, or the
directory at the end), and in what they make of bytes that no list names. A zip that could be read
in two ways proves nothing.
"""

import struct
import zipfile
from collections.abc import Sequence
from typing import IO

_LOCAL = struct.Struct("<4s5H3L2H")
_MAGIC = b"PK\x03\x04"
_CENTRAL, _END, _END_64 = 46, 22, 56 + 20
_FOLLOWS = 0x8
"""Flag: sizes and checksum follow the bytes of a file."""
_FOLLOWING = {12, 16, 20, 24}
_LARGE = 0xFFFFFFFF
"""Stands for a size that is told elsewhere."""
_OTHER_NAME = 0x7075
"""Extra field with a second name, which some programs prefer."""


def fault_of(zipped: zipfile.ZipFile, entries: Sequence[zipfile.ZipInfo]) -> str | None:
    """What could be read in two ways in a zip that is open; None where nothing can."""
    stream = zipped.fp
    if stream is None:
        return "it is closed"
    at, follows = 0, False
    for one in sorted(entries, key=lambda one: one.header_offset):
        if not _joins(one.header_offset - at, follows=follows):
            return f"bytes that belong to no file before {one.filename}"
        end = _end_of(stream, one)
        if end is None:
            return f"its two lists differ in {one.filename}"
        at, follows = end, bool(one.flag_bits & _FOLLOWS)
    start: int = zipped.start_dir
    if not _joins(start - at, follows=follows):
        return "bytes that belong to no file before its directory"
    size = sum(_CENTRAL + len(e.filename) + len(e.extra) + len(e.comment) for e in entries)
    if stream.seek(0, 2) - start - size not in {_END, _END + _END_64}:
        return "bytes that belong to no file at its end"
    return None


def _joins(gap: int, *, follows: bool) -> bool:
    """Whether there is nothing between two files but the sizes of the first, where they follow."""
    return gap in _FOLLOWING if follows else gap == 0


def _end_of(stream: IO[bytes], one: zipfile.ZipInfo) -> int | None:
    """Where the bytes of a file end; None where the header before it tells another story."""
    stream.seek(one.header_offset)
    head = stream.read(_LOCAL.size)
    if len(head) != _LOCAL.size:
        return None
    magic, _, flags, method, _, _, crc, packed, size, name_size, extra_size = _LOCAL.unpack(head)
    name, extra = stream.read(name_size), stream.read(extra_size)
    told = {(crc, one.CRC), (packed, one.compress_size), (size, one.file_size)}
    agrees = flags & _FOLLOWS or all(here in {there, _LARGE} for here, there in told)
    if (
        magic != _MAGIC
        or name != one.filename.encode("ascii", "replace")
        or (method, flags) != (one.compress_type, one.flag_bits)
        or not agrees
        or _has_other_name(extra)
        or _has_other_name(one.extra)
    ):
        return None
    sizes: int = name_size + extra_size
    return one.header_offset + _LOCAL.size + sizes + one.compress_size


def _has_other_name(extra: bytes) -> bool:
    at = 0
    while at + 4 <= len(extra):
        tag, size = struct.unpack_from("<HH", extra, at)
        if tag == _OTHER_NAME:
            return True
        at += 4 + size
    return False
