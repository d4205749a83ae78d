"""One engine, seen in a browser and handed in in the same month: no number ever holds both."""

from dataclasses import replace

import pytest

from monitor.domain.engine import Access, EngineSettings
from monitor.errors import StoreError
from monitor.pipeline.alarming import run_checkup, take_stock
from monitor.pipeline.comparing import compare_runs, earlier_runs, previous_run, weigh
from monitor.pipeline.examining import Examiner
from monitor.pipeline.relations import bounded_recalls, overlaps, shared_sources
from monitor.pipeline.reporting import build_report
from monitor.pipeline.sides import choose_sides, pin_reference
from monitor.pipeline.slots import refuse_overlap
from monitor.pipeline.tallying import score_run
from monitor.pipeline.trending import trends
from monitor.scoring.signature import parse_signature
from monitor.store import panels, runs
from monitor.store.runs import PlannedEngine, RunState
from monitor.web.health import Health
from monitor.web.metrics import exposition
from tests.edges.importing import FIRST, PANEL, handed_in, kept_in
from tests.stored import MADE_AT, NO_CAPS, WordJudge, bench_in, keep_answers, planned
from tests.unit.engines.chat_pages import pill
from tests.unit.imports import handed

JUDGE = WordJudge()
ALPHA, BETA = handed.ALPHA, handed.BETA


@pytest.fixture
def bench(tmp_path, monkeypatch, empty_store):
    (tmp_path / "monitor.db").write_bytes(empty_store)
    with bench_in(tmp_path, monkeypatch) as opened:
        yield opened


def seen_in_a_browser(bench, slot, *urls, state=RunState.DONE):
    """A run that asked ChatGPT's page the first prompt; its answer cites these."""
    plan = [
        PlannedEngine("chatgpt_web", Access.BROWSER, EngineSettings(), "key", (FIRST,), repeats=1)
    ]

    def save(connection):
        panel_id = panels.save_panel(connection, PANEL, saved_at=MADE_AT)
        return runs.plan_run(connection, panel_id, slot, plan, caps=NO_CAPS, config={}, at=MADE_AT)

    run = bench.write(save)
    keep_answers(bench, run, page_citing(*urls))
    return bench.write(lambda c: runs.set_run_state(c, run.id, state, at=MADE_AT))


def page_citing(*urls):
    return handed.page("Oaks lean east." + "".join(pill(url, "page") for url in urls))


def imported(bench, tmp_path, name, *urls, state=RunState.DONE, **wanted):
    run = handed_in(bench, kept_in(tmp_path, name, page_citing(*urls)), **wanted).run
    return bench.write(lambda c: runs.set_run_state(c, run.id, state, at=MADE_AT))


@pytest.fixture
def month(bench, tmp_path):
    """The same engine in one month: two browser runs, and an import between them."""
    first = seen_in_a_browser(bench, "2026-10", ALPHA)
    between = imported(bench, tmp_path, "a.html", BETA)
    second = seen_in_a_browser(bench, "2026-11", ALPHA)
    return first, between, second


def whole(scored):
    (card,) = [one for one in scored.cards if one.segment == "all"]
    return card


def test_every_number_is_of_one_access(bench, month):
    for run, access, family in zip(
        month, ("browser", "import", "browser"), ("alpha", "beta", "alpha"), strict=True
    ):
        card = whole(score_run(bench, run, JUDGE))
        assert parse_signature(card.signature).recipe.access == access
        assert card.coverage.planned == 1
        assert [(one.family, one.rate.hits, one.rate.total) for one in card.families] == [
            (f"{family}.example", 1, 1)
        ]
        assert card.concentration.hhi == 1


def test_a_report_says_of_each_run_how_its_answers_were_obtained(bench, month):
    views = [build_report(bench, run, JUDGE) for run in month]
    told = [(one.access, one.label) for view in views for one in view.engines]
    assert [access.value for access, _ in told] == ["browser", "import", "browser"]
    assert ["import" in label for _, label in told] == [False, True, False]
    assert [view.before_run for view in views] == [None, None, month[0].public_id]


def test_no_overlap_share_or_pool_holds_both(bench, month):
    first, between, second = (score_run(bench, run, JUDGE) for run in month)
    assert [one.kind for one in overlaps(between, first)] == ["repeats"]
    assert [one.kind for one in overlaps(second, between)] == ["repeats"]
    assert [one.kind for one in overlaps(second, first)] == ["months", "repeats"]
    # Were both in one run, they would still be two pools.
    other = replace(between.assessed[0], engine="copilot_web", capture_id=99)
    mixed = replace(
        second,
        assessed=(*second.assessed, other),
        tallies={**second.tallies, 99: second.tallies[second.assessed[0].capture_id]},
        access={"chatgpt_web": Access.BROWSER, "copilot_web": Access.IMPORT},
    )
    assert [one.kind for one in overlaps(mixed, None)] == ["repeats", "repeats"]
    assert shared_sources(mixed) == ()
    assert all(one.is_alone for one in bounded_recalls(mixed))


