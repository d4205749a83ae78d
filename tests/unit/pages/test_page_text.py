"""Bytes to text: charsets, unfit characters, canonical guards, dates, paywalls, depth."""

import time
from datetime import date
from functools import partial
from urllib.parse import urlsplit

import pytest

from monitor import urls
from monitor.domain.page import FetchStatus, PageText
from monitor.domain.source import UrlIdentity
from monitor.markup.trees import decode_body
from monitor.pages.metadata import read_date
from monitor.pages.text import read_page, status_after_reading

URL = "https://www.paper.com/news/tides"
STORY = "The tide tables for the bay were checked by two surveyors in spring. " * 8


def identify(raw: str) -> UrlIdentity:
    """A plain stand-in: family is the last two labels, a DOI-like host is unresolved."""
    parts = urlsplit(raw)
    host = (parts.hostname or "").removeprefix("www.")
    if not host or parts.scheme not in {"http", "https"}:
        return UrlIdentity(raw, None, None, None)
    family = None if host == "doi.org" else ".".join(host.split(".")[-2:])
    return UrlIdentity(raw, raw, f"https://{host}{parts.path.rstrip('/')}", family)


def read(html: str | bytes, url: str = URL, charset: str | None = None) -> PageText:
    body = html if isinstance(html, bytes) else html.encode("utf-8", "surrogatepass")
    return read_page(body, url=url, media_type="text/html", charset=charset, identify=identify)


def document(head: str = "", body: str = f"<article><p>{STORY}</p></article>") -> str:
    return f"<!doctype html><html><head>{head}</head><body>{body}</body></html>"


def test_main_text_leaves_menus_out_and_is_the_same_twice():
    html = document(
        body=f"<nav>Home About</nav><article><p>{STORY}</p></article><footer>Imprint</footer>"
    )
    first, again = read(html), read(html)
    assert first == again
    assert first.text == STORY.strip()


def test_a_short_page_still_gives_its_words():
    assert (
        read("<p>Open from <b>nine</b> to five.</p><script>no()</script>").text
        == "Open from nine to five."
    )


@pytest.mark.parametrize(
    ("body", "charset", "expected"),
    [
        ("é".encode(), None, "é"),
        ("é".encode(), "iso-8859-1", "é"),
        ("é".encode("latin-1"), None, "é"),
        ("“é”".encode("cp1252"), "iso-8859-1", "“é”"),
        ("привет".encode("cp1251"), "windows-1251", "привет"),
        ("日本".encode("shift_jis"), "Shift_JIS", "日本"),
        ("日本".encode("iso2022_jp"), "ISO-2022-JP", "日本"),
        ("中文".encode("gb18030"), "gb2312", "中文"),
        ("é".encode("utf-16"), "utf-8", "é"),
        (b"\xef\xbb\xbf\xc3\xa9", "latin-1", "é"),
        (b'<meta charset="windows-1251">\xef', None, '<meta charset="windows-1251">п'),
        (b"a\x81b\xe9", "no-such-charset", "a\ufffdbé"),
        (b"\xe9", "base64", "é"),
        (b"\\xe9\\q", "unicode_escape", "\\xe9\\q"),
        ("é".encode() * 9 + b"\xe9", "iso-8859-1", "é" * 9 + "\ufffd"),
        (b"", "utf-8", ""),
    ],
)
def test_charsets_are_read_as_browsers_do(body, charset, expected):
    assert decode_body(body, charset) == expected


def test_unfit_characters_are_replaced_and_titles_cut():
    title = "a\x00b\u202ec " + "x" * 10_000
    got = read(
        document(
            f"<meta charset=utf-8><title>{title}</title>",
            f"<p>nul \x00 &#xD800; \ud800 {STORY}</p>",
        )
    )
    assert got.title.startswith("a\ufffdb\ufffdc xxx")
    assert len(got.title) == 500
    assert "\x00" not in got.text
    assert (got.title + got.text).encode("utf-8")


