"""Pages, fetches and groups of copies: one row per page, the newest fetch and set count."""

from datetime import date, timedelta

import pytest

from monitor.domain.page import Copy, Fetched, FetchStatus, PageText
from monitor.errors import StoreError
from monitor.store import evidence, pages
from monitor.store.pages import EvidenceGroup, Page


@pytest.fixture
def c(database, run):
    with database.write() as connection:
        yield connection


def fetched(at, **changes):
    fields = {
        "url": "https://a.example/1",
        "status": FetchStatus.OK,
        "http_status": 200,
        "final_url": "https://a.example/one",
        "hops": ("https://a.example/1", "https://a.example/one"),
        "media_type": "text/html",
        "charset": "utf-8",
        "fetched_at": at,
    }
    return Fetched(**(fields | changes))


ABOUT = PageText("", "Title", "https://a.example/one", "a.example/one", None,
                 date(2024, 3, 1), None, paywalled=True)  # fmt: skip


def test_page_is_one_row_however_often_it_is_seen(c, at):
    first = pages.save_page(c, "a.example/1", "https://a.example/1", "a.example", seen_at=at)
    again = pages.save_page(c, "a.example/1", "https://a.example/1?utm=x", None, seen_at=at)
    assert again == first
    assert pages.load_page(c, first) == Page("a.example/1", "https://a.example/1", "a.example")
    assert pages.load_page_id(c, "a.example/1") == first
    assert pages.load_page_id(c, "a.example/2") is None


def test_pages_with_endless_addresses_and_odd_characters_have_ids(c, at):
    keys = ["x.example/" + "é" * 5000, "y.example/\ud800", "z.example/\x00"]
    ids = pages.save_pages(c, [(key, "u", None) for key in keys], seen_at=at)
    assert list(ids) == keys
    assert len(set(ids.values())) == 3
    assert pages.load_page_id(c, "y.example/�") == ids["y.example/\ud800"]


def test_thousands_of_pages_are_saved_at_once(c, at):
    ids = pages.save_pages(c, [(f"k{n}", "u", None) for n in range(5000)], seen_at=at)
    assert len(ids) == 5000


def test_fetch_comes_back_without_its_bytes(c, run, at):
    page_id = pages.save_page(c, "a.example/1", "https://a.example/1", None, seen_at=at)
    fetch_id = pages.save_fetch(
        c, run.id, page_id, fetched(at, body=b"<html>"),
        body_sha256="b" * 64, text_sha256="t" * 64, about=ABOUT, pages_version=2,
    )  # fmt: skip
    found = pages.load_fetches(c, run.id)["a.example/1"]
    assert found.fetched == fetched(at)
    assert (found.id, found.body_sha256, found.text_sha256) == (fetch_id, "b" * 64, "t" * 64)
    assert (found.about, found.pages_version) == (ABOUT, "2")
    assert found.page_text("words").text == "words"
    kinds = [one.kind.value for one in evidence.load_run_evidence(c, run.id)]
    assert kinds == ["page", "text"]


def test_refetch_inserts_and_the_newest_counts(c, run, at):
    page_id = pages.save_page(c, "k", "u", None, seen_at=at)
    gone = fetched(at + timedelta(1), status=FetchStatus.NOT_FOUND, http_status=404, detail="gone")
    for one in (fetched(at), gone):
        pages.save_fetch(
            c, run.id, page_id, one, body_sha256=None, text_sha256=None, about=None, pages_version=1
        )
    found = pages.load_fetch(c, run.id, page_id)
    assert found.fetched == gone
    assert found.page_text("x") is None
    assert pages.load_fetches(c, run.id) == {"k": found}
    assert pages.load_fetch(c, run.id + 1, page_id) is None


def test_unknown_page_is_named(c):
    with pytest.raises(StoreError, match="no page with id 7"):
        pages.load_page(c, 7)


def test_groups_and_copies_come_back_and_a_new_set_replaces_them(c, run):
    groups = (EvidenceGroup("g1", ("b", "a"), "b"), EvidenceGroup("g2", ("c",)))
    copies = (Copy("a", "b", 0.9, 120),)
    pages.save_groups(c, run.id, groups, copies, version=1)
    assert pages.load_groups(c, run.id) == groups
    assert pages.load_copies(c, run.id) == copies
    pages.save_groups(c, run.id, [], version=2)
    assert pages.load_groups(c, run.id) == ()
    assert pages.load_copies(c, run.id) == ()
