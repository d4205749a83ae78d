"""Families and units: who publishes a page, and which part of the publisher. Synthetic rows."""

import tomllib
from importlib.resources import files

import pytest

from monitor.domain.source import UrlFlag
from monitor.errors import ConfigError
from monitor.urls import FAMILIES_VERSION, family_map, identify


@pytest.mark.parametrize(
    ("url", "family"),
    [
        ("https://shop.example.co.uk/", "example.co.uk"), ("https://tenant.github.io/x", "tenant.github.io"),
        ("https://app.vercel.app/", "app.vercel.app"), ("https://b.s3.amazonaws.com/r.pdf", "b.s3.amazonaws.com"),
        ("https://me.substack.com/p/a", "me.substack.com"), ("https://www.substack.com/", "substack.com"),
        ("https://old.me.wordpress.com/", "me.wordpress.com"), ("https://youtu.be/abc", "youtube.com"),
        ("https://i.redd.it/a.png", "reddit.com"), ("https://twitter.com/a", "x.com"), ("https://www.bbc.co.uk/news", "bbc.com"),
        ("https://www.amazon.co.jp/", "amazon.com"), ("https://www.google.com.au/", "google.com"),
        ("https://docs.google.com/x", "google.com"), ("https://google.dev/", "google.dev"), ("https://amazon.dev/", "amazon.dev"),
        ("https://mirror.xyz/", "mirror.xyz"), ("https://mirror.co.uk/", "mirror.co.uk"), ("https://www.gov.uk/a", "www.gov.uk"),
        ("http://192.0.2.1/", "192.0.2.1"), ("http://[2001:db8::1]/", "[2001:db8::1]"), ("https://github.io/", "github.io"),
        ("https://web.archive.org/web/2024/https://shop.example/a", "shop.example"), ("https://m.shop.example/a", "shop.example"),
    ],
)  # fmt: skip
def test_a_page_belongs_to_its_publisher(url, family):
    assert identify(url).family == family


@pytest.mark.parametrize(
    ("url", "unit"),
    [
        ("https://www.youtube.com/@Name/videos", "youtube.com/@name"), ("https://www.youtube.com/channel/UCaB", "youtube.com/channel/UCaB"),
        ("https://www.youtube.com/watch?v=a", None), ("https://old.reddit.com/r/Python/", "reddit.com/r/python"),
        ("https://github.com/ORG/Repo", "github.com/org"), ("https://github.com/topics/x", None),
        ("https://gist.github.com/Me/0ab1", "github.com/me"), ("https://raw.githubusercontent.com/O/r/main/a", "github.com/o"),
        ("https://gitlab.com/Group/x", "gitlab.com/group"), ("https://medium.com/@jane.doe/x-1", "medium.com/@jane.doe"),
        ("https://jane.medium.com/x-1", "jane.medium.com"), ("https://medium.com/p/0a1b", None), ("https://x.com/NASA", "x.com/nasa"),
        ("https://x.com/search?q=a", None), ("https://uk.linkedin.com/company/Acme", "linkedin.com/company/acme"),
        ("https://www.facebook.com/groups/Cats/posts/1", "facebook.com/groups/cats"), ("https://www.facebook.com/watch?v=1", None),
        ("https://math.stackexchange.com/q/1", "math.stackexchange.com"), ("https://stackoverflow.com/q/1", None),
        ("https://doi.org/10.1000/x", "doi:10.1000"), ("https://shop.example/@name", None),
    ],
)  # fmt: skip
def test_a_unit_is_named_only_where_the_address_names_it(url, unit):
    assert identify(url).unit == unit


def test_every_alias_has_a_reason_and_the_table_stays_small():
    table = tomllib.loads(files("monitor.urls").joinpath("families.toml").read_text())
    assert len(table["alias"]) <= 60
    assert [row["host"] for row in table["alias"] if not row["reason"]] == []


OVERRIDES = family_map(
    {
        "acme.example": "Acme",
        "*.acme.example": {"family": "Acme sites", "unit": "sites"},
        "shop.acme.example/uk": "Acme UK",
        "www.bücher.example": "Books",
        "t.co": "X links",
    }
)


@pytest.mark.parametrize(
    ("url", "family", "unit"),
    [
        ("https://www.acme.example/a", "Acme", None),
        ("https://docs.acme.example/a", "Acme sites", "sites"),
        ("https://shop.acme.example/UK/tea", "Acme UK", None),
        ("https://shop.acme.example/ukraine", "Acme sites", "sites"),
        ("https://xn--bcher-kva.example/", "Books", None),
        ("https://t.co/abc", "X links", None),
    ],
)
def test_a_users_own_map_comes_first(url, family, unit):
    identity = identify(url, families=OVERRIDES)
    assert (identity.family, identity.unit) == (family, unit)
    assert UrlFlag.OVERRIDE in identity.flags
    assert UrlFlag.UNRESOLVED not in identity.flags


def test_hosts_outside_the_map_are_untouched():
    identity = identify("https://notacme.example/", families=OVERRIDES)
    assert (identity.family, identity.flags) == ("notacme.example", ())


def test_a_map_never_changes_the_page():
    url = "https://docs.acme.example/a?utm_source=x"
    assert identify(url, families=OVERRIDES).page_key == identify(url).page_key


def test_the_version_of_a_map_depends_on_its_rows_not_on_their_order():
    one = family_map({"a.example": "A", "b.example": "B"})
    assert one.version == family_map({"b.example": "B", "a.example": "A"}).version
    assert one.version != family_map({"a.example": "A", "b.example": "C"}).version
    assert one.version.startswith(f"{FAMILIES_VERSION}+")


def test_an_empty_map_has_the_version_of_the_shipped_tables():
    assert family_map({}).version == str(FAMILIES_VERSION)


@pytest.mark.parametrize("pattern", ["", "*.", "/path", "https://a.example", "a.*.example"])
def test_a_pattern_that_is_no_host_is_refused(pattern):
    with pytest.raises(ConfigError, match=r"expected 'acme\.com'"):
        family_map({pattern: "A"})


def test_a_label_without_family_is_refused():
    with pytest.raises(ConfigError, match="expected family"):
        family_map({"a.example": {"unit": "x"}})
