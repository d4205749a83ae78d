"""Bytes of answers: what a browser may show, what it only saves, and what is not told."""

from datetime import UTC, datetime

import lxml.html
import pytest

from monitor.domain.engine import Request
from monitor.domain.screenshot import Screenshot, ScreenshotKind, Snapshot, SnapshotKind
from monitor.store import captures, removals, screenshots
from monitor.store.evidence import EvidenceKind
from tests.stored import MADE_AT
from tests.web.answered import FAST, OAKS, SLOW, plain, told, twin, visiting

PNG, JPEG = b"\x89PNG\r\n\x1a\n" + b"0" * 40, b"\xff\xd8\xff\xe0" + b"0" * 40
WEBP, HTML = b"RIFF\x00\x00\x00\x00WEBPVP8 ", b"<html><script>alert(1)</script>"
SVG = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"
REMOVED = datetime(2026, 3, 4, tzinfo=UTC)


@pytest.fixture
def one(bench):
    """An answer with its payload and the text of what it cites."""
    _, (made,) = told(bench, plain((SLOW, OAKS)), pages=[(OAKS, f"Trees. {SLOW} {FAST}")])
    return made


def keep_shot(bench, capture, content, name="n"):
    sha256 = bench.artifacts.put(content)
    shot = Screenshot(
        ScreenshotKind.UPLOAD, sha256, "https://x.example/", MADE_AT, "Browser 1", (800, 600),
        (800, 600), "en-GB", name=name,
    )  # fmt: skip
    bench.write(lambda c: screenshots.save_screenshot(c, capture, shot))
    return sha256


def is_saved(got):
    """Whether a browser keeps these bytes as a file, and runs nothing in them."""
    headers = got.headers
    assert headers["content-type"] == "application/octet-stream"
    assert headers["content-disposition"].startswith("attachment; filename=")
    assert "sandbox" in headers["content-security-policy"]
    assert headers["x-content-type-options"] == "nosniff"
    return True


async def test_a_payload_is_saved_as_it_came(bench, one):
    (stored,) = bench.read(lambda c: captures.load_payloads(c, one))
    async with visiting(bench) as client:
        got = await client.get(f"/captures/{one}/files/{stored.sha256}")
    assert is_saved(got)
    assert got.content == plain((SLOW, OAKS))
    assert got.headers["cache-control"] == "private, max-age=31536000, immutable"


@pytest.mark.parametrize(
    ("content", "kind"), [(PNG, "image/png"), (JPEG, "image/jpeg"), (WEBP, "image/webp")]
)
async def test_pictures_are_shown_as_what_their_bytes_are(bench, one, content, kind):
    sha256 = keep_shot(bench, one, content)
    async with visiting(bench) as client:
        got = await client.get(f"/captures/{one}/pictures/{sha256}")
        page = await client.get(f"/captures/{one}")
    assert got.headers["content-type"] == kind
    assert got.headers["x-content-type-options"] == "nosniff"
    assert "sandbox" in got.headers["content-security-policy"]
    tree = lxml.html.document_fromstring(page.content)
    assert f"/captures/{one}/pictures/{sha256}" in tree.xpath("//figure//img/@src")


@pytest.mark.parametrize("content", [HTML, SVG, b"", b"GIF89a", b"RIFFxxxxWAVE", b"%PDF-1.7"])
async def test_a_picture_that_is_none_is_only_saved(bench, one, content):
    sha256 = keep_shot(bench, one, content)
    async with visiting(bench) as client:
        got = await client.get(f"/captures/{one}/pictures/{sha256}")
    assert is_saved(got)
    assert got.content == content


async def test_snapshots_and_pages_are_only_saved(bench, one):
    sha256 = bench.artifacts.put(HTML)
    kept = Snapshot(SnapshotKind.DOM, sha256, MADE_AT, "</li><script>alert(1)</script>")
    bench.write(lambda c: screenshots.save_snapshot(c, one, kept))
    async with visiting(bench) as client:
        assert is_saved(await client.get(f"/captures/{one}/files/{sha256}"))
        page = await client.get(f"/captures/{one}")
        nothing = await client.get(f"/captures/{one}/sources/1/bytes")
    assert len(lxml.html.document_fromstring(page.content).xpath("//script")) == 1
    assert nothing.status_code == 404
    assert "nothing of it is kept (fetching it gave: ok)" in nothing.text


