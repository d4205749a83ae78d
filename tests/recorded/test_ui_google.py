"""Real pages of Google against what was counted on them by hand and in a browser.

Two samples that the counts name are not on this machine: the overview in sections (4 buttons, 14
mentions, 8 addresses) and AI Mode with five turns (15, 20, 14). Their rules are tested on synthetic
pages of the same shape in tests/unit/engines.
"""

import gzip
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from monitor.domain.engine import Outcome, Reach, Reading, Role
from monitor.domain.turn import Document, Form, Turn
from monitor.engines import READERS
from monitor.markup.select import select_all
from monitor.markup.shown import shown_in
from monitor.markup.trees import decode_body, parse_html
from tests.corpora import corpora

pytestmark = pytest.mark.corpora
OVERVIEW, MODE = READERS["google_ai_overview_web"], READERS["google_ai_mode_web"]
SKY = "google/aio_sky_2026-01-20.trim.html"
BANANAS = "google/aio_bananas_2026-02-06.raw.html.gz"
CANCER = "google/sge_cancer_2025-02-06.trim.html"
CHROMIUM = Path("/usr/bin/chromium")


def sample(name: str) -> bytes:
    body = corpora(f"ui/samples/{name}").read_bytes()
    return gzip.decompress(body) if name.endswith(".gz") else body


@lru_cache(maxsize=8)
def only(name: str, reader: Any = OVERVIEW) -> Turn:
    """The one turn of a sample, read once for all tests."""
    body = sample(name)
    assert reader.recognise(body) is Form.DOM
    (turn,) = reader.turns(Document(body, Form.DOM))
    return turn


def counts(reading: Reading) -> tuple[int, int]:
    shown = reading.displayed
    return sum(one.marks for one in shown), len({one.url.partition("#:~:")[0] for one in shown})


@pytest.mark.parametrize(
    ("name", "question", "mentions"),
    [(SKY, "why is the sky blue?", 12), (BANANAS, "why are bananas yellow", 11)],
)
def test_overview_gives_the_counts_that_were_taken_by_hand(name: str, question: str, mentions: int):
    turn = only(name)
    assert (turn.layout.in_document, turn.layout.shown) == (4, 3)
    assert counts(turn.reading) == (mentions, 6)
    assert (turn.prompt, turn.language) == (question, "en")
    assert turn.reading.outcome is Outcome.ANSWERED
    assert turn.reading.hidden_citations == 0
    assert turn.layout.coverage == 1.0
    assert turn.layout.disagreements == ()


@pytest.mark.parametrize("name", [SKY, BANANAS])
def test_tray_has_no_source_that_the_buttons_have_not(name: str):
    turn = only(name)
    assert {one.role for one in turn.reading.citations} == {Role.DISPLAYED}
    for one in turn.reading.citations:
        assert one.title
        assert one.placement is not None
        assert one.placement.publisher
        assert one.placement.reach is Reach.HOVER
        assert len(one.spans) == one.marks
        assert "google.com/search" not in one.url


def test_each_passage_that_a_link_quotes_is_kept():
    urls = [one.url for one in only(SKY).reading.citations]
    assert sum("#:~:text=The%20sky%20appears%20blue" in one for one in urls) == 1


def test_text_begins_and_ends_where_the_answer_does_and_has_no_label():
    text = only(SKY).reading.text
    assert text.startswith("The sky is blue due to Rayleigh scattering, where")
    assert text.endswith("(no atmosphere to scatter light).")
    assert "View related links" not in text
    assert "nitrogen and oxygen.\n- Blue Light" in text
    assert [line[:2] for line in text.split("\n") if line].count("- ") == 6


def test_old_layout_has_three_sources_and_buttons_that_hide_theirs():
    turn = only(CANCER)
    listed = turn.reading.citations
    assert [(one.role, one.marks) for one in listed] == [(Role.LISTED, 0)] * 3
    assert all(one.title and one.snippet for one in listed)
    assert turn.reading.outcome is Outcome.ANSWERED
    assert turn.reading.hidden_citations is None
    assert turn.reading.text.startswith("According to the American Cancer Society")
    assert turn.layout.coverage == 1.0


def test_foreign_skeleton_tells_its_language_and_is_no_answer_without_citations():
    turn = only("google/aio_folsrch_fr.synthetic.html")
    assert (turn.language, turn.reading.outcome) == ("fr", Outcome.LAYOUT_UNKNOWN)


def test_formatting_of_a_turn_of_the_mode_becomes_text():
    turn = only("google/aimode_conversation_formatting.synthetic.html", MODE)
    assert (
        OVERVIEW.recognise(sample("google/aimode_conversation_formatting.synthetic.html")) is None
    )
    assert turn.prompt == "Format this response"
    assert turn.reading.citations == ()
    assert turn.reading.hidden_citations is None
    lines = [line for line in turn.reading.text.split("\n") if line]
    assert lines[:4] == [
        "### Structured answer",
        "First paragraph with bold and citations and.",
        "Line one",
        "Line two with x | y.",
    ]
    assert lines[4:6] == ["- Parent item", "- Nested item"]
    assert lines[-2:] == ["Name | Value", "A | B | 1"]
    assert "Feedback" not in turn.reading.text


def test_wall_is_a_wall_and_another_engines_error_page_is_no_page_of_google():
    turn = only("blocked/google_sorry_index_2026-06-09.html")
    assert (turn.reading.outcome, turn.reading.reason) == (Outcome.BLOCKED, "captcha")
    assert turn.reading.citations == ()
    other = sample("blocked/ddg_home_error_2026-09-20.excerpt.html")
    assert OVERVIEW.recognise(other) is None
    assert MODE.recognise(other) is None


def test_style_sheets_of_the_raw_page_alone_show_three_of_four_buttons():
    tree = parse_html(decode_body(sample(BANANAS), None), full=True)
    assert tree is not None
    shown = shown_in(tree)
    buttons = select_all(tree, "button[data-icl-uuid]")
    assert [shown(one) for one in buttons] == [True, False, True, True]


@pytest.fixture
def chromium() -> Iterator[Any]:
    driver = pytest.importorskip("playwright.sync_api")
    if not CHROMIUM.exists():
        pytest.skip("no Chromium at /usr/bin/chromium")
    with driver.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM))
        yield browser.new_page(viewport={"width": 1280, "height": 1600}, java_script_enabled=True)
        browser.close()


@pytest.mark.browser
def test_a_browser_sees_of_every_element_of_the_raw_page_what_its_sheets_tell(chromium: Any):
    chromium.route("**/*", lambda route: route.abort())
    chromium.set_content(decode_body(sample(BANANAS), None), wait_until="commit")
    chromium.wait_for_function("document.querySelectorAll('#sfooter').length == 1")
    seen = chromium.evaluate(
        """() => { const found = [];
        document.getAnimations().forEach(one => one.cancel());
        document.querySelectorAll('*').forEach((one, number) => {
          one.setAttribute('data-n', number);
          found.push(getComputedStyle(one).display === 'contents' ? null :
            one.checkVisibility({visibilityProperty: true, opacityProperty: true})); });
        return [document.documentElement.outerHTML, found]; }"""
    )
    tree = parse_html(seen[0], full=True)
    assert tree is not None
    shown = shown_in(tree)
    told = {int(one.get("data-n")): shown(one) for one in tree.iter("*") if one.get("data-n")}
    compared = {n: told[n] for n, by_browser in enumerate(seen[1]) if by_browser is not None}
    assert len(compared) > 3_000
    assert compared == {n: seen[1][n] for n in compared}
