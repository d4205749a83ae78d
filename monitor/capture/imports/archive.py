"""Zip files: the export of an account. Only its conversations are read, one at a time.

Nothing is unpacked to disk, so that a name cannot lead anywhere; names that try to are refused
all the same, for no honest export has them. Archives inside the archive are never opened.
"""

import re
import stat
import struct
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import BinaryIO

from monitor.capture.imports.json_pieces import pieces
from monitor.capture.imports.parts import (
    Caps,
    FoundDocument,
    ImportFileError,
    shown_bytes,
)

_CONVERSATIONS = re.compile(r"conversations(?:[-_. ]?\d+)?\.json", re.IGNORECASE)
_ACCOUNT = re.compile(r"(?:user|account|message_feedback)[^/]*\.json", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:")
_CHUNK = 1 << 20
_END = b"PK\x05\x06"
_END_BYTES = 22
_DIRECTORY_ROW = 400
"""Bytes of the directory for one member, names included: far more than any honest one."""


def open_archive(source: BinaryIO, caps: Caps) -> zipfile.ZipFile:
    """The archive, all of its names looked at; ImportFileError where it is not to be trusted."""
    _check_directory(source, caps)
    try:
        archive = zipfile.ZipFile(source)
    except (zipfile.BadZipFile, ValueError, NotImplementedError, struct.error) as error:
        raise _broken(str(error)) from error
    names: Counter[str] = Counter()
    for info in archive.infolist():
        _check_name(info)
        names[_plain(info.filename)] += 1
    twice = [name for name, count in names.items() if count > 1]
    if twice:
        raise ImportFileError(
            f"zip: {_cut(twice[0])!r} is in it twice, so that nobody can say which one is meant; "
            "take the archive as the service made it"
        )
    return archive


def conversation_members(archive: zipfile.ZipFile, caps: Caps) -> tuple[zipfile.ZipInfo, ...]:
    """Files of conversations, numbered ones in their order; ImportFileError where none is sound."""
    found = [i for i in archive.infolist() if _CONVERSATIONS.fullmatch(_last(i.filename))]
    if not found:
        raise ImportFileError(
            "zip: no conversations.json in it; expected the export that ChatGPT sends by e-mail, "
            "as it came (an archive inside an archive is not opened)"
        )
    for info in found:
        _check_size(info, caps)
    total = sum(info.file_size for info in found)
    if total > caps.total_bytes:
        raise ImportFileError(
            f"zip: its conversations come to {shown_bytes(total)} unpacked, at most "
            f"{shown_bytes(caps.total_bytes)} are read; export fewer conversations"
        )
    return tuple(sorted(found, key=lambda info: _by_number(info.filename)))


def left_out(archive: zipfile.ZipFile) -> dict[str, int]:
    """What an archive holds besides conversations, counted by kind; none of it is read."""
    kinds: Counter[str] = Counter()
    for info in archive.infolist():
        name = _last(info.filename)
        if info.is_dir() or _CONVERSATIONS.fullmatch(name):
            continue
        kinds["account file" if _ACCOUNT.fullmatch(name) else "other file"] += 1
    return dict(kinds)


def conversations(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, caps: Caps
) -> Iterator[FoundDocument]:
    """Conversations of a member, each as the bytes it has there; ImportFileError on the way."""
    for number, body in enumerate(pieces(_chunks(archive, member, caps), member.filename, caps)):
        yield FoundDocument(body, f"{member.filename}#{number}", media="application/json")


def _chunks(archive: zipfile.ZipFile, info: zipfile.ZipInfo, caps: Caps) -> Iterator[bytes]:
    """A member's bytes piece by piece, never more than its directory row and the caps allow."""
    most = min(info.file_size, caps.member_bytes)
    given = 0
    try:
        with archive.open(info) as member:
            while chunk := member.read(_CHUNK):
                given += len(chunk)
                if given > most:
                    raise ImportFileError(
                        f"zip: {_cut(info.filename)!r} unpacks to more than the "
                        f"{shown_bytes(most)} its directory tells: it is refused as a bomb"
                    )
                yield chunk
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError) as error:
        raise _broken(f"{_cut(info.filename)}: {error}") from error


def _check_directory(source: BinaryIO, caps: Caps) -> None:
    """Refuse a directory of too many members before it is read."""
    size = source.seek(0, 2)
    source.seek(max(0, size - _END_BYTES - 0xFFFF))
    tail = source.read()
    source.seek(0)
    at = tail.rfind(_END)
    if at < 0 or len(tail) - at < _END_BYTES:
        raise _broken("its directory is missing: the file was cut")
    members, directory = struct.unpack("<HI", tail[at + 10 : at + 16])
    if members > caps.members or directory > caps.members * _DIRECTORY_ROW:
        many = "65,535 or more" if members == 0xFFFF else f"{members:,}"
        raise ImportFileError(
            f"zip: {many} files in it, at most {caps.members:,} are looked at; "
            "expected the export of one account"
        )


def _check_name(info: zipfile.ZipInfo) -> None:
    """Refuse names that lead out of a folder, links, and members with a password."""
    raw = info.orig_filename.replace("\\", "/")
    parts = PurePosixPath(raw).parts
    shown = _cut(info.orig_filename)
    if raw.startswith("/") or _DRIVE.match(raw) or ".." in parts or "\x00" in raw:
        raise ImportFileError(
            f"zip: {shown!r} leads out of the archive; no export has such names, it is refused"
        )
    if stat.S_ISLNK(info.external_attr >> 16):
        raise ImportFileError(f"zip: {shown!r} is a link; links are refused")
    if info.flag_bits & 0x1:
        raise ImportFileError(f"zip: {shown!r} needs a password; hand in an archive without one")


def _check_size(info: zipfile.ZipInfo, caps: Caps) -> None:
    """Refuse a member whose own words say that it is a bomb."""
    shown = _cut(info.filename)
    if info.file_size > caps.member_bytes:
        raise ImportFileError(
            f"zip: {shown!r} is {shown_bytes(info.file_size)} unpacked, at most "
            f"{shown_bytes(caps.member_bytes)} are read; export fewer conversations"
        )
    if info.file_size > caps.ratio * max(info.compress_size, 1) and info.file_size > _CHUNK:
        raise ImportFileError(
            f"zip: {shown!r} grows {info.file_size // max(info.compress_size, 1):,} times when it "
            f"is unpacked, at most {caps.ratio} times is taken: it is refused as a bomb"
        )


def _by_number(name: str) -> tuple[str, int]:
    """Order of numbered files: conversations-2 before conversations-10."""
    digits = re.findall(r"\d+", _last(name))
    return str(PurePosixPath(name).parent), int(digits[0]) if digits else -1


def _plain(name: str) -> str:
    """A name as file systems that do not tell cases apart know it."""
    return name.replace("\\", "/").casefold()


def _last(name: str) -> str:
    return name.rpartition("/")[2]


def _cut(name: str) -> str:
    return name if len(name) <= 120 else f"{name[:120]}..."


def _broken(why: str) -> ImportFileError:
    return ImportFileError(f"zip: it cannot be read ({why}); fetch or save the file again")
