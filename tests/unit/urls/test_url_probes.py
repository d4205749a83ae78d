"""URL probes and bug reports of comparable projects, each as the behaviour to get right.

Synthetic rows: example hosts stand for the reported ones.
"""

import pytest

from monitor.domain.source import UrlFlag
from monitor.urls import identify

SHOP = "https://shop.example/a"


@pytest.mark.parametrize(
    ("urls", "sources"),
    [
        pytest.param(["/p", "/p#:~:text=foo"], 1, id="text directive"),
        pytest.param(["/item?id=1", "/item?id=2"], 2, id="page identifier"),
        pytest.param(["/viewtopic.php?t=9", "/viewtopic.php?t=8"], 2, id="topic identifier"),
        pytest.param(["/a?utm_source=openai", "/a?utm_source=chatgpt.com", "/a"], 1, id="engine tag"),
        pytest.param(["/a?fbclid=1&b=2&a=1", "/a?a=1&b=2"], 1, id="click identifier and order"),
        pytest.param(["/wiki/AIDS", "/wiki/Aids"], 2, id="case of a path"),
        pytest.param(["/a#x", "/a#"], 1, id="empty fragment"),
    ],
)  # fmt: skip
def test_pages_of_one_host_are_told_apart_by_what_selects_them(urls, sources):
    assert len({identify(f"https://shop.example{url}").page_key for url in urls}) == sources


@pytest.mark.parametrize(
    ("urls", "sources"),
    [
        pytest.param(["http://shop.example/a/", "https://www.shop.example/a"], 1, id="www"),
        pytest.param(["https://m.shop.example/a", "https://shop.example/a"], 1, id="mobile"),
        pytest.param(["https://shop.example:443/a", "https://shop.example./a"], 1, id="port and dot"),
        pytest.param(["https://münchen.example/", "https://xn--mnchen-3ya.example/"], 1, id="IDN"),
        pytest.param(["https://youtube.com/watch?v=AAA&utm_source=openai", "https://youtu.be/AAA"], 1, id="one video"),
        pytest.param(["https://youtube.com/watch?v=AAA", "https://youtube.com/watch?v=BBB"], 2, id="two videos"),
        pytest.param(["https://youtu.be/AbCdEf", "https://youtu.be/abcdef"], 2, id="case of a video"),
        pytest.param(["https://youtube.com/playlist?list=PL1", "https://youtube.com/playlist?list=PL2"], 2, id="lists"),
    ],
)  # fmt: skip
def test_addresses_of_one_page_count_once(urls, sources):
    assert len({identify(url).page_key for url in urls}) == sources


def test_one_page_in_four_forms_is_one_source_with_four_raw_citations():
    forms = [
        "http://www.shop.example/a",
        f"{SHOP}/",
        f"{SHOP}?utm_source=openai",
        f"{SHOP}#:~:text=x",
    ]
    identities = [identify(form) for form in forms]
    assert {(identity.page_key, identity.family) for identity in identities} == {
        (SHOP, "shop.example")
    }
    assert [identity.raw for identity in identities] == forms


@pytest.mark.parametrize(
    "url",
    [
        f"https://www.google.com/url?q={SHOP}",
        "https://shop-example.cdn.ampproject.org/c/s/shop.example/a",
        f"https://web.archive.org/web/2024/{SHOP}",
    ],
)
def test_a_wrapper_is_never_the_source(url):
    identity = identify(url)
    assert (identity.page_key, identity.clean_url, identity.family) == (SHOP, SHOP, "shop.example")


def test_an_archived_page_is_flagged_as_archive():
    assert UrlFlag.ARCHIVE in identify(f"https://web.archive.org/web/2024/{SHOP}").flags


def test_a_grounding_redirect_is_never_a_domain():
    identity = identify("https://vertexaisearch.cloud.google.com/grounding-api-redirect/X")
    assert (identity.family, identity.flags) == (None, (UrlFlag.UNRESOLVED,))


@pytest.mark.parametrize(
    ("url", "family"),
    [
        ("https://shop.example.co.uk/", "example.co.uk"),
        ("https://one.github.io/", "one.github.io"),
        ("https://two.github.io/", "two.github.io"),
    ],
)
def test_tenants_are_their_own_publishers(url, family):
    assert identify(url).family == family


def test_a_link_without_scheme_is_repaired_and_flagged():
    identity = identify("www.shop.example/a")
    assert (identity.page_key, identity.flags) == (SHOP, (UrlFlag.REPAIRED,))


def test_a_parenthesis_of_a_title_survives_markdown():
    text = "[x](https://en.wikipedia.org/wiki/Mercury_(planet))"
    assert identify(text, prose=True).page_key == "https://en.wikipedia.org/wiki/Mercury_(planet)"
