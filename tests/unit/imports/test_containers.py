"""HARs, MHTMLs, saved pages and pictures: what is taken of each, and what stays behind."""

import json
from datetime import UTC, datetime

import pytest

from monitor.capture.imports.addresses import safe_address, surface_host
from monitor.capture.imports.parts import Caps, Container, ImportFileError
from monitor.capture.imports.pictures import read_picture
from monitor.capture.imports.sniffing import container_of
from tests.unit.imports import handed
from tests.unit.imports.handed import entry, har, mhtml, opened, page, png, thread

THREAD = "https://www.perplexity.ai/rest/thread/oaks?token=SECRETQUERY"
ASK = "https://www.perplexity.ai/rest/sse/perplexity_ask"


@pytest.mark.parametrize(
    ("head", "container"),
    [
        (b"PK\x03\x04....", Container.ARCHIVE),
        (b'{"log": {"entries": []}}', Container.HAR),
        (
            b"From: <Saved>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related;",
            Container.MHTML,
        ),
        (b"<!DOCTYPE html><p>", Container.PAGE),
        (b"\xef\xbb\xbf<html>", Container.PAGE),
        (b"<!--\n Page saved with SingleFile", Container.PAGE),
        (b'[{"mapping": {}}]', Container.JSON),
        (b'{"entries": []}', Container.JSON),
        (b"event: message\r\ndata: {}\r\n", Container.TEXT),
        (b"# A question\n\nAn answer", Container.TEXT),
        (b"[Gemini](https://gemini.google.com/app/1) 2026", Container.TEXT),
        (b"\x89PNG\r\n\x1a\n", Container.PICTURE),
        (b"\xff\xd8\xff\xe0", Container.PICTURE),
        (b"RIFF\x00\x00\x00\x00WEBP", Container.PICTURE),
    ],
)
def test_a_file_is_what_its_bytes_are(head, container):
    assert container_of(head) is container


@pytest.mark.parametrize(
    ("head", "word"),
    [(b"", "empty"), (b"  \n", "empty"), (b"%PDF-1.7", "a PDF"), (b"\x1f\x8b\x08", "gzip"),
     (b"MZ\x90", "a program"), (b"text\x00text", "no text"), (b"GIF89a", "GIF"),
     (b"WARC/1.0", "WARC")],
)  # fmt: skip
def test_what_nobody_reads_is_named(head, word):
    with pytest.raises(ImportFileError, match=word):
        container_of(head)


def test_a_har_gives_the_bodies_of_surfaces_and_nothing_else():
    source, documents = opened(
        har(
            entry(THREAD, thread()),
            entry("https://ads.example/track", b'{"entries": []}'),
            entry("https://www.perplexity.ai/logo.png", b"png", "image/png"),
        )
    )
    (document,) = documents
    assert document.body == thread()
    assert document.url == "https://www.perplexity.ai/rest/thread/oaks"
    assert document.inside_at == datetime(2026, 11, 20, 8, tzinfo=UTC)
    # Two entries of the surface with three headers and two cookies each.
    assert source.dropped == {
        "cookie": 4, "entry of another site": 1, "entry without a document": 1, "header": 6,
    }  # fmt: skip


@pytest.mark.parametrize("body", [None, b""])
def test_a_stream_whose_body_the_browser_left_out_is_told(body):
    source, _ = opened(har(entry(THREAD, thread()), entry(ASK, body, "text/event-stream")))
    (note,) = source.notes
    assert note.startswith("body_missing: entry 1 (https://www.perplexity.ai/rest/sse")
    with pytest.raises(ImportFileError, match="body_missing"):
        opened(har(entry(ASK, body, "text/event-stream")))


@pytest.mark.parametrize(
    "body",
    [b'{"log": {"entries": {}}}', b'{"log": {"entries": [', har(), har(3, None, {"request": 1})],
)
def test_a_har_without_answers_is_refused(body):
    with pytest.raises(ImportFileError, match="har"):
        opened(body)


def test_a_har_of_too_many_entries_or_with_a_body_too_large_is_refused():
    body = har(entry(THREAD, thread()), entry(THREAD, thread()))
    for caps in (Caps(members=1), Caps(document_bytes=10), Caps(file_bytes=10)):
        with pytest.raises(ImportFileError, match="at most"):
            opened(body, caps)


def test_a_har_body_that_is_plain_text_is_taken_as_it_is():
    one = entry(THREAD, None)
    one["response"]["content"]["text"] = thread().decode()
    assert opened(har(one))[1][0].body == thread()


def test_an_mhtml_gives_its_page_with_the_style_sheets_it_links():
    linked = page(head='<link rel="stylesheet" href="cid:css-1@x"><link rel=icon href="cid:2">')
    source, (document,) = opened(
        mhtml(
            ("text/html", "https://chatgpt.com/c/1", linked, "frame-1"),
            ("text/css", "cid:css-1@x", b".gone{display:none}</style><script>x()</script>", "css-1@x"),
            ("image/png", "https://chatgpt.com/i.png", png(), ""),
        )
    )  # fmt: skip
    assert b"<style>.gone{display:none}<\\/style><script>x()</script></style>" in document.body
    assert b'<link rel=icon href="cid:2">' in document.body
    assert document.url == "https://chatgpt.com/c/1"
    assert document.inside_at == datetime(2026, 11, 20, 7, tzinfo=UTC)
    assert source.dropped == {"part of a page": 2}


def test_the_page_that_was_saved_comes_before_its_frames():
    documents = opened(
        mhtml(
            ("text/html", "https://frames.example/ad", b"<html>ad</html>", "a"),
            ("text/html", "https://chatgpt.com/c/1", page(), "b"),
        )
    )[1]
    assert [one.body for one in documents] == [page(), b"<html>ad</html>"]


