"""Trends: levels of every run, gaps, events and other recipes, each chart with its table."""

import csv
import io

import lxml.html

from monitor.pipeline.tallying import score_run
from tests.stored import WordJudge
from tests.web.conftest import AFTER, asking
from tests.web.people import app_of
from tests.web.rooms import ELM, OAK, scored, told, told_by

LEADING = [
    "source_precision", "required_source_recall", "claim_evidence_recall",
    "claim_citation_precision",
]  # fmt: skip


async def test_leading_measures_stand_apart_an_engine_a_chart_with_a_table_of_the_same(client):
    found = (await client.get("/api/v1/trends")).json()
    assert [one["name"] for one in found["trends"]] == LEADING
    assert (found["run"], found["runs"]) == (AFTER, 2)
    tree = lxml.html.document_fromstring((await client.get("/trends")).content)
    assert len(tree.xpath("//svg[@class='pane']")) == sum(
        any(p["number"]["dot"] for p in s["points"]) for t in found["trends"] for s in t["series"]
    )
    assert len(tree.xpath("//details[@class='twin']//table")) == len(LEADING)
    assert tree.xpath("//*[@style]") == []


async def test_a_level_is_that_of_the_run_s_own_page(client):
    found = (await client.get("/api/v1/trends", params={"measure": "source_precision"})).json()
    (trend,) = found["trends"]
    matrix = (await client.get(f"/api/v1/runs/{AFTER}/matrix")).json()
    row = next(
        line for part in matrix["sections"] for line in part["lines"]
        if line["name"] == "source_precision"
    )  # fmt: skip
    assert [s["points"][-1]["number"]["text"] for s in trend["series"]] == [
        one["text"] for one in row["numbers"]
    ]


async def test_an_event_is_told_once_and_marked_where_it_happened(client):
    found = (await client.get("/api/v1/trends")).json()
    (event,) = found["happened"]
    assert (event["letter"], event["run"]) == ("A", AFTER)
    assert event["text"].startswith("another model answers: claude-sonnet-4-5")
    marked = {
        s["engine"] for t in found["trends"] for s in t["series"] for p in s["points"]
        if p["letters"]
    }  # fmt: skip
    assert marked == {"anthropic"}


async def test_one_engine_and_one_measure_can_be_chosen(client):
    query = {"measure": "no_answer_rate", "engine": "openai"}
    found = (await client.get("/api/v1/trends", params=query)).json()
    assert [(t["name"], [s["engine"] for s in t["series"]]) for t in found["trends"]] == [
        ("no_answer_rate", ["openai"])
    ]
    assert (await client.get("/trends?measure=&engine=")).status_code == 200
    assert (await client.get("/trends", params={"measure": "nope"})).status_code == 404
    assert (await client.get("/trends", params={"engine": "nope"})).status_code == 404
    assert (await client.get("/trends", params={"measure": "x" * 5_000})).status_code == 422


async def test_the_table_has_a_row_for_each_run_engine_and_measure(client):
    got = await client.get("/api/v1/trends/table.csv", params={"measure": "source_precision"})
    rows = list(csv.DictReader(io.StringIO(got.text)))
    assert len(rows) == 4 * 2
    assert {row["measure"] for row in rows} == {"source_precision"}
    assert [row["events"] != "" for row in rows].count(True) == 1


async def test_a_run_of_another_judge_is_marked_and_joined_to_nothing(bench):
    bodies = told(OAK), told(ELM), told(OAK)
    first = scored(bench, "2026-01", *bodies)
    scored(bench, "2026-02", *bodies)
    scored(bench, "2026-03", *bodies)
    score_run(bench, first, WordJudge("other@1"))
    found = await told_by(bench, "/trends", measure="no_answer_rate")
    (series,) = found["trends"][0]["series"]
    assert [one["unlike"] for one in series["points"]] == [["judge"], [], []]
    lines = [one["line"] for one in series["points"]]
    assert lines[0] != lines[1] == lines[2]
    assert found["has_unlike"]
    async with asking(app_of(bench)) as one:
        page = (await one.get("/trends?measure=no_answer_rate")).text
    assert "another recipe: judge" in page
    assert 'class="hollow"' in page


async def test_one_run_and_an_empty_store_have_their_page(bench):
    assert (await told_by(bench, "/trends"))["trends"] == []
    async with asking(app_of(bench)) as one:
        empty = await one.get("/trends")
    assert "monitor run" in empty.text
    scored(bench, "2026-01", told(OAK), told(ELM), told(OAK))
    found = await told_by(bench, "/trends", measure="no_answer_rate")
    assert [len(s["points"]) for s in found["trends"][0]["series"]] == [1]
