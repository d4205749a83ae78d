"""Tracking parameters: names, scopes and values. Synthetic rows."""

import tomllib
from importlib.resources import files

import pytest

from monitor.urls import identify


@pytest.mark.parametrize(
    "query",
    [
        "utm_source=chatgpt.com", "UTM_Source=x", "utm_anything=1", "utm_source", "utm_source=", "fbclid=1", "gclid=1",
        "gad_source=1", "srsltid=1", "msclkid=1", "ttclid=1", "li_fat_id=1", "mc_cid=1", "_hsenc=1", "mkt_tok=1", "_ga=1",
        "_gl=1", "itm_source=a", "mtm_campaign=a", "pk_kwd=a", "hsa_acc=1", "vero_id=1", "yclid=1", "at_medium=rss",
        "ref=producthunt", "ref=news.shop.example", "ref=HN", "ref_src=twsrc%5Etfw", "PHPSESSID=1", "CFID=1", "CFTOKEN=2",
        "ASPSESSIONIDQQ=1", "sid=0123456789abcdef0123456789ABCDEF", "print=1", "printable=true", "spm=a.b.c",
    ],
)  # fmt: skip
def test_a_parameter_that_selects_nothing_is_no_identity(query):
    assert (
        identify(f"https://shop.example/p?id=5&{query}").page_key == "https://shop.example/p?id=5"
    )


@pytest.mark.parametrize(
    "query",
    [
        "a=utm_source", "cid=1", "mc=1", "id=1", "p=1", "t=9", "list=a", "lang=de", "page=2", "source=a", "medium=oil",
        "campaign=a", "keyword=a", "session=2024-spring", "sid=42", "s=x", "ref=main", "ref=v2", "ref=1.2", "r=a", "si=a",
        "context=a", "next=a", "feature=a", "tag=a", "igshid=1", "fbclid1=a", "m=1", "print=2", "print=poster", "amp=5",
    ],
)  # fmt: skip
def test_a_parameter_that_may_select_content_is_kept(query):
    assert identify(f"https://shop.example/p?{query}").page_key == f"https://shop.example/p?{query}"


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("https://www.instagram.com/p/C1/?igsh=x", "https://instagram.com/p/C1"),
        ("https://www.nytimes.com/a?smid=x", "https://nytimes.com/a"),
        ("https://a.substack.com/p/b?r=x", "https://a.substack.com/p/b"),
        ("https://www.amazon.co.uk/s?k=tea&ref=nb&qid=1", "https://amazon.co.uk/s?k=tea"),
        (
            "https://docs.google.com/document/d/1/edit?usp=sharing",
            "https://docs.google.com/document/d/1/edit",
        ),
        (
            "https://github.com/o/r/tree/main?ref=example.org",
            "https://github.com/o/r/tree/main?ref=example.org",
        ),
        ("https://medium.com/@a/b-1?source=rss", "https://medium.com/@a/b-1"),
    ],
)
def test_some_names_are_trackers_on_one_site_only(url, key):
    assert identify(url).page_key == key


def test_the_link_loses_trackers_but_keeps_its_rendering_and_order():
    url = "http://u:p@www.shop.example/a/?z=1&utm_source=x&print=1&a=%20&fbclid=2#part"
    assert identify(url).clean_url == "http://www.shop.example/a/?z=1&print=1&a=%20"


def test_the_link_keeps_a_route_and_loses_the_session():
    url = "https://shop.example/a;jsessionid=1/?PHPSESSID=2&x=1#!b"
    assert identify(url).clean_url == "https://shop.example/a/?x=1#!b"


def test_names_of_the_table_are_lower_case_and_unique():
    table = tomllib.loads(files("monitor.urls").joinpath("tracking.toml").read_text())
    names = table["everywhere"]["names"]
    assert len(names) == len(set(names))
    assert [name for name in names if name != name.lower()] == []


def test_no_scoped_name_repeats_a_name_that_counts_everywhere():
    table = tomllib.loads(files("monitor.urls").joinpath("tracking.toml").read_text())
    everywhere = set(table["everywhere"]["names"])
    scoped = {name for names in table["scoped"].values() for name in names}
    assert scoped & everywhere == set()
    assert {name for name in scoped if name != name.lower()} == set()
