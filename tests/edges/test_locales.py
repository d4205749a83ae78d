"""Canaries of the locale in a run: planned and paid, in no figure, and what they contradict."""

from dataclasses import replace

import pytest

from monitor.config.surfaces import LocalePart
from monitor.domain.locale import LocaleState
from monitor.domain.panel import Panel, Prompt
from monitor.pipeline.capturing import reparse_run
from monitor.pipeline.planning import make_plan
from monitor.pipeline.tallying import engine_tallies, score_run
from monitor.store import captures, citations, runs
from monitor.store.parts import EVERY
from tests.stored import WordJudge, answer, bench_in, planned

URL = "https://oaks.example/growth"
BRITISH, GERMAN = Prompt("p1", "How do oaks grow?", "en-GB"), Prompt("p2", "Und Eichen?", "de-DE")
PANEL = Panel("trees", 1, 1, "en-GB", ("openai",), (BRITISH, GERMAN))


@pytest.fixture
def bench(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as made:
        asked = LocalePart(canaries=("emergency_number", "currency"))
        yield replace(made, settings=made.settings.model_copy(update={"locale": asked}))


def keep(bench, run, answers):
    """Answers by (prompt id, locale) of a run's captures, canaries among them."""
    for one in bench.read(lambda c: captures.load_captures(c, run.id, EVERY)):
        text = answers[one.prompt.id, one.prompt.locale]
        cited = () if one.canary else (("Oaks grow slowly", URL),)
        body = bench.artifacts.put(answer(text, *cited))
        payload = captures.StoredPayload(one.id, 0, 0, body, status=200)
        bench.write(lambda c, payload=payload: captures.save_payload(c, payload))
    reparse_run(bench, run)


def answered(british_number, british_money="It depends."):
    oak = "Oaks grow slowly."
    return {
        ("canary:emergency_number", "en-GB"): british_number,
        ("canary:currency", "en-GB"): british_money,
        ("canary:emergency_number", "de-DE"): "112",
        ("canary:currency", "de-DE"): "EUR",
        ("p1", "en-GB"): oak,
        ("p2", "de-DE"): oak,
    }


def states(bench, run):
    return {
        one.prompt.id: one.locale_state
        for one in bench.read(lambda c: captures.load_captures(c, run.id))
    }


def test_canaries_are_planned_first_priced_and_in_no_figure(bench):
    plan = make_plan(PANEL, bench.settings)
    assert plan.captures == 2 + 4
    run = planned(bench, panel=PANEL)
    every = bench.read(lambda c: captures.load_captures(c, run.id, EVERY))
    assert [one.canary for one in every] == [True] * 4 + [False] * 2
    assert bench.read(lambda c: runs.load_plan(c, run.id))[0].canaries == plan.engines[0].canaries
    keep(bench, run, answered("999"))
    scored = score_run(bench, run, WordJudge())
    assert {one.prompt_id for one in engine_tallies(scored)["openai"]} == {"p1", "p2"}
    assert bench.read(lambda c: captures.coverage(c, run.id))["openai"].planned == 2
    assert set(bench.read(lambda c: citations.load_readings(c, run.id))) == {
        one.id for one in every if not one.canary
    }
    assert states(bench, run) == {"p1": LocaleState.CONFIRMED, "p2": LocaleState.CONFIRMED}


def test_what_is_contradicted_leaves_the_figures_of_its_locale_and_shows_in_its_coverage(bench):
    run = planned(bench, panel=PANEL)
    keep(bench, run, answered("911", "GBP"))
    scored = score_run(bench, run, WordJudge())
    assert [one.prompt_id for one in engine_tallies(scored)["openai"]] == ["p2"]
    assert states(bench, run) == {"p1": LocaleState.CONTRADICTED, "p2": LocaleState.CONFIRMED}
    told = bench.read(lambda c: captures.coverage(c, run.id))["openai"]
    assert (told.planned, told.attempted, told.heard, told.answered) == (2, 2, 1, 1)
    assert told.outcomes == {"answered": 1, "locale/contradicted": 1}


def test_canaries_that_say_nothing_leave_the_locale_as_requested(bench):
    run = planned(bench, panel=PANEL)
    keep(bench, run, answered("It depends."))
    scored = score_run(bench, run, WordJudge())
    assert len(engine_tallies(scored)["openai"]) == 2
    assert states(bench, run)["p1"] is LocaleState.REQUESTED


def test_numbers_counted_before_a_canary_spoke_are_counted_anew(bench):
    run = planned(bench, panel=PANEL)
    keep(bench, run, answered("It depends."))
    score_run(bench, run, WordJudge())
    again = [
        one
        for one in bench.read(lambda c: captures.load_captures(c, run.id, EVERY))
        if one.prompt.id == "canary:emergency_number" and one.prompt.locale == "en-GB"
    ]
    body = bench.artifacts.put(answer("911"))
    payload = captures.StoredPayload(again[0].id, 0, 1, body, status=200)
    bench.write(lambda c: captures.save_payload(c, payload))
    reparse_run(bench, run)
    scored = score_run(bench, run, WordJudge())
    assert [one.prompt_id for one in engine_tallies(scored)["openai"]] == ["p2"]


def test_without_canaries_nothing_is_said_of_the_locale(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch, database="plain") as bench:
        run = planned(bench, panel=PANEL)
        keep(bench, run, answered(""))
        score_run(bench, run, WordJudge())
        assert states(bench, run) == {"p1": None, "p2": None}