def test_title_prefers_what_the_page_shares_of_itself():
    both = '<title>Tides | Paper</title><meta property="og:title" content="Tides &amp; moons">'
    assert read(document(both)).title == "Tides & moons"
    assert read(document("<title> Tides\n of May </title>")).title == "Tides of May"
    assert read(document(body=f"<h1>Only a heading</h1><p>{STORY}</p>")).title == "Only a heading"
    assert read(document()).title is None


def canonical(
    href: str, url: str = URL, head: str = ""
) -> tuple[str | None, str | None, str | None]:
    got = read(document(f'{head}<link rel="canonical" href="{href}">'), url)
    return got.canonical, got.page_key, got.syndicated_from


def test_canonical_of_the_same_family_is_the_identity():
    said = "https://www.paper.com/news/tides-2"
    key = "https://paper.com/news/tides-2"
    assert canonical(said) == (said, key, None)
    assert canonical("/news/tides-2") == (said, key, None)
    assert canonical("//www.paper.com/news/tides-2") == (said, key, None)
    assert canonical("tides-2", head='<base href="/news/">') == (said, key, None)


def test_canonical_to_the_home_page_is_ignored_unless_the_page_is_home():
    assert canonical("https://www.paper.com/") == ("https://www.paper.com/", None, None)
    home = canonical("https://www.paper.com/", url="https://www.paper.com")
    assert home == ("https://www.paper.com/", "https://paper.com", None)


def test_canonical_of_another_family_is_recorded_as_source_never_as_identity():
    said = "https://agency.org/tides"
    assert canonical(said) == (said, None, said)


@pytest.mark.parametrize(
    "href", ["javascript:alert(1)", "data:text/html,x", "http://", "", "ftp://x/"]
)
def test_canonical_that_is_no_web_address_is_none(href):
    assert canonical(href)[1:] == (None, None)


def test_unresolved_or_contradictory_canonicals_say_nothing():
    assert canonical("https://doi.org/10.1/x") == ("https://doi.org/10.1/x", None, None)
    two = '<link rel="canonical" href="/a"><link rel="canonical" href="/b">'
    assert read(document(two)).canonical is None
    in_body = document(body=f'<p>{STORY}</p><link rel="canonical" href="/stolen">')
    assert read(in_body).canonical is None


LD = '<script type="application/ld+json">{}</script>'
GRAPH = LD.format(
    '{"@graph":[{"@type":"WebSite"},{"@type":["NewsArticle"],'
    '"datePublished":"2024-02-29","dateModified":"2024-03-02T10:00Z"}]}'
)
LISTED = LD.format(
    '{"@type":"ItemList","itemListElement":[{"@type":"Article","datePublished":"2024-01-01"}]}'
)


@pytest.mark.parametrize(
    ("head", "published", "updated"),
    [
        ('<meta property="article:published_time" content="2026-03-01T23:30:00-05:00">', date(2026, 3, 1), None),
        ('<meta name="DC.date.issued" content="2025/1/9">', date(2025, 1, 9), None),
        ('<meta itemprop="dateModified" content="20260405">', None, date(2026, 4, 5)),
        (GRAPH, date(2024, 2, 29), date(2024, 3, 2)),
        (LISTED, None, None),
        ('<script type="application/ld+json">{broken</script>', None, None),
        ('<meta name="date" content="2026-02-30">', None, None),
    ],
)  # fmt: skip
def test_dates_are_those_the_page_declares(head, published, updated):
    got = read(document(head))
    assert (got.published, got.updated) == (published, updated)


def test_a_day_in_the_path_or_in_all_time_elements_is_the_last_resort():
    assert read(document(), url="https://paper.com/2026/05/04/tides").published == date(2026, 5, 4)
    one = f'<time datetime="2026-01-02">Jan</time><p>{STORY}</p>'
    two = one + '<time datetime="2026-01-03">Jan</time>'
    assert read(document(body=one)).published == date(2026, 1, 2)
    assert read(document(body=two)).published is None


@pytest.mark.parametrize("text", ["1 March 2026", "2026", "2026-13-01", "202603011", "", None, 7])
def test_forms_that_are_no_iso_date_are_no_date(text):
    assert read_date(text) is None


