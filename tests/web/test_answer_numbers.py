"""The answer page shows what the report shows: every capture of the demo, field by field."""

from dataclasses import fields, replace

import pytest

from monitor.pipeline.answer_shelf import Shelf
from monitor.pipeline.judges import shown_judge
from monitor.pipeline.one_answer import one_answer
from monitor.pipeline.reporting import build_report
from monitor.report.answer_view import RuleMove
from monitor.report.screens.answer import answer_screen
from monitor.report.screens.answer_shown import Chosen
from monitor.report.view import CaptureView
from monitor.store import runs
from tests.web.conftest import AFTER, BEFORE

NAMES = [one.name for one in fields(CaptureView) if one.name != "screenshots"]


@pytest.fixture(scope="module")
def report(demo_bench):
    """The report of the later month; it has the captures of both."""
    run = demo_bench.read(lambda c: runs.one_run(c, AFTER))
    return build_report(demo_bench, run, shown_judge(demo_bench, run))


def test_every_answer_of_the_demo_is_that_of_the_report(demo_bench, report):
    shelf = Shelf(demo_bench)
    assert {one.slot for one in report.captures} == {"2026-09", "2026-10"}
    for told in report.captures:
        shown = one_answer(shelf, told.id).view
        for name in NAMES:
            assert getattr(shown.view, name) == getattr(told, name), (told.id, name)
        assert shown.tally == report.tallies[told.id]


def test_the_demo_holds_what_makes_that_hard(demo_bench, report):
    """Redirects to pages that others cite too, copies, every support, answers that are none."""
    run = demo_bench.read(lambda c: runs.one_run(c, AFTER))
    assert Shelf(demo_bench).moved(run)
    assert any(page.copy_of for one in report.captures for page in one.pages)
    supports = {s.support.value for c in report.captures for s in c.statements if s.support}
    assert {"full", "partial", "unsupported", "not_assessable"} <= supports
    assert {"answered", "no_answer/declined"} <= {one.outcome for one in report.captures}


def test_looking_at_answers_asks_nobody_and_writes_nothing(demo_bench, report, monkeypatch):
    monkeypatch.setattr(type(demo_bench.writer), "submit", lambda *_: pytest.fail("written"))
    monkeypatch.setattr("monitor.pipeline.judges.free_judge", lambda *_: pytest.fail("judged"))
    assert one_answer(demo_bench, report.captures[0].id).view.view.statements


async def test_the_twin_tells_the_same_counts(client, report):
    told = next(one for one in report.captures if one.slot == "2026-10" and one.statements)
    shown = (await client.get(f"/api/v1/captures/{told.id}")).json()
    tally = report.tallies[told.id]
    assert {one["name"] for one in shown["numbers"]} == set(tally.measures)
    rates = {one["name"]: one["number"] for one in shown["numbers"]}
    recall = tally.measures["citation_recall"]
    assert (rates["citation_recall"]["hits"], rates["citation_recall"]["total"]) == (
        recall.hits,
        recall.total,
    )
    supports = [s.support.value if s.support else "none" for s in told.statements]
    assert [one["shape"] for one in shown["statements"]] == supports
    assert shown["run"] == AFTER


def test_an_answer_of_the_month_before_is_held_against_what_it_was_scored_with(demo_bench, report):
    earlier = next(one for one in report.captures if one.slot == "2026-09" and one.claims)
    shown = one_answer(demo_bench, earlier.id).view
    assert shown.run == BEFORE
    assert shown.baseline is not None
    assert f"baseline:{shown.baseline}|" in shown.signature
    assert replace(earlier, screenshots=()) == shown.view


def ruled(bench, **changes):
    """The bench under other scoring settings than its runs were scored by."""
    scoring = bench.settings.scoring.model_copy(update=changes)
    return replace(bench, settings=bench.settings.model_copy(update={"scoring": scoring}))


def test_an_answer_counted_under_other_rules_than_it_shows_says_so(demo_bench, report):
    told = report.captures[0]
    same = one_answer(demo_bench, told.id).view
    assert same.moves == ()
    later = one_answer(ruled(demo_bench, partial="none"), told.id).view
    assert later.moves == (RuleMove("partial", "half", "none"),)
    (note,) = set(notes(later)) - set(notes(same))
    assert "(partial half, now none): `monitor rescore run:sandbox:2026-10`" in note


def notes(one):
    return answer_screen(one, Chosen(), ()).notes