@pytest.mark.timeout(60)
def test_parts_that_name_each_other_in_a_circle_cost_nothing():
    one = b'<html><link href="cid:b"><iframe src="cid:b"></iframe></html>'
    two = b'@import "cid:a"; @import "cid:b";'
    documents = opened(
        mhtml(*[("text/html", "cid:a", one, "a"), ("text/css", "cid:b", two, "b")] * 300)
    )[1]
    assert len(documents) == 300
    assert (
        documents[0].body
        == b"<html><style>" + two + b'</style><iframe src="cid:b"></iframe></html>'
    )


def test_an_mhtml_without_a_page_or_of_too_many_parts_is_refused():
    for body, caps in ((mhtml(("text/css", "x", b"", "")), Caps()),
                       (mhtml(*[("text/html", "x", b"<p>", "")] * 3), Caps(members=2)),
                       (mhtml(("text/html", "x", page(), "")), Caps(document_bytes=9))):  # fmt: skip
        with pytest.raises(ImportFileError, match="mhtml"):
            opened(body, caps)


def test_a_page_of_single_file_tells_its_address_and_day_and_is_doubted():
    comment = (
        "<!--\n Page saved with SingleFile \n url: https://chatgpt.com/c/1?token=SECRET#x \n "
        "saved date: Tue Sep 01 2026 10:00:00 GMT+0200 (Central European Summer Time)\n-->"
    )
    _, (document,) = opened(comment.encode() + page())
    assert document.url == "https://chatgpt.com/c/1"
    assert document.inside_at == datetime(2026, 9, 1, 8, tzinfo=UTC)
    assert "SingleFile may have removed" in document.notes[0]


def test_a_page_saved_complete_tells_where_it_was():
    body = b"<!-- saved from url=(0027)https://gemini.google.com/app/1 -->" + page()
    (document,) = opened(body)[1]
    assert (document.url, document.notes) == ("https://gemini.google.com/app/1", ())


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("https://u:p@www.google.com/search?q=oaks&hl=en&ved=SECRET&udm=50#frag",
         "https://www.google.com/search?q=oaks&hl=en&udm=50"),
        ("https://chatgpt.com:8443/share/1", "https://chatgpt.com:8443/share/1"),
        ("javascript:alert(1)", None), ("file:///etc/passwd", None), ("http://[broken", None),
        ("", None),
    ],
)  # fmt: skip
def test_an_address_is_kept_without_what_may_be_secret(address, kept):
    assert safe_address(address) == kept


@pytest.mark.parametrize(
    ("address", "is_one"),
    [("https://www.google.co.uk/search", True), ("https://www.perplexity.ai/", True),
     ("https://chatgpt.com/", True), ("https://chatgpt.com.evil.example/", False),
     ("https://evilchatgpt.com/", False), ("https://mail.google.com/", False),
     ("http://[", False)],
)  # fmt: skip
def test_only_hosts_of_surfaces_are_surfaces(address, is_one):
    assert (surface_host(address) is not None) is is_one


def test_sizes_of_pictures_are_read_from_their_headers():
    jpeg = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xff\xc2\x00\x0b\x08\x03\x84\x05\x00\x01\x01\x11\x00"
    lossless = b"RIFF....WEBPVP8L\x00\x00\x00\x00\x2f" + (1279 | 899 << 14).to_bytes(4, "little")
    extended = b"RIFF....WEBPVP8X" + bytes(8) + (1279).to_bytes(3, "little") + b"\x83\x03\x00"
    simple = b"RIFF....WEBPVP8 " + bytes(10) + b"\x00\x05\x84\x03"
    for body in (png(), jpeg, lossless, extended, simple):
        picture = read_picture(body)
        assert (picture.width, picture.height) == (1280, 900)


@pytest.mark.parametrize(
    "body", [png()[:20], b"\xff\xd8\xff", b"\xff\xd8\xff\xda\x00\x02", b"\xff\xd8ab",
             b"RIFF....WEBPNOPE", png(0, 5), png(200_000, 5), b"\xff\xd8\xff\xe0\x00\x00"],
)  # fmt: skip
def test_a_broken_header_is_no_picture(body):
    with pytest.raises(ImportFileError, match="picture"):
        read_picture(body)


def test_a_list_of_conversations_by_itself_is_read_like_an_export():
    several = [handed.conversation(name="c0"), handed.conversation(name="c1")]
    for body in (several, {"conversations": several}):
        documents = opened(json.dumps(body).encode())[1]
        assert [json.loads(one.body) for one in documents] == several


def test_a_text_without_end_is_refused_by_its_size():
    with pytest.raises(ImportFileError, match=r"10\.0 MB in one document, at most 8\.0 MB"):
        opened(b"An oak. " * (10 * 1024**2 // 8))


def test_words_that_begin_like_a_program_or_an_archive_are_words():
    for words in (b"PKs are keys of tables.", b"MZ is the code of Mozambique."):
        assert container_of(words) is Container.TEXT


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-be"])
def test_text_as_utf_16_is_called_that(codec):
    mark = b"" if codec == "utf-16" else b"\xfe\xff"
    with pytest.raises(ImportFileError, match="UTF-16; save it as UTF-8"):
        container_of(mark + "Oaks".encode(codec))


def test_an_mhtml_with_a_mark_of_its_order_of_bytes_is_one():
    whole = handed.mhtml(("text/html", "https://chatgpt.com/c/1", handed.page(), ""))
    source, (found,) = handed.opened(b"\xef\xbb\xbf" + whole)
    assert (source.container, found.body) == (Container.MHTML, handed.page())
