"""Alerts of the report's own run: on the first page, against which runs, and never contradicted."""

import re
from dataclasses import replace

import pytest

from monitor.domain.alert import Alert, AlertKind, AnswerRef, Direction, Severity
from monitor.domain.change import (
    Change,
    ChangeVerdict,
    PairedTest,
    Side,
    Subject,
)
from monitor.domain.score import Interval, Rate
from monitor.report.against import against_words
from monitor.report.findings import headline, lede
from monitor.report.page import render_report
from monitor.report.summary import summary
from monitor.report.told import told_alerts
from monitor.report.view import ReminderView
from tests.unit.report.synthetic_report import BEFORE, NOW, report

RUN = f"run:synthetic:{NOW}"
MONTHS = ("run:synthetic:2026-07", "run:synthetic:2026-08", f"run:synthetic:{BEFORE}")
RISE = Change(
    Subject.FAMILY_SHARE, "leaf.example", Side(0.10, Rate(41, 410), 20), Side(0.25, Rate(100, 400), 30),
    PairedTest(0.15, 0.03, Interval(0.09, 0.21, 0.95, "t"), 0.0004, 0.004, 0.084),
    20, 141, ChangeVerdict.CHANGED, "adjusted p 0.004",
)  # fmt: skip


@pytest.fixture(scope="module")
def quiet():
    """A view of two runs between which nothing was called changed or to be watched."""
    view = report(prompt_count=20, engines=("openai", "perplexity"), repeats=1)

    def calm(change):
        return replace(change, verdict=ChangeVerdict.NO_CLEAR_CHANGE)

    def still(comparison):
        return replace(
            comparison,
            families=tuple(map(calm, comparison.families)),
            measures=tuple(map(calm, comparison.measures)),
            concentration=comparison.concentration and calm(comparison.concentration),
        )

    engines = tuple(replace(e, comparison=still(e.comparison)) for e in view.engines)
    return replace(view, engines=engines)


def drift(capture_id, before=MONTHS, kind=AlertKind.FAMILY_SHARE, **changes):
    """An alert that only pooled runs show."""
    one = Alert(
        kind, "openai", "leaf.example", Direction.UP, Severity.WARNING,
        "openai cites leaf.example more than in the 3 runs before, pooled.", "Open the answers.", before, RUN,
        change=RISE, answers=(AnswerRef(capture_id, "prompt-01", 2, RUN),), answers_in_all=9,
    )  # fmt: skip
    return replace(one, **changes)


def first_page(html):
    return html[html.index('<section id="summary"') : html.index('<section id="changes"')]


def text(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", html)).replace("\u00a0", " ")


def test_a_drift_that_only_pooled_runs_show_stands_in_headline_first_page_and_changes(quiet):
    assert headline(quiet) == "No clear change since 2026-09"
    capture = quiet.captures[0].id
    view = replace(quiet, told=(drift(capture),))
    assert headline(view) == (
        "No clear change since 2026-09, but openai cites leaf.example more than in the 3 runs "
        "before, pooled"
    )
    html = render_report(view)
    page = first_page(html)
    assert "Told as an alert of this run: 1." in page
    said = text(page)
    assert "openai cites leaf.example more than in the 3 runs before, pooled." in said
    assert "warning, against 2026-07 to 2026-09, pooled: 41 of 410 (10 %) → 100 of 400" in said
    assert "+15.0 points, 95 % interval" in said
    assert f'<a href="#capture-{capture}">prompt-01, answer 2</a>' in page
    behind = html[html.index('<h3 id="alerts"') :].split("</ol>")[0]
    assert f'href="#capture-{capture}"' in behind
    assert "and 8 more." in text(behind)


def test_a_quiet_run_that_told_nothing_says_nothing_of_alerts(quiet):
    html = render_report(quiet)
    assert "Told as" not in html
    assert 'id="alerts"' not in html


def test_a_lost_source_is_no_pooled_share_and_stands_beside_no_clear_change(quiet):
    lost = drift(
        1, kind=AlertKind.REQUIRED_LOST, change=None, entity="prompt-01: leaf.example",
        says="openai no longer cites the required source leaf.example for prompt-01.",
    )  # fmt: skip
    assert against_words(lost) == "against 2026-07 to 2026-09"
    assert headline(replace(quiet, told=(lost,))).endswith(
        ", but openai no longer cites the required source leaf.example for prompt-01 "
        "(against 2026-07 to 2026-09)"
    )


def test_an_alert_against_the_run_before_needs_no_name_of_it_in_the_headline(quiet):
    told = drift(1, before=MONTHS[2:], says=f"openai cites leaf.example more than in {MONTHS[2]}.")
    assert against_words(told) == "against 2026-09"
    assert headline(replace(quiet, told=(told,))).startswith(
        "No clear change since 2026-09, but openai cites"
    )


def test_a_run_in_doubt_is_told_and_is_no_change(quiet):
    doubt = drift(1, before=(), kind=AlertKind.RUN_QUALITY, says="61 % heard.", change=None)
    view = replace(quiet, told=(doubt,))
    assert headline(view) == "No clear change since 2026-09"
    assert "1 alert told of this run." in lede(view)
    assert told_alerts(view)[0].against == ""
    assert "61 % heard." in text(first_page(render_report(view)))


def test_an_answer_of_a_run_that_the_page_does_not_show_is_named_without_a_link(quiet):
    far = drift(1, answers=(AnswerRef(987_654, "prompt-02", 1, MONTHS[0]),))
    (told,) = told_alerts(replace(quiet, told=(far,)))
    assert told.answers == (("prompt-02, answer 1 of 2026-07", None),)
    assert "capture-987654" not in render_report(replace(quiet, told=(far,)))


def test_what_no_finding_shows_stands_first_and_all_stand_behind_the_page():
    view = report(prompt_count=20, engines=("openai", "perplexity"))
    name = next(
        c.name for c in view.engines[1].comparison.families if c.verdict is ChangeVerdict.CHANGED
    )
    known = [
        drift(1, before=(view.before_run,), engine="perplexity", entity=name, says=f"known {n}.")
        for n in range(4)
    ]
    made = replace(view, told=(*known, drift(1, says="only pooled.")))
    shown = summary(made)
    assert [one.says for one in shown.told] == ["only pooled.", "known 0.", "known 1."]
    assert shown.more_told == 2
    html = render_report(made)
    assert '<a href="#alerts">2 more</a>' in first_page(html)
    assert all(f'id="alert-{n}"' in html for n in range(1, 6))


def test_every_open_alert_of_earlier_runs_is_counted(quiet):
    old = ReminderView("openai", "something", quiet.made_at)
    page = first_page(render_report(replace(quiet, alerts=(old,) * 9)))
    assert "Still open from earlier runs, not sent again: 9." in page


def test_hostile_sentences_of_alerts_are_inert(quiet):
    html = render_report(replace(quiet, told=(drift(1, says="<script>alert(1)</script>\u202e"),)))
    assert "<script>alert" not in html
    assert "[U+202E]" in html
