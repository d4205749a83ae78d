"""Pages of Google's shape that were made to be slow or to break the reader; all are synthetic."""

import json

import pytest

from monitor.domain.engine import Outcome, Role
from monitor.domain.turn import Document, Form
from monitor.engines import READERS
from monitor.engines.surfaces import google_payload
from monitor.engines.surfaces.google_payload import clean_url, is_google_host, read_payload
from monitor.markup.trees import parse_html
from tests.growth import grows_in_proportion
from tests.unit.engines.google_pages import (
    A,
    B,
    again,
    card,
    chip,
    comment,
    first,
    mode,
    mode_chip,
    overview,
    read_mode,
    read_overview,
    turn,
)


def test_very_many_buttons_cost_one_pass():
    def read(many: int) -> None:
        buttons = "".join(f'<b>w. <button data-icl-uuid="u{n}"></button></b>' for n in range(many))
        one = read_overview(overview(f"<p>{buttons}</p>{first('u7', A, '1')}"))
        assert (one.layout.in_document, one.layout.shown) == (many, 1)
        assert [(c.url, c.marks) for c in one.reading.citations] == [(A, 1)]

    assert grows_in_proportion(read, 50)


def test_buttons_of_one_name_are_one_button():
    def read(many: int) -> None:
        buttons = "".join(chip("same") for _ in range(many))
        records = "".join(first("same", f"{A}/{n}", str(n)) for n in range(many))
        one = read_overview(overview(f"<p>Words.{buttons}</p>{records}"))
        assert (one.layout.in_document, one.layout.shown) == (many, 1)
        assert sum(c.marks for c in one.reading.citations) == many

    assert grows_in_proportion(read, 50)


def test_name_that_comes_in_two_turns_belongs_to_the_first():
    page = mode(
        turn("a", f"<p>One.{mode_chip('u1', total=0, flag=0)}</p>"),
        turn("b", f"<p>Two.{mode_chip('u1', total=0, flag=0)}</p>"),
        after=first("u1", A, "1") + again("u1", B, "2"),
    )
    assert [len(one.reading.citations) for one in read_mode(page)] == [2, 0]


def test_very_many_turns_cost_one_pass():
    def read(many: int) -> None:
        turns = "".join(
            turn(f"q{n}", f"<p>Words{mode_chip(f'u{n}', total=0, flag=0)}</p>") for n in range(many)
        )
        several = read_mode(mode(turns, after=first("u3", A, "1")))
        assert [len(one.reading.citations) for one in several[:5]] == [0, 0, 0, 1, 0]

    assert grows_in_proportion(read, 50)


@pytest.mark.parametrize(
    "written",
    [
        "[[" * 50_000,
        "[[" + "[" * 50_000 + "]" * 50_000,
        "[[1e999999999]]",
        f"[[{'9' * 5_000}]]",
        '[["u1","1",0,"' + "x" * 10_000,
        "|" * 1_000 + "[[nope]]",
    ],
    ids=["open", "deep", "float", "number", "cut", "words"],
)
def test_record_nobody_can_read_takes_nothing_with_it(written: str):
    page = overview(f"<p>Words.{chip('u1')}</p><!--Ab12Cd{written}-->{first('u1', A, '1')}")
    reading = read_overview(page).reading
    assert reading.outcome is Outcome.ANSWERED
    assert [c.url for c in reading.citations] == [A]


def test_huge_record_is_not_read_and_that_is_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(google_payload, "MOST_CHARACTERS", 5_000)
    big = comment(["u1", "2", 0, B, "x" * 6_000, ""])
    reading = read_overview(
        overview(f"<p>Words.{chip('u1')}</p>{big}{first('u1', A, '1')}")
    ).reading
    assert [c.url for c in reading.citations] == [A]
    assert reading.warnings == ("1 comment(s) with sources could not be read",)


def test_comments_that_only_resemble_records_are_none():
    tree = parse_html(
        '<p>x</p><!--short[["u","1",0,"https://a.example/"]]--><!--Ab12Cd nothing-->'
        '<!--Ab12Cd{"a":[["u","1",0,"https://a.example/"]]}--><!--Ab12Cd[]-->',
        full=True,
    )
    assert tree is not None
    payload = read_payload(tree)
    assert (payload.sources, payload.chips, payload.unread) == ({}, {}, 0)


@pytest.mark.parametrize(
    ("raw", "url"),
    [
        ("javascript:alert(1)", None),
        ("data:text/html,x", None),
        ("//host.example/x", "https://www.google.com//host.example/x"),
        ("http://[broken", None),
        (json.loads('"\\ud800"'), None),
        (17, None),
        ("", None),
        ("https://a.example/" + "x" * 9_000, None),
        ("/url?q=https%3A%2F%2Fa.example%2F%3Fq%3D1&sa=U", "https://a.example/?q=1"),
        ("https://www.google.co.uk/url?sa=t&url=https://a.example/", "https://a.example/"),
        ("https://www.google.com/url?q=javascript:x", "https://www.google.com/url?q=javascript:x"),
        (
            "https://a.example/url?q=https://b.example/",
            "https://a.example/url?q=https://b.example/",
        ),
        ("https://a.example/#:~:text=a%20b,c", "https://a.example/#:~:text=a%20b,c"),
    ],
)
def test_addresses_are_what_they_lead_to_or_nothing(raw: object, url: str | None):
    assert clean_url(raw) == url


def test_hosts_that_only_look_like_googles_are_not():
    hosts = (
        "google.com",
        "www.google.co.uk",
        "google.com.evil.example",
        "notgoogle.com",
        "a.google.com",
    )
    assert [is_google_host(one) for one in hosts] == [True, True, False, False, False]


@pytest.mark.parametrize("name", ["google_ai_overview_web", "google_ai_mode_web"])
@pytest.mark.parametrize(
    "body",
    [b"", b"\x00\xff<", b"<" * 50_000, b"<div " + b"a=1 " * 50_000 + b">", b"<div>" * 20_000,
     b"{}", b"<!--", b"<p data-xid='Gd7Hsc'>google"],
)  # fmt: skip
def test_whatever_bytes_come_recognition_answers(name: str, body: bytes):
    assert READERS[name].recognise(body) in {None, Form.DOM}


@pytest.mark.timeout(60)
def test_cards_in_cards_and_lists_without_end_are_bounded():
    nested = "".join(f'<div data-src-id="{n}"><a href="{A}/{n}"></a>' for n in range(200))
    flat = "".join(card(f"{B}/{n}", str(n)) for n in range(2_000))
    one = read_overview(overview("<p>Words</p>", beside=flat + nested))
    assert {c.role for c in one.reading.citations} == {Role.LISTED}
    assert len(one.reading.citations) == 2_000


def test_text_of_a_page_is_never_more_than_text():
    page = overview("<p>&lt;script&gt;alert(1)&lt;/script&gt; <script>alert(2)</script>x</p>")
    document = Document(page.encode(), Form.DOM)
    (only,) = READERS["google_ai_overview_web"].turns(document)
    assert only.reading.text == "<script>alert(1)</script> x"
