"""Plain words: pictures, notes and signatures say what they are."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

import monitor.report
from monitor.domain.score import Rate
from monitor.report.evidence import capture_cards
from monitor.report.page import render_report
from monitor.report.rows import engine_rows
from monitor.report.words import month, plural, reasons_words
from tests.unit.report.synthetic_report import JPEG, report, with_capture

CALENDAR = "Slots name months of the sandbox's calendar"


@pytest.fixture(scope="module")
def view():
    return report(prompt_count=3, engines=("openai", "sandbox_chat"), repeats=1)


@pytest.fixture(scope="module")
def shot(view):
    return next(c for c in view.captures if c.screenshots).screenshots[0]


def test_one_picture_of_window_and_whole_page_is_shown_once(view, shot):
    both = (replace(shot, kind="viewport"), replace(shot, kind="full"))
    (picture,) = capture_cards(with_capture(view, screenshots=both))[0].pictures
    assert picture.words == "the window and the whole page"
    assert len(picture.views) == 2


def test_pictures_of_different_bytes_stand_apart(view, shot):
    both = (replace(shot, kind="panel"), replace(shot, sha256="cd" * 32, jpeg=JPEG + b"x"))
    pictures = capture_cards(with_capture(view, screenshots=both))[0].pictures
    assert [p.words for p in pictures] == ["the opened source panel", "answer card"]


def test_a_picture_within_the_page_is_not_loaded_lazily(view, shot):
    html = render_report(with_capture(view, screenshots=(shot,)))
    assert 'decoding="async"' in html
    assert "loading=" not in html


def test_every_comparison_shows_its_seed(view):
    html = render_report(view)
    for engine in view.engines:
        comparison = engine.comparison
        line = f"before:{comparison.before_id}|after:{comparison.after_id}"
        assert html.count(line) >= 2
        assert f"|seed:{comparison.seed}</code>" in html


def test_slots_of_a_made_up_calendar_are_explained(view):
    assert CALENDAR not in render_report(view)
    later = with_capture(view, asked_at=datetime(2026, 11, 30, tzinfo=UTC))
    assert CALENDAR in render_report(later)
    assert CALENDAR not in render_report(replace(later, fictional=False))


def test_counts_of_parts_have_one_decimal_in_sentences_too():
    assert plural(79.5708, "citation") == "79.6 citations"
    assert (plural(1.0, "page"), plural(1_234_567, "page")) == ("1 page", "1234567 pages")
    assert reasons_words({"beside": 112.858, "over": 2.0}) == "beside (112.9), over (2)"


@pytest.mark.parametrize(
    ("slot", "named"),
    [("2026-10", "2026-10"), ("2026-10-01T06:00", "2026-10"), ("import:ab", None)],
)
def test_a_dated_slot_names_a_month(slot, named):
    assert month(slot) == named


def test_a_row_of_which_nothing_was_assessed_has_no_count_of_nothing(view):
    capture = view.captures[0]
    tally = view.tallies[capture.id]
    measures = dict(tally.measures) | {"source_precision": Rate(0, 0, {"ungraded": 2})}
    changed = replace(
        view, tallies=dict(view.tallies) | {capture.id: replace(tally, measures=measures)}
    )
    section = next(s for s in engine_rows(changed)[0].measures if "source_precision" in s.anchor)
    assert section.lines[0].now[0].text == "2 not assessable"


def test_a_chart_fits_the_width_it_is_given():
    style = (Path(monitor.report.__file__).parent / "templates" / "report.css").read_text("utf-8")
    assert ".chart svg{display:block;width:100%" in style
    assert "overflow-x" not in style
