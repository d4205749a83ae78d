"""What a page tells crawlers in headers and markup, and which of its text is there; synthetic."""

import pytest

from monitor.domain.eligibility import Place, Rendering
from monitor.domain.page import Fetched, FetchStatus
from monitor.pages.eligibility import read_source, with_rendered
from monitor.pages.eligibility_text import is_in, runs_of, sent_share
from monitor.urls import identify

URL = "https://www.oak-review.com/trees/oaks"
TOKENS = ("Googlebot", "OAI-SearchBot")
TEXT = "Oaks grow slowly. They make deep roots first, and a crown of leaves comes years later. "


LOCKED = (
    '<script type="application/ld+json">'
    '{{"@type": "{}", "isAccessibleForFree": "False"}}</script>'
)  # fmt: skip


def read(body, *, headers=(), media_type="text/html", url=URL):
    fetched = Fetched(
        URL, FetchStatus.OK, 200, url, (URL, url), media_type, "utf-8", body.encode(),
        headers=tuple(headers),
    )  # fmt: skip
    return read_source(fetched, identify=identify, tokens=TOKENS)


def page(head="", text=TEXT * 3, body=""):
    return f"<html><head>{head}</head><body><article><p>{text}</p></article>{body}</body></html>"


def said(source):
    return [(d.agent, d.name, d.value) for d in source.facts.directives]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("noindex", [("*", "noindex", None)]),
        ("NoIndex, NOFOLLOW", [("*", "noindex", None), ("*", "nofollow", None)]),
        ("googlebot: noindex, nofollow",
         [("googlebot", "noindex", None), ("googlebot", "nofollow", None)]),
        ("bingbot: none, googlebot: nosnippet",
         [("bingbot", "none", None), ("googlebot", "nosnippet", None)]),
        ("max-snippet:20, max-image-preview: large",
         [("*", "max-snippet", "20"), ("*", "max-image-preview", "large")]),
        ("OAI-SearchBot: max-snippet: 0", [("oai-searchbot", "max-snippet", "0")]),
        # A date has colons, and the long form a comma; what follows is still for everybody.
        ("unavailable_after: Sunday, 25-Jun-30 15:00:00 GMT, noindex",
         [("*", "unavailable_after", "Sunday"), ("*", "noindex", None)]),
        ("noai, noimageai, whatever", [("*", "noai", None), ("*", "noimageai", None)]),
        ("", []),
        (":,:,,", []),
        ("noindexed", []),
    ],
)  # fmt: skip
def test_a_header_says_whom_it_means(value, expected):
    source = read(page(), headers=[("x-robots-tag", value)])
    assert said(source) == expected
    assert all(d.place is Place.HEADER for d in source.facts.directives)


def test_several_headers_add_up_and_others_are_not_read():
    rows = [("x-robots-tag", "googlebot: noindex"), ("x-robots-tag", "nosnippet"), ("link", "none")]
    assert said(read(page(), headers=rows)) == [
        ("googlebot", "noindex", None), ("*", "nosnippet", None),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("meta", "expected"),
    [
        ('<meta name="robots" content="noindex,max-snippet:0">',
         [("*", "noindex", None), ("*", "max-snippet", "0")]),
        ('<META NAME="Googlebot" CONTENT="NOSNIPPET">', [("googlebot", "nosnippet", None)]),
        ('<meta name="oai-searchbot" content="noindex">', [("oai-searchbot", "noindex", None)]),
        ('<meta name="otherbot" content="noindex">', []),
        ('<meta property="robots" content="noindex">', []),
        ('<meta name="robots">', []),
        ('<!-- <meta name="robots" content="noindex"> -->', []),
        ('<meta name="robots" content="all">', [("*", "all", None)]),
    ],
)  # fmt: skip
def test_a_meta_element_says_whom_it_means(meta, expected):
    source = read(page(meta))
    assert said(source) == expected
    assert all(d.place is Place.META for d in source.facts.directives)


