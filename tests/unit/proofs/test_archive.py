"""Zips of strangers: each trick is refused with its name, and nothing is ever unpacked."""

import stat
import struct
import zipfile
from io import BytesIO, RawIOBase
from pathlib import Path
from zlib import crc32

import pytest

from monitor.errors import EvidenceError
from monitor.proofs.archive import is_plain, open_archive
from monitor.proofs.bundle_check import check_bundle
from monitor.proofs.seals import NOTHING


def made(path, *entries):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as zipped:
        for entry, content in entries:
            zipped.writestr(entry, content)
    return path


def refused(path, match):
    before = sorted(Path(path.parent).iterdir())
    with pytest.raises(EvidenceError, match=match):
        check_bundle(path, NOTHING)
    assert sorted(Path(path.parent).iterdir()) == before


@pytest.mark.parametrize(
    "name",
    [
        "../x", "/etc/passwd", "a/../../x", "a//b", "C:/x", "a\\..\\x", "./x", "a/.", "x\x1b[2J", "x\n",
        "ä.txt", "a b /x", "x.", "con:aux", "a" * 301,
        "CON", "x/aux.txt", "nul.tar.gz/x", "com1", "LPT9.json",
    ],
)  # fmt: skip
def test_a_name_that_could_lead_elsewhere_is_refused(tmp_path, name):
    assert not is_plain(name)
    refused(made(tmp_path / "b.zip", (zipfile.ZipInfo(name), b"x")), "could lead out of a folder")


def test_a_name_with_a_zero_in_it_is_refused(tmp_path):
    path = made(tmp_path / "b.zip", ("axb", b"x"))
    path.write_bytes(path.read_bytes().replace(b"axb", b"a\x00b"))
    refused(path, "could lead out of a folder")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("second", ["SHA256SUMS", "sha256sums"])
def test_a_name_that_stands_there_twice_is_refused(tmp_path, second):
    refused(made(tmp_path / "b.zip", ("SHA256SUMS", b"x"), (second, b"y")), "twice")


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFDIR])
def test_a_link_or_a_device_is_refused(tmp_path, kind):
    entry = zipfile.ZipInfo("captures")
    entry.create_system, entry.external_attr = 3, (kind | 0o777) << 16
    refused(made(tmp_path / "b.zip", (entry, b"/etc/passwd")), "link or a device")


def test_a_file_made_to_fill_memory_is_refused_by_its_size(tmp_path):
    refused(made(tmp_path / "b.zip", ("x", b"\0" * 40_000_000)), "made to fill memory")


def test_a_file_that_grows_beyond_what_it_says_is_broken(tmp_path):
    path = made(tmp_path / "b.zip", ("SHA256SUMS", b""), ("x", b"\0" * 4_000_000))
    whole = path.read_bytes()
    # Its size stands in the local header and in the list at the end.
    path.write_bytes(whole.replace((4_000_000).to_bytes(4, "little"), (99).to_bytes(4, "little")))
    with open_archive(path) as archive:
        assert archive.sha256("x") is None


def test_an_encrypted_file_is_refused(tmp_path):
    path = made(tmp_path / "b.zip", ("x", b"hello"))
    whole = bytearray(path.read_bytes())
    at = whole.index(b"PK\x01\x02")
    whole[at + 8] |= 1
    path.write_bytes(whole)
    refused(path, "encrypted")


@pytest.mark.parametrize("content", [b"", b"hello", b"PK\x03\x04" + b"\0" * 60])
def test_what_is_no_zip_is_refused(tmp_path, content):
    (tmp_path / "b.zip").write_bytes(content)
    refused(tmp_path / "b.zip", "no zip that can be read")


def test_a_cut_zip_and_a_missing_one_are_refused(tmp_path):
    path = made(tmp_path / "b.zip", ("SHA256SUMS", b"x" * 99))
    path.write_bytes(path.read_bytes()[:-30])
    refused(path, "no zip that can be read")
    refused(tmp_path / "absent.zip", "no such file")


def test_a_zip_without_a_list_of_hashes_is_no_bundle(tmp_path):
    refused(made(tmp_path / "b.zip", ("readme", b"x")), "no bundle")


@pytest.mark.parametrize(
    "line", ["x", f"{'a' * 64} one-space", f"{'A' * 64}  x", f"{'a' * 64}  x\n{'b' * 64}  x"]
)
def test_a_list_that_is_none_is_refused(tmp_path, line):
    refused(made(tmp_path / "b.zip", ("SHA256SUMS", f"{line}\n")), "SHA256SUMS line")


def test_a_bundle_without_any_manifest_is_not_sound(tmp_path):
    found = check_bundle(made(tmp_path / "b.zip", ("SHA256SUMS", b"")), NOTHING)
    assert [str(one) for one in found.findings] == [
        "missing: captures/ (a bundle has at least one manifest)"
    ]


def zip_of(content, name="a.txt"):
    kept = BytesIO()
    with zipfile.ZipFile(kept, "w") as zipped:
        zipped.writestr(zipfile.ZipInfo(name), content)
    return kept.getvalue()


def commented(whole, comment):
    end = whole.rindex(b"PK\x05\x06")
    return whole[: end + 20] + struct.pack("<H", len(comment)) + comment


def renamed_for_others():
    entry = zipfile.ZipInfo("a.txt")
    entry.extra = struct.pack("<HHBL", 0x7075, 10, 1, crc32(b"a.txt")) + b"b.txt"
    kept = BytesIO()
    with zipfile.ZipFile(kept, "w") as zipped:
        zipped.writestr(entry, b"true")
    return kept.getvalue()


TRUE, FORGED = zip_of(b"true"), zip_of(b"forged")
TWO_WAYS = {
    "a zip before it": FORGED + TRUE,
    "a program before it": b"MZ" * 40 + TRUE,
    "bytes behind it": TRUE + b"behind",
    "a comment": commented(TRUE, b"words"),
    "a zip in its comment": commented(TRUE, FORGED),
    "another name before the bytes": TRUE.replace(b"a.txt", b"b.txt", 1),
    "another checksum before the bytes": TRUE[:14] + b"\x00" * 4 + TRUE[18:],
    "another size before the bytes": TRUE[:22] + b"\x01" + TRUE[23:],
    "another method before the bytes": TRUE[:8] + b"\x08" + TRUE[9:],
    "a second name": renamed_for_others(),
}


@pytest.mark.parametrize("way", TWO_WAYS)
def test_a_zip_that_can_be_read_in_two_ways_is_refused(tmp_path, way):
    path = tmp_path / "b.zip"
    path.write_bytes(TWO_WAYS[way])
    refused(path, "other programs could read other files|no zip that can be read")


def test_a_zip_that_was_written_without_going_back_is_read(tmp_path):
    class Pipe(RawIOBase):
        def __init__(self, kept):
            self.kept = kept

        def writable(self):
            return True

        def write(self, content):
            self.kept.write(content)
            return len(content)

    path = tmp_path / "b.zip"
    with path.open("wb") as stream, zipfile.ZipFile(Pipe(stream), "w") as zipped:
        zipped.writestr("a.txt", b"one")
        with zipped.open("b.txt", "w", force_zip64=True) as other:
            other.write(b"two")
    with open_archive(path) as archive:
        assert [archive.read(name, 9) for name in archive.names] == [b"one", b"two"]
    (tmp_path / "c.zip").write_bytes(zip_of(b""))
    with open_archive(tmp_path / "c.zip") as archive:
        assert archive.read("a.txt", 9) == b""
