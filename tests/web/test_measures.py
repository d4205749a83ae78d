"""Measures explained: one text for each, functions that are there, and a run's own counts."""

import csv
import importlib
import io
import re

import pytest

from monitor.pipeline.reporting import measure_notes
from monitor.report.screens.formulas import FORMULAS
from monitor.report.screens.formulas_beside import BESIDE
from monitor.report.screens.measures import SEED, measure_names, measures_screen
from monitor.scoring import MEASURES, alce_answer
from monitor.store import runs, scores
from tests.house import ROOT

DOCS = (ROOT / "docs" / "measures.md").read_text("utf-8")
EVERY = {**FORMULAS, **{name: one.formula for name, one in BESIDE.items()}}


def test_every_measure_has_a_formula_in_reading_order():
    assert list(FORMULAS) == list(MEASURES)


def test_every_measure_that_has_a_formula_is_in_the_documentation():
    headings = set(re.findall(r"^### .* `([a-z_]+)`$", DOCS, re.MULTILINE))
    assert headings == set(FORMULAS)


@pytest.mark.parametrize("name", EVERY)
def test_what_counts_a_measure_is_a_function_of_the_code(name):
    module, _, function = EVERY[name].function.rpartition(".")
    assert callable(getattr(importlib.import_module(module), function))


@pytest.mark.parametrize("name", EVERY)
def test_every_part_of_an_explanation_is_there(name):
    one = EVERY[name]
    assert all([one.hits, one.total, one.left_out, one.undefined, one.origin, one.example])


def test_without_a_run_everything_is_explained_and_nothing_counted():
    screen = measures_screen(None, measure_notes())
    every = [one for group in screen.groups for one in group.measures]
    assert [one.name for one in every] == list(measure_names())
    assert all(one.examples == () and one.without for one in every)


def test_the_four_statements_come_to_what_the_code_counts():
    # s1 cites page 1 (supports), s2 pages 2 (supports alone) and 3 (does not), s3 page 4 (does
    # not), s4 nothing: two of four entailed, two of four citations needed.
    supports = {((0,), "first"), ((1,), "second"), ((1, 2), "second")}
    statements = [("first", (0,)), ("second", (1, 2)), ("third", (3,)), ("fourth", ())]
    answer = alce_answer(statements, 4, lambda pages, claim: (pages, claim) in supports)
    entailed = [line.recall == "entailed" for line in SEED]
    assert [sum(entailed), len(entailed)] == [answer.supported, answer.statements]
    assert [one for one, _ in statements] == [line.statement for line in SEED]


async def test_the_counts_of_the_run_stand_in_the_formula(client, demo_bench):
    got = (await client.get("/api/v1/measures/source_precision")).json()
    run = demo_bench.read(lambda c: runs.load_run(c, got["run"]))
    cards = demo_bench.read(lambda c: scores.load_scorecards(c, run.id, segment="all"))
    rates = {card.engine: card.measures["source_precision"].rate for card in cards}
    counted = {one["engine"]: one["counted"] for one in got["measure"]["examples"]}
    # Hits and total as the scorecards keep them: all of them are whole, none is half a page.
    assert counted == {
        engine: f"{rate.hits:.0f} pages graded required, acceptable or optional / "
        f"{rate.total:.0f} pages graded = {rate.hits / rate.total:.3f}"
        for engine, rate in rates.items()
    }
    assert len(rates) > 1


async def test_every_number_leads_to_its_rows(client):
    got = (await client.get("/api/v1/measures/citation_recall")).json()
    assert all(
        one["number"]["href"].startswith(f"/runs/{got['run']}/rows?engine={one['engine']}")
        for one in got["measure"]["examples"]
    )
    page = (await client.get("/measures/citation_recall")).text
    assert "Four statements, four citations" in page
    assert "monitor.scoring.citations.citation_recall" in page


async def test_concentration_is_counted_from_the_scorecard(client):
    hhi = (await client.get("/api/v1/measures/hhi")).json()["measure"]["examples"]
    turned = (await client.get("/api/v1/measures/effective_sources")).json()["measure"]["examples"]
    for one, other in zip(hhi, turned, strict=True):
        index = float(one["counted"].rpartition(" ")[2])
        shown = re.search(r"1 / ([0-9.]+) = ([0-9.]+)$", other["counted"])
        assert float(shown[1]) == index
        # Rounded to a tenth, of an index rounded to a thousandth.
        assert float(shown[2]) == pytest.approx(1 / index, abs=0.06 + 0.0005 / index**2)


async def test_all_measures_stand_on_one_page_and_in_one_csv(client):
    page = (await client.get("/measures")).text
    assert all(f'id="{name}"' in page for name in measure_names())
    assert 'id="change"' in page
    rows = list(csv.DictReader(io.StringIO((await client.get("/api/v1/measures/table.csv")).text)))
    assert {one["measure"] for one in rows} == set(measure_names())


async def test_a_measure_that_is_none_and_a_run_that_is_none_are_not_found(client):
    got = await client.get("/measures/visibility")
    assert got.status_code == 404
    assert "citation_recall" in got.text
    assert (await client.get("/measures?run=run:no:such")).status_code == 404
    assert (await client.get(f"/measures/{'x' * 5000}")).status_code == 422