@pytest.mark.parametrize(
    ("head", "headers", "expected"),
    [
        ("", [], None),
        (f'<link rel="canonical" href="{URL}?utm_source=x">', [], None),
        ('<link rel="canonical" href="/trees/all-oaks">', [],
         "https://www.oak-review.com/trees/all-oaks"),
        # Another publisher's page: the text is a copy of it, by its own words.
        ('<link rel="canonical" href="https://www.elm-review.com/a">', [],
         "https://www.elm-review.com/a"),
        # A home page is no canonical of an article, nor is one of two.
        ('<link rel="canonical" href="/">', [], None),
        ('<link rel="canonical" href="/b"><link rel="canonical" href="/c">', [], None),
        ("", [("link", '</trees/b>; rel="canonical"')], "https://www.oak-review.com/trees/b"),
        ("", [("link", '</x.css>; rel=preload, </trees/b>; type="a"; rel="next"')], None),
        ("", [("link", "<javascript:x>; rel=canonical")], None),
        ("", [("link", "<" * 4000)], None),
    ],
)  # fmt: skip
def test_a_canonical_elsewhere_is_told_where_the_guards_believe_it(head, headers, expected):
    assert read(page(head), headers=headers).facts.canonical == expected


@pytest.mark.parametrize(
    ("head", "paywalls"),
    [
        ("", ()),
        ('<meta property="article:content_tier" content="Locked">',
         ("article:content_tier=locked",)),
        ('<meta property="article:content_tier" content="free">', ()),
        (LOCKED.format("NewsArticle"), ("isAccessibleForFree=false",)),
        (LOCKED.format("Museum"), ()),
    ],
)  # fmt: skip
def test_a_paywall_is_what_the_page_declares(head, paywalls):
    source = read(page(head))
    assert source.facts.paywalls == paywalls
    assert source.status is (FetchStatus.PAYWALLED if paywalls else FetchStatus.OK)


def test_a_name_like_a_wall_is_a_hint_and_decides_nothing():
    source = read(page(body='<div class="site-paywall modal">Join</div><p id="wallpaper">x</p>'))
    assert source.facts.paywall_hints == ("class=site-paywall modal",)
    assert (source.facts.paywalls, source.status) == ((), FetchStatus.OK)


def test_the_share_of_text_that_no_snippet_may_show_is_counted_in_words():
    open_words = "One two three four five six seven eight nine ten eleven twelve thirteen. " * 3
    shut = "Red orange yellow green blue indigo violet black white grey brown pink gold."
    body = f"<div data-nosnippet><p>{shut}</p><span data-nosnippet>{shut}</span></div>"
    text = f"<html><body><article><p>{open_words}</p>{body}</article></body></html>"
    source = read(text)
    # 39 open words, and 26 in the area: the inner one is part of it and counts once.
    assert source.facts.words == 65
    assert source.facts.nosnippet_share == pytest.approx(26 / 65)
    assert read(page()).facts.nosnippet_share == 0
    ignored = f"<html><body><article><p data-nosnippet>{open_words}</p></article></body></html>"
    assert read(ignored).facts.nosnippet_share == 0


def test_a_plain_text_has_no_scripts_and_a_page_without_text_has_no_share():
    plain = read(TEXT, media_type="text/plain")
    assert (plain.markup, plain.facts.rendering) == (None, Rendering.NO_SCRIPTS)
    bare = read("<html><body><div id=root></div></body></html>")
    assert (bare.status, bare.facts.words, bare.facts.nosnippet_share) == (
        FetchStatus.NO_TEXT, 0, None,
    )  # fmt: skip


def test_rendered_words_are_held_against_all_text_that_was_sent():
    shell = "<html><body><nav>Menu</nav><div id=root>Loading</div></body></html>"
    made = with_rendered(read(shell), URL, page(), identify)
    assert made.facts.sent_share == 0
    assert made.facts.rendered_words == 48
    assert "deep roots" in made.text
    whole = with_rendered(read(page()), URL, page(), identify)
    assert (whole.facts.sent_share, whole.facts.rendering) == (1, Rendering.DONE)


def test_a_share_counts_each_word_as_often_as_it_stands():
    # red twice rendered, once sent: 2 of 3 words are there.
    assert sent_share("red red blue", "blue red green") == pytest.approx(2 / 3)
    assert sent_share("", "blue") is None


def test_a_passage_is_in_a_page_where_its_runs_of_words_are():
    text = "one two three four five six seven eight nine ten"
    assert is_in("two three four five six seven", runs_of(text))
    assert not is_in("seven six five four three two", runs_of(text))
    assert is_in("Three, four!", runs_of("three four"))
    assert not is_in("", runs_of(text))