async def test_bytes_of_others_are_not_given_out_under_an_answer(bench, one):
    """Neither those of another answer nor those that no row names."""
    _, (other,) = told(bench, plain((FAST, OAKS)), slot="2026-02")
    (foreign,) = bench.read(lambda c: captures.load_payloads(c, other))
    loose = bench.artifacts.put(b"loose")
    async with visiting(bench) as client:
        for sha256 in (foreign.sha256, loose, "0" * 64):
            for kind in ("files", "pictures"):
                got = await client.get(f"/captures/{one}/{kind}/{sha256}")
                assert got.status_code == 404
                assert "its page lists what is kept of it" in got.text
        for wrong in ("../../x", "0" * 63, "G" * 64, "0" * 5000):
            got = await client.get(f"/captures/{one}/files/{wrong}")
            assert got.status_code in {404, 422}


async def test_what_retention_removed_is_named_with_its_day(bench, one):
    (stored,) = bench.read(lambda c: captures.load_payloads(c, one))
    sha256 = stored.sha256

    def remove(connection):
        removals.note(connection, EvidenceKind.PAYLOAD, [sha256], REMOVED)
        removals.confirm(connection, [sha256])

    bench.write(remove)
    for path in bench.artifacts._root.rglob(f"{sha256}*"):
        path.unlink()
    async with visiting(bench) as client:
        got = await client.get(f"/captures/{one}/files/{sha256}")
        page = (await client.get(twin(f"/captures/{one}"))).json()
    assert got.status_code == 404
    assert "retention removed these bytes (payload) on 2026-03-04" in got.text
    assert page["exchanges"][0]["file"]["removed_at"].startswith("2026-03-04")


async def test_a_request_is_told_without_what_is_secret(bench, one):
    sent = Request(
        "POST", "https://api.example/v1", {"input": "Oaks?"}, (("key", "sk-1"), ("q", "oaks")),
        (("Authorization", "Bearer sk-2"), ("X-Api-Key", "sk-3"), ("accept", "*/*")),
    )  # fmt: skip
    more = captures.StoredPayload(
        one, 1, 0, bench.artifacts.put(b"{}"), sent, status=200,
        headers=(("set-cookie", "s=sk-4"), ("server", "oak")),
    )  # fmt: skip
    bench.write(lambda c: captures.save_payload(c, more))
    async with visiting(bench) as client:
        got = await client.get(f"/captures/{one}/exchanges/2")
        none = await client.get(f"/captures/{one}/exchanges/3")
    found = got.json()
    assert "sk-" not in got.text
    assert found["request"]["json"] == {"input": "Oaks?"}
    assert ["q", "oaks"] in found["request"]["query"]
    assert ["accept", "*/*"] in found["request"]["headers"]
    assert ["server", "oak"] in found["headers"]
    assert got.headers["content-type"] == "application/json"
    assert none.status_code == 404


async def test_a_cited_text_is_shown_in_parts_with_its_quotes(bench):
    """The quote stands behind 90,000 characters: in the third part of 40,000 each."""
    text = "word " * 18_000 + SLOW
    _, (one,) = told(bench, plain((SLOW, OAKS)), pages=[(OAKS, text)])
    async with visiting(bench) as client:
        found = (await client.get(twin(f"/captures/{one}/sources/1"))).json()
        first = (await client.get(twin(f"/captures/{one}/sources/1?part=1"))).json()
        beyond = await client.get(twin(f"/captures/{one}/sources/1?part=4"))
        none = await client.get(twin(f"/captures/{one}/sources/2"))
    assert (found["part"], found["parts"], found["characters"]) == (3, 3, len(text))
    assert [p["text"] for p in found["pieces"] if p["statements"]] == [SLOW]
    assert found["quotes"] == [[1, 3]]
    assert "".join(p["text"] for p in first["pieces"]) == text[:40_000]
    assert beyond.status_code == none.status_code == 404
