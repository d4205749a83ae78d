"""Parsing and hosts: what is a page address, and what one host is. Synthetic rows."""

import pytest

from monitor.domain.source import UrlFlag
from monitor.urls import identify, registrable_domain


@pytest.mark.parametrize(
    "text",
    [
        "", " ", "javascript:void(0)", "data:text/html,x", "file:///C:/x.pdf", "mailto:a@b.example",
        "press@b.example", "tel:+1555", "about:blank", "ftp://b.example/x", "ws://b.example",
        "blob:https://b.example/1", "http://", "https:///", "http://[::1", "https://exa mple.com/",
        "http://256.256.256.256/", "http://a..b.example/", "https://.b.example/", "https://b.example../",
        "https://intranet/x", "http://localhost:8000/", "localhost:8000/x", "turn0search3", "N/A", "e.g",
        "report.pdf", "Node.js", "3.14", "10.1145", "/relative", "#part", "?q=1",
        "http://" + "a" * 64 + ".example/", "\ud800", "https://b.example\udfff/",
    ],
)  # fmt: skip
def test_what_is_no_page_address_is_rejected(text):
    identity = identify(text, prose=True)
    assert (identity.page_key, identity.clean_url, identity.family) == (None, None, None)
    assert identity.flags == (UrlFlag.REJECTED,)


@pytest.mark.parametrize(
    ("raw", "key"),
    [
        ("www.shop.example/a", "https://shop.example/a"),
        ("shop.co.uk/a?x=1", "https://shop.co.uk/a?x=1"),
        ("//shop.example/a", "https://shop.example/a"),
        ("http://https://shop.example/a", "https://shop.example/a"),
        ("HTTP://WWW.Shop.Example:80/A", "https://shop.example/A"),
        ("https://shop.example:443/a", "https://shop.example/a"),
        ("http://shop.example:8080/a", "http://shop.example:8080/a"),
        ("https://user:secret@shop.example/a", "https://shop.example/a"),
        ("https://shop.example./a", "https://shop.example/a"),
        ("https://m.www.shop.example/a", "https://shop.example/a"),
        ("https://www2.shop.example/a", "https://www2.shop.example/a"),
        ("https://www.gov.uk/a", "https://www.gov.uk/a"),
        ("https://m.com/a", "https://m.com/a"),
        ("https://mobile.de/a", "https://mobile.de/a"),
        ("https://www.co.uk/", "https://www.co.uk/"),
        ("http://0x7f.1/", "https://127.0.0.1/"),
        ("http://[2001:DB8::0:1]/", "https://[2001:db8::1]/"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/"),
        ("https://XN--BCHER-KVA.example/", "https://xn--bcher-kva.example/"),
        ("bücher.example", "https://xn--bcher-kva.example/"),
        ("https://straße.example/", "https://xn--strae-oqa.example/"),
    ],
)
def test_one_host_has_one_form(raw, key):
    assert identify(raw).page_key == key


@pytest.mark.parametrize(
    ("host", "domain"),
    [
        ("a.b.shop.co.uk", "shop.co.uk"),
        ("co.uk", None),
        ("", None),
        ("tenant.github.io", "tenant.github.io"),
        ("1.2.3.4", None),
        ("[2001:db8::1]", None),
        ("a.unlisted", "a.unlisted"),
    ],
)
def test_registrable_domain_stops_at_suffixes_and_literals(host, domain):
    assert registrable_domain(host) == domain


@pytest.mark.parametrize(
    "url", ["http://10.0.0.1/x", "http://[::1]/", "https://wiki.corp.internal/", "http://a.local/"]
)
def test_addresses_off_the_public_web_are_flagged(url):
    assert UrlFlag.NON_PUBLIC in identify(url).flags


def test_a_public_address_is_not_flagged():
    assert identify("http://8.8.8.8/").flags == ()


def test_a_mobile_host_is_flagged_and_its_link_kept():
    identity = identify("https://m.shop.example/a")
    assert identity.clean_url == "https://m.shop.example/a"
    assert identity.page_key == "https://shop.example/a"
    assert identity.flags == (UrlFlag.MOBILE,)
