"""Generic rules: one page, one key; two pages, two keys. Synthetic rows."""

import pytest

from monitor.domain.source import UrlFlag
from monitor.urls import identify

HOST = "https://shop.example"
SLUG = "how-to-pick-a-good-one"


@pytest.mark.parametrize(
    ("path", "key"),
    [
        ("", "/"), ("/a/", "/a"), ("//a///b", "/a/b"), ("/a/./b/../c", "/a/c"), ("/a/%2e%2E/b", "/b"),
        ("/a/index.html", "/a"), ("/index.php", "/"), ("/a/index.php/", "/a"), ("/a/Default.aspx", "/a"),
        ("/index.php?id=5", "/index.php?id=5"), ("/index.php?utm_source=x", "/"), ("/a/my-index.html", "/a/my-index.html"),
        ("/%7euser/caf%c3%a9", "/~user/caf%C3%A9"), ("/café", "/caf%C3%A9"), ("/a%2Fb", "/a%2Fb"), ("/100%", "/100%25"),
        ("/a%28b%29%2C%3A%40", "/a(b),:@"), ("/%41%zz", "/A%25zz"), ("/a b", "/a%20b"), ("/[x]", "/%5Bx%5D"),
        ("/%E9", "/%E9"), ("/p/https://b.example//x", "/p/https://b.example/x"), ("/A", "/A"),
        ("/a;jsessionid=1A2B?x=1", "/a?x=1"), ("/a;JSESSIONID=1/b", "/a/b"), ("/;jsessionid=1/..", "/"),
        ("/(S(4hqa0555fwsecu455xqckv45))/p.aspx", "/p.aspx"), ("/(X(1)S(4hqa0555fwsecu455xqckv45))/p.aspx", "/p.aspx"),
        ("/(4hqa0555fwsecu455xqckv45)/p.aspx", "/p.aspx"), ("/a/(b)/c", "/a/(b)/c"),
    ],
)  # fmt: skip
def test_a_path_has_one_form(path, key):
    assert identify(HOST + path).page_key == HOST + key


@pytest.mark.parametrize(
    ("query", "key"),
    [
        ("?", ""), ("?b=2&a=1", "?a=1&b=2"), ("?a=2&a=1", "?a=2&a=1"), ("?&a=1&&b=2&", "?a=1&b=2"), ("?q=&x", "?q=&x"),
        ("?12345", "?12345"), ("?a=b=c&d=%26", "?a=b=c&d=%26"), ("?q=a%20b", "?q=a+b"), ("?q=c%2b%2b", "?q=c%2B%2B"),
        ("?q=%e9", "?q=%E9"), ("?q=%C3%A9", "?q=%C3%A9"), ("?q=%41", "?q=A"), ("?amp;x=1&amp;amp;y=2", "?x=1&y=2"),
        ("?Key=1&key=2", "?Key=1&key=2"), ("?a%3Db=1", "?a%3Db=1"), ("?x=1&%75tm_source=a", "?x=1"),
    ],
)  # fmt: skip
def test_a_query_has_one_form(query, key):
    assert identify(f"{HOST}/p{query}").page_key == f"{HOST}/p{key}"


@pytest.mark.parametrize(
    ("fragment", "key"),
    [
        ("#part", "/d"), ("#", "/d"), ("#:~:text=a%20b&text=c", "/d"), ("#part:~:text=a", "/d"), ("#page=12", "/d"),
        ("#utm_source=chatgpt.com", "/d"), ("#!", "/d"), ("#/", "/d"), ("#!topic/a", "/d/#!topic/a"),
        ("#/docs/a", "/d/#/docs/a"), ("#/docs/a:~:text=b", "/d/#/docs/a"), ("#/a?utm_source=openai", "/d/#/a"),
        ("#/a?b=1&utm_source=openai", "/d/#/a?b=1"),
    ],
)  # fmt: skip
def test_only_routes_survive_of_a_fragment(fragment, key):
    assert identify(f"{HOST}/d/{fragment}").page_key == HOST + key


@pytest.mark.parametrize(
    "amp",
    [
        f"/blog/{SLUG}/amp", f"/blog/{SLUG}/amp/", f"/amp/blog/{SLUG}", f"/blog/amp/{SLUG}", f"/blog/{SLUG}.amp",
        f"/blog/{SLUG}?amp", f"/blog/{SLUG}?amp=1", f"/blog/{SLUG}/?amp=true", f"/blog/{SLUG}?outputType=amp",
        f"/blog/{SLUG}/amp.html",
    ],
)  # fmt: skip
def test_amp_forms_of_an_article_are_the_article(amp):
    identity = identify(HOST + amp)
    assert identity.page_key == f"{HOST}/blog/{SLUG}"
    assert UrlFlag.AMP in identity.flags


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("/news/story-1.amp.html", "/news/story-1.html"),
        ("/2024/01/15/rise.html/amp", "/2024/01/15/rise.html"),
        ("/platform/amp/2019/7/3/206/a-b-c", "/2019/7/3/206/a-b-c"),
        ("/2020/01/amp/markets", "/2020/01/amp/markets"),
    ],
)
def test_amp_marks_inside_a_path(url, key):
    assert identify(HOST + url).page_key == HOST + key


@pytest.mark.parametrize("page", ["/products/amp", "/amp", "/amp/docs", "/guitar.amp", "/p?amp=50"])
def test_a_page_called_amp_stays(page):
    assert identify(HOST + page).page_key == HOST + page


def test_an_amp_host_is_its_publisher():
    identity = identify(f"https://amp.shop.example/{SLUG}")
    assert (identity.page_key, identity.flags) == (f"{HOST}/{SLUG}", (UrlFlag.AMP,))
    assert identity.clean_url == f"https://amp.shop.example/{SLUG}"


def test_one_page_cited_four_ways_is_one_page():
    ways = ["http://www.ex.example/a", "https://ex.example/a/", "https://ex.example/a?utm_source=openai",
            "https://ex.example/a#:~:text=x"]  # fmt: skip
    identities = [identify(way) for way in ways]
    assert {identity.page_key for identity in identities} == {"https://ex.example/a"}
    assert [identity.raw for identity in identities] == ways