@pytest.mark.parametrize(
    ("node", "locked"),
    [
        ('{"@type":"NewsArticle","isAccessibleForFree":false}', True),
        ('{"@type":"NewsArticle","isAccessibleForFree":"False"}', True),
        ('{"@type":"Article","hasPart":{"@type":"WebPageElement","isAccessibleForFree":false}}', True),
        ('{"@type":"Article","isAccessibleForFree":true}', False),
        ('{"@type":"Museum","isAccessibleForFree":false}', False),
        ('{"@type":"ItemList","itemListElement":[{"@type":"Article","isAccessibleForFree":false}]}', False),
    ],
)  # fmt: skip
def test_paywalls_are_those_of_the_text_itself(node, locked):
    assert read(document(f'<script type="application/ld+json">{node}</script>')).paywalled is locked


def test_status_after_reading_names_walls_and_empty_pages():
    full, empty = PageText(text="words"), PageText(text="")
    walled = PageText(text="teaser", paywalled=True)
    statuses = [status_after_reading(FetchStatus.OK, page) for page in (full, empty, walled)]
    assert statuses == [FetchStatus.OK, FetchStatus.NO_TEXT, FetchStatus.PAYWALLED]
    assert status_after_reading(FetchStatus.NOT_FOUND, empty) is FetchStatus.NOT_FOUND


def test_plain_text_is_kept_as_it_is():
    got = read_page(
        b"<b> one\r\ntwo", url=URL, media_type="text/plain", charset=None, identify=identify
    )
    assert got == PageText(text="<b> one\ntwo")


HOSTILE = {
    "nested div": "<div>" * 20_000 + "x" + "</div>" * 20_000,
    "nested b": "<p>" + "<b>" * 200_000 + "hello",
    "attributes": "<p " + " ".join(f"a{n}=1" for n in range(200_000)) + ">hello",
    "many attributes": ("<p " + " ".join(f"a{n}=1" for n in range(1000)) + ">hello ") * 400,
    "elements": "<div><a href='/x'>l</a> <i>t</i></div>" * 60_000,
    "breaks": "<p>" + "a<br>" * 300_000,
    "open quotes": '<a "' * 500_000,
    "open scripts": "<script>" * 300_000,
    "open comments": "<!--" * 500_000,
    "angle brackets": "<" * 1_000_000,
    "deep json": "<script type='application/ld+json'>" + "[" * 500_000 + "</script>",
    "nothing": "",
}  # fmt: skip


@pytest.mark.parametrize("kind", sorted(HOSTILE))
def test_hostile_markup_is_read_or_refused_in_time(kind):
    body = f"<html><body>{HOSTILE[kind]}"
    started = time.process_time()
    got = read(body)
    assert time.process_time() - started < 5.0
    assert got.page_key is None


def test_text_survives_long_tags_and_big_trees():
    long_tag = f'<p><img src="data:image/png;base64,{"A" * 50_000}">{STORY}</p>'
    assert "two surveyors" in read(document(body=long_tag)).text
    big = "".join(f"<p>Row {n} of the table.</p>" for n in range(25_000))
    assert read(document(body=big)).text.startswith("Row 0 of the table.\nRow 1 of the table.\n")


def test_the_guards_hold_with_the_real_identity_rules():
    real = partial(read_page, media_type="text/html", charset=None, identify=urls.identify)
    link = '<link rel="canonical" href="{}">'
    amp = "https://amp.theguardian.com/world/2026/tides"
    own = document(link.format("https://www.theguardian.com/world/2026/tides"))
    other = document(link.format("https://www.bbc.co.uk/news/tides"))
    home = document(link.format("https://www.theguardian.com/"))
    got = [real(html.encode(), url=amp) for html in (own, other, home)]
    key = urls.identify("https://www.theguardian.com/world/2026/tides").page_key
    assert [page.page_key for page in got] == [key, None, None]
    assert [page.syndicated_from for page in got] == [
        None,
        "https://www.bbc.co.uk/news/tides",
        None,
    ]
