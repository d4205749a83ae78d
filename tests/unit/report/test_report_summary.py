"""The first page: strongest first, events first, every number with its counts, never too long."""

from dataclasses import replace

import pytest

from monitor.domain.change import ChangeVerdict, Event, EventKind
from monitor.domain.score import Coverage
from monitor.report.numbers import odds
from monitor.report.page import render_report
from monitor.report.summary import LINES, SPEAKING, summary
from monitor.report.view import ReminderView
from tests.unit.report.synthetic_report import report


@pytest.fixture(scope="module")
def view():
    return report()


def with_events(view, *events):
    """The view with the same events around the answers of all engines."""
    engines = (replace(e, comparison=replace(e.comparison, events=events)) for e in view.engines)
    return replace(view, engines=tuple(engines))


def test_engines_stand_by_the_strength_of_what_is_said_of_them(view):
    order = [brief.verdict for brief in summary(view).briefs]
    places = [
        (ChangeVerdict.CHANGED, ChangeVerdict.WATCH, ChangeVerdict.NOT_COMPARABLE,
         ChangeVerdict.NO_CLEAR_CHANGE, ChangeVerdict.NOT_ENOUGH_DATA).index(ChangeVerdict(v))
        for v in order
    ]  # fmt: skip
    assert places == sorted(places)
    assert summary(view).briefs[0].engine.name == "perplexity"


def test_an_event_of_all_engines_is_told_once_and_a_rescoring_last(view):
    told = with_events(
        view, Event(EventKind.RESCORED, "1", "2", "scoring"), Event(EventKind.BASELINE, "a", "b")
    )
    made = summary(told)
    assert made.events == (
        ("All engines", "the baseline changed: a → b"),
        ("All engines", "the earlier run was scored anew: 1 → 2 (scoring)"),
    )
    assert all(brief.has_event for brief in made.briefs)


def test_a_rescoring_alone_puts_no_mark_beside_numbers(view):
    # Both sides are scored alike: nothing about the answers is another.
    told = summary(with_events(view, Event(EventKind.RESCORED, "1", "2", "scoring")))
    assert not any(brief.has_event for brief in told.briefs)


def test_events_stand_before_numbers_and_a_mark_between_them(view):
    html = render_report(view)
    first = html[html.index('<section id="summary"') : html.index('<section id="changes"')]
    assert first.index("another model answers: sonar-1 → sonar-2") < first.index("voltara.example")
    row = first[first.index("cites voltara.example far less") :]
    assert row.index('<path class="mark"') < row.index("</tr>")


def test_a_finding_names_counts_before_and_now_the_interval_and_chance_in_words(view):
    html = render_report(view)
    first = html[html.index('<section id="summary"') : html.index('<section id="changes"')]
    row = first[first.index("cites voltara.example far less") :].split("</tr>")[0]
    plain = row.replace("\u00a0", " ")
    assert "81 of 398 (20 %)" in plain
    assert "<b>12 of 346 (3.5 %)" in plain
    assert "-17.1 points" in plain
    assert "adjusted p 0.00" in plain
    assert "1 in " in plain


@pytest.mark.parametrize(
    ("adjusted", "words"),
    [(None, "not tested"), (0.0004, "under 1 in 1,000"), (0.001, "about 1 in 1,000"),
     (0.013, "about 1 in 77"), (0.05, "about 1 in 20"), (0.1, "about 1 in 10")],
)  # fmt: skip
def test_an_adjusted_p_in_words(adjusted, words):
    # 1 / 0.013 = 76.9
    assert odds(adjusted) == words


def test_many_engines_with_many_findings_stay_within_the_page():
    many = report(repeats=2)
    engine = next(e for e in many.engines if e.name == "perplexity")
    families = tuple(replace(c, verdict=ChangeVerdict.CHANGED) for c in engine.comparison.families)
    loud = replace(engine, comparison=replace(engine.comparison, families=families))
    crowd = replace(many, engines=tuple(replace(loud, name=f"e{n}") for n in range(13)))
    made = summary(crowd)
    assert sum(len(brief.told) for brief in made.briefs) <= LINES
    told = [brief for brief in made.briefs if brief.told]
    assert len(told) == SPEAKING
    assert all(brief.more == len(families) - len(brief.told) for brief in told)
    # Thirteen engines with nine findings each: nine of them are named with their count.
    assert made.also.count("(9)") == 13 - SPEAKING
    assert len(made.briefs) + made.others.count("(changed)") == 13


def test_an_engine_that_was_hardly_heard_is_a_matter_of_run_quality(view):
    engine = view.engines[0]
    thin = Coverage(60, 60, 30, 28, {"answered": 28, "no_answer/declined": 2, "timeout": 30})
    one = replace(engine, card=replace(engine.card, coverage=thin))
    brief = next(
        b
        for b in summary(replace(view, engines=(one, *view.engines[1:]))).briefs
        if b.engine.name == engine.name
    )
    assert brief.is_thin
    assert brief.heard == "28 of 60 answered, 30 timed out, 2 no answer (declined)"


def test_open_alerts_are_reminders_and_only_the_first_are_named(view):
    (line,) = summary(view).reminders
    assert line.startswith("OpenAI: cites wheelfolk.example less")
    assert line.endswith("(open since 2026-08-01)")
    old = ReminderView("openai", "x" * 70, view.alerts[0].opened_at)
    many = summary(replace(view, alerts=(old,) * 9)).reminders
    assert many[-1] == "and 6 more open alerts"
    assert len(many) == 4


def test_reminders_are_whole_sentences_as_many_as_have_room(view):
    lost = "openai no longer cites the required source rules.example/cycling/fast for p-17: " * 3
    old = ReminderView("openai", lost.strip(), view.alerts[0].opened_at)
    first, more = summary(replace(view, alerts=(old,) * 9)).reminders
    assert first == f"OpenAI: {lost.strip()} (open since 2026-08-01)"
    assert more == "and 8 more open alerts"
    endless = ReminderView("openai", "x" * 5000, view.alerts[0].opened_at)
    (one,) = summary(replace(view, alerts=(endless,))).reminders
    assert "more characters" in one
    assert len(one) < 420


def test_an_alert_of_a_hostile_engine_name_is_inert(view):
    old = ReminderView("<img src=x>", "<script>alert(1)</script>", view.alerts[0].opened_at)
    html = render_report(replace(view, alerts=(old,)))
    assert "<img src=x>" not in html
    assert "<script>alert" not in html
