"""What a page's own markup shows; that a browser agrees is in test_shown_in_chromium.py."""

import pytest
from lxml.html import HtmlElement

from monitor.markup import matching, sheets
from monitor.markup.select import select_all
from monitor.markup.shown import shown_in
from monitor.markup.trees import parse_html
from tests.unit.markup.hidden_pages import PAGES


def parsed(markup: str) -> HtmlElement:
    tree = parse_html(markup, full=True)
    assert tree is not None
    return tree


def seen(markup: str, *names: str) -> dict[str, bool]:
    tree = parsed(markup)
    shown = shown_in(tree)
    found = {name: select_all(tree, f"#{name}") for name in names}
    return {name: any(map(shown, several[:1])) for name, several in found.items()}


@pytest.mark.parametrize("name", PAGES)
def test_markup_is_weighed_as_a_browser_weighs_it(name: str):
    markup, expected = PAGES[name]
    assert seen(f"<!doctype html><body>{markup}", *expected) == expected


def test_live_capture_is_believed_and_its_own_markup_is_not_asked():
    markup = (
        "<main data-monitor-asked><style>p{display:none}</style><p id=it>x</p>"
        "<div data-monitor-hidden><b id=it2>x</b></div></main>"
    )
    assert seen(markup, "it", "it2") == {"it": True, "it2": False}
    assert seen(markup.replace("<main", "<html"), "it", "it2") == {"it": True, "it2": False}


def test_what_a_browser_showed_inside_something_hidden_is_shown():
    markup = (
        "<main data-monitor-asked><p data-monitor-hidden id=it>x<b data-monitor-shown id=it2>x"
        "<i id=it3>x</i><u data-monitor-hidden id=it4>x</u></b></p></main>"
    )
    expected = {"it": False, "it2": True, "it3": True, "it4": False}
    assert seen(markup, *expected) == expected


def test_mark_deep_in_a_page_does_not_make_it_a_live_capture():
    assert seen("<div><p data-monitor-asked></p></div><i hidden id=it>x</i>", "it") == {"it": False}


def test_sheets_beyond_what_is_read_hide_nothing(monkeypatch: pytest.MonkeyPatch):
    markup = (
        "<style>.a{display:none}</style><style>.b{display:none}</style>"
        "<p class=a id=it>x</p><p class=b id=it2>x</p><p hidden id=it3>x</p>"
    )
    assert seen(markup, "it", "it2") == {"it": False, "it2": False}
    monkeypatch.setattr(sheets, "MOST_CHARACTERS", 20)
    assert seen(markup, "it", "it2") == {"it": False, "it2": True}
    monkeypatch.setattr(sheets, "MOST_CHARACTERS", 1_000)
    monkeypatch.setattr(sheets, "MOST_SELECTORS", 1)
    assert seen(markup, "it", "it2") == {"it": False, "it2": True}


def test_page_that_would_take_too_long_has_its_sheets_ignored(monkeypatch: pytest.MonkeyPatch):
    markup = f"<style>p{{display:none}}</style>{'<p>x</p>' * 50}<p id=it>x</p><p hidden id=it2>x"
    assert seen(markup, "it", "it2") == {"it": False, "it2": False}
    monkeypatch.setattr(matching, "MOST_STEPS", 40)
    assert seen(markup, "it", "it2") == {"it": True, "it2": False}


HOSTILE = {
    "siblings of siblings": (
        "<style>" + "b~b~b~b~i{display:none}" * 40 + "</style>" + "<b>x</b>" * 500,
        "<p><i id=it>x</i>",
    ),
    "has over and over": (
        "<style>" + "".join(f"b:has(~i.k{n}){{display:none}}" for n in range(100)) + "</style>"
        "<b>x</b>" * 600,
        "<i id=it class='" + " ".join(f"k{n}" for n in range(100)) + "'>x</i>",
    ),
    "deep": (
        "<style>" + "div div div div div div b{display:none}" * 100 + "</style>" + "<div>" * 240,
        "<i id=it>x</i>",
    ),
    "many selectors": (
        "<style>" + ",".join(f".c{n} b" for n in range(21_000)) + "{display:none}</style>",
        "<i id=it>x</i>",
    ),
    "rules in rules in rules": (
        "<style>" + "a,b,c{" * 40 + "display:none" + "}" * 40 + "</style>",
        "<i id=it>x</i>",
    ),
    "brackets": ("<style>" + "(" * 20_000 + "</style>", "<i id=it>x</i>"),
    "nots": ("<style>" + ":not(" * 5_000 + "a" + ")" * 5_000 + "{display:none}</style>",
             "<i id=it>x</i>"),
    "long attribute": (
        "<style>" + "[title*=a]{display:none}" * 500 + "</style>",
        "<i id=it title='" + "b" * 400_000 + "'>x</i>",
    ),
}  # fmt: skip


@pytest.mark.timeout(60)
@pytest.mark.parametrize("name", HOSTILE)
def test_page_made_to_be_slow_is_not(name: str):
    before, after = HOSTILE[name]
    assert seen(f"<body>{before}{after}", "it") == {"it": True}
