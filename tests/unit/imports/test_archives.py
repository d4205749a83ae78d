"""Exports of accounts: every conversation found, every trick of an archive refused."""

import io
import json
import stat
import struct
import zipfile

import pytest

from monitor.capture.imports.parts import Caps, Container, ImportFileError
from tests.unit.imports.handed import conversation, export, opened, zipped


def refused(body, *words, caps=None):
    with pytest.raises(ImportFileError) as error:
        opened(body, caps)
    for word in words:
        assert word in str(error.value)


def test_each_conversation_of_an_export_is_a_document_with_its_own_bytes():
    several = [conversation(name=f"c{number}") for number in range(3)]
    source, documents = opened(export(*several, members={"user.json": b"{}", "chat.html": b"x"}))
    assert source.container is Container.ARCHIVE
    assert [json.loads(one.body) for one in documents] == several
    assert [one.member for one in documents] == [f"conversations.json#{n}" for n in range(3)]
    assert source.dropped == {"account file": 1, "other file": 1}


def test_numbered_files_and_a_wrapped_list_are_read_in_their_order():
    parts = {
        f"export/conversations-{n}.json": json.dumps(
            {"conversations": [conversation(name=f"c{n}")]}
        ).encode()
        for n in (10, 2, 1)
    }
    _, documents = opened(zipped(parts))
    assert [json.loads(one.body)["conversation_id"] for one in documents] == ["c1", "c2", "c10"]


@pytest.mark.parametrize("size", [1, 7, 4096, 1 << 20])
def test_a_conversation_that_is_cut_by_a_read_is_read_whole(monkeypatch, size):
    monkeypatch.setattr("monitor.capture.imports.archive._CHUNK", size)
    several = [conversation(name=f"c{number}") for number in range(2)]
    assert [json.loads(d.body) for d in opened(export(*several))[1]] == several


def test_other_json_around_the_list_is_found_too():
    wrapped = json.dumps({"version": 2, "conversations": [conversation()]}).encode()
    _, documents = opened(zipped({"conversations.json": wrapped}))
    assert [json.loads(one.body) for one in documents] == [conversation()]


@pytest.mark.parametrize(
    "name", ["../conversations.json", "/conversations.json", "C:/conversations.json",
             "a\\..\\conversations.json", "a/../../conversations.json"],
)  # fmt: skip
def test_a_name_that_leads_out_of_the_archive_is_refused(name):
    refused(zipped([(zipfile.ZipInfo(name), b"[]")]), "leads out of the archive")


def test_a_link_is_refused():
    link = zipfile.ZipInfo("conversations.json")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    refused(zipped([(link, b"/etc/passwd")]), "is a link")


def test_a_name_that_stands_twice_is_refused():
    with pytest.warns(UserWarning, match="Duplicate name"):
        body = zipped([("conversations.json", b"[]"), ("conversations.json", b"[{}]")])
    refused(body, "in it twice")


def test_a_password_is_refused():
    body = bytearray(export(conversation()))
    directory = body.index(b"PK\x01\x02")
    body[directory + 8] |= 1
    refused(bytes(body), "needs a password")


def test_an_archive_in_an_archive_is_not_opened():
    inner = export(conversation())
    refused(zipped({"export.zip": inner}), "no conversations.json", "is not opened")
    refused(zipped({"conversations.json": inner}), "conversations.json")


def test_a_bomb_is_refused_by_what_its_directory_says():
    refused(zipped({"conversations.json": b"[" + b" " * 50_000_000}), "refused as a bomb")


def test_a_bomb_whose_directory_lies_is_refused_as_it_unpacks():
    body = bytearray(zipped({"conversations.json": b"[" + b" " * 50_000_000}))
    for magic, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        struct.pack_into("<I", body, body.index(magic) + place, 1000)
    refused(bytes(body), "conversations.json")


def test_a_member_and_a_total_above_the_caps_are_refused():
    body = export(conversation())
    refused(body, "are read", caps=Caps(member_bytes=10))
    refused(body, "unpacked", caps=Caps(total_bytes=10))
    refused(body, "a single object", caps=Caps(document_bytes=10))
    refused(body, "are taken as zip", caps=Caps(archive_bytes=10))


def test_a_hundred_thousand_members_are_refused_before_they_are_listed():
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("conversations.json", b"[]")
    body = bytearray(buffer.getvalue())
    end = body.rindex(b"PK\x05\x06")
    struct.pack_into("<HH", body, end + 8, 0xFFFF, 0xFFFF)
    refused(bytes(body), "65,535 or more", "at most 20,000")
    struct.pack_into("<HHI", body, end + 8, 1, 1, 0x7FFFFFFF)
    refused(bytes(body), "at most 20,000")


def test_a_cut_or_broken_archive_says_so():
    body = export(conversation())
    refused(body[:-30], "cannot be read")
    refused(b"PK\x03\x04" + b"\x00" * 40, "cannot be read")
    broken = bytearray(body)
    broken[60:90] = b"\xff" * 30
    refused(bytes(broken), "zip")


@pytest.mark.timeout(60)
def test_nesting_without_end_is_refused_at_once():
    refused(b"[" * 20_000_000, "nests deeper")
    refused(b'{"a":' * 5_000_000, "json")
    refused(zipped({"conversations.json": b'[{"mapping":' + b"[" * 200_000}), "nests deeper")


@pytest.mark.parametrize("text", [b"[{}", b'[{"a": 1}, {"b"', b"[1, 2", b'[{"a": \xff}]'])
def test_a_list_that_is_cut_or_no_text_says_so(text):
    refused(zipped({"conversations.json": text}), "conversations.json")