def test_no_trend_or_run_before_is_of_another_access(bench, month):
    first, between, second = month
    for run in month:
        score_run(bench, run, JUDGE)
    assert previous_run(bench, second) == first
    assert previous_run(bench, between) is None
    assert earlier_runs(bench, second, 12) == (first,)
    assert [p.run for t in trends(bench, second) for p in t.points] == [
        first.public_id, second.public_id,
    ]  # fmt: skip
    assert [p.run for t in trends(bench, between) for p in t.points] == [between.public_id]


def test_however_many_imports_lie_between_the_run_before_is_found(bench, tmp_path, monkeypatch):
    monkeypatch.setattr("monitor.store.runs._LOOKED_AT", 3)
    first = seen_in_a_browser(bench, "2026-10", ALPHA)
    for number in range(4):
        path = kept_in(tmp_path, f"{number}.html", page_citing(f"{BETA}/{number}"))
        handed_in(bench, path)
    second = seen_in_a_browser(bench, "2026-11", ALPHA)
    assert previous_run(bench, second) == first


def test_a_comparison_of_both_is_refused_and_names_the_access(bench, month):
    first, between, _ = month
    (compared,) = weigh(bench, (first,), between, JUDGE).comparisons.values()
    assert "recipe differs in access" in compared.gates.failures
    assert not compared.is_comparable
    assert (compared.families, compared.measures, compared.concentration) == ((), (), None)
    assert (compared.overlap, compared.stability) == (None, None)
    whole_runs = compare_runs(bench, first, between, JUDGE)
    assert all("access" in " ".join(c.gates.failures) for c in whole_runs.comparisons.values())


def test_two_imports_are_compared_with_each_other(bench, tmp_path):
    one = imported(bench, tmp_path, "a.html", ALPHA)
    two = imported(bench, tmp_path, "b.html", BETA)
    sides = choose_sides(bench, one.public_id, two.public_id)
    assert sides == ((one,), two)
    (compared,) = weigh(bench, *sides, JUDGE).comparisons.values()
    assert not any("access" in failure for failure in compared.gates.failures)
    assert choose_sides(bench, one.public_id, None) == ((one,), two)


def test_no_word_for_a_run_before_leads_to_an_import(bench, month):
    first, between, second = month
    assert choose_sides(bench, "previous", None) == ((first,), second)
    assert choose_sides(bench, "pooled", None) == ((first,), second)
    assert choose_sides(bench, first.public_id, None) == ((first,), second)
    for word in ("previous", "pooled", "reference"):
        with pytest.raises(StoreError, match="no run comes before it by itself"):
            choose_sides(bench, word, between.public_id)
    with pytest.raises(StoreError, match="was handed in and is no baseline"):
        pin_reference(bench, between)


async def test_an_import_raises_no_alarm_and_is_none_to_others(bench, tmp_path, month):
    _, between, second = month
    for run in month:
        await take_stock(bench, run)
    assert run_checkup(bench, between).alarms == ()
    seen = Examiner(bench).look()
    assert {panel: one.run for panel, one in seen.newest.items()} == {"trees": second}
    last = imported(bench, tmp_path, "later.html", ALPHA)
    seen = Examiner(bench).look()
    assert seen.runs[0].run.id == last.id
    assert seen.newest["trees"].run == second
    assert all(at == second.finished_at for at in seen.successes.values())


def test_an_import_at_work_stands_in_no_runs_way(bench, tmp_path):
    path = kept_in(tmp_path, "a.html", page_citing(ALPHA))
    handed_in(bench, path)
    run = seen_in_a_browser(bench, "2026-12", ALPHA, state=RunState.RUNNING)
    bench.read(lambda c: refuse_overlap(c, replace(run, state=RunState.PLANNED)))


def test_no_run_that_asks_engines_takes_the_slot_of_an_import(bench):
    with pytest.raises(StoreError, match="are of `monitor import`"):
        planned(bench, slot="import:abc")


def test_metrics_count_imports_apart(bench, month):
    assert len(month) == 3
    told = exposition(Health(Examiner(bench).look())).decode()
    assert 'monitor_captures{engine="chatgpt_web",outcome="answered"} 2.0' in told
    assert 'monitor_captures_planned{engine="chatgpt_web"} 2.0' in told
    assert 'monitor_captures_imported{engine="chatgpt_web"} 1.0' in told
