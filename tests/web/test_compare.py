"""Comparisons in the browser: stored ones at once, others counted, refusals with their key."""

import csv
import io
import threading
from dataclasses import replace

import lxml.html
import pytest

from monitor.config.settings import load_settings
from monitor.pipeline.bench import open_bench
from monitor.pipeline.comparing import weigh
from monitor.pipeline.judges import shown_judge
from monitor.pipeline.tallying import score_run
from monitor.store import open_database, runs
from monitor.web.counting import Counting
from monitor.web.pages import compare
from tests.stored import WordJudge, keep_baseline, planned
from tests.web.conftest import AFTER, BEFORE, asking
from tests.web.people import app_of
from tests.web.rooms import ELM, LATE, OAK, TREES, scored, told, told_by

FIRST, SECOND = "run:trees:2026-01", "run:trees:2026-02"


@pytest.fixture
def two(bench):
    """A store with two runs that nobody compared."""
    scored(bench, "2026-01", told(OAK, ELM), told(OAK), told(ELM))
    scored(bench, "2026-02", told(OAK), told(LATE), told(LATE))
    return bench


def compared(bench):
    """Have the two runs compared, and that stored."""
    first, second = (
        bench.read(lambda c, name=name: runs.one_run(c, name)) for name in (FIRST, SECOND)
    )
    weigh(bench, [first], second, shown_judge(bench, second))


async def test_the_newest_run_and_the_one_before_are_shown_as_they_were_compared(client):
    found = (await client.get("/api/v1/compare")).json()
    assert (found["asked"]["before"], found["asked"]["after"]) == (BEFORE, AFTER)
    assert found["headline"] == "Changed: Perplexity Sonar (API)"
    assert found["lede"][0].startswith("No clear change: Claude")
    first = found["comparisons"][0]
    assert (first["name"], first["verdict"]) == ("perplexity", "changed")
    assert [one["name"] for one in first["families"][:2]] == [
        "ridecompare.example", "transport-velmora.example",
    ]  # fmt: skip
    assert (first["gates"]["matched"], first["gates"]["panel"]) == (26, 26)
    claude = next(one for one in found["comparisons"] if one["name"] == "anthropic")
    assert claude["events"] == [
        "another model answers: claude-sonnet-4-5-20250929 → claude-sonnet-5"
    ]


async def test_the_numbers_are_those_of_the_page_of_families(client):
    found = (await client.get("/api/v1/compare")).json()
    shown = (await client.get("/api/v1/families?engine=perplexity")).json()
    changes = {one["family"]: one["change"] for part in shown["engines"] for one in part["lines"]}
    told_of = {one["name"]: one["change"] for one in found["comparisons"][0]["families"]}
    assert told_of == changes


async def test_events_and_gates_come_before_what_moved(client):
    tree = lxml.html.document_fromstring((await client.get("/compare")).content)
    (part,) = [
        one for one in tree.xpath("//section") if "Claude" in one.xpath(".//h2")[0].text_content()
    ]
    said = part.text_content()
    order = ("another model answers", "prompts matched", "Source families", "ridecompare.example")
    places = [said.index(words) for words in order]
    assert places == sorted(places)


async def test_the_table_has_every_change(client):
    got = await client.get("/api/v1/compare/table.csv")
    rows = list(csv.DictReader(io.StringIO(got.text)))
    found = (await client.get("/api/v1/compare")).json()
    assert len(rows) == sum(
        one["families_in_all"] + len(one["measures"]) for one in found["comparisons"]
    )


async def test_two_runs_nobody_compared_are_counted_when_somebody_asks(two):
    before = await told_by(two, "/compare")
    assert (before["comparisons"], before["advice"]) == (
        [], "Nobody compared these two yet: press Compare.",
    )  # fmt: skip
    found = await told_by(two, "/compare", before=FIRST, after=SECOND)
    (one,) = found["comparisons"]
    assert one["appeared"] == ["late.example"]
    assert one["disappeared"] == ["elm.example"]
    oak = next(line for line in one["families"] if line["name"] == "oak.example")
    # Before: oak twice among the four citations; after: once among three.
    assert (oak["before"]["text"], oak["now"]["text"]) == ("2 of 4 (50 %)", "1 of 3 (33 %)")
    # Looking stores nothing; whoever compares has it stored, and it is the same.
    assert (await told_by(two, "/compare"))["comparisons"] == []
    compared(two)
    assert (await told_by(two, "/compare"))["comparisons"] == found["comparisons"]


async def test_what_takes_long_is_answered_by_202_until_it_is_there(two, monkeypatch):
    free, weighed = threading.Event(), compare.weigh

    def slow(*given):
        assert free.wait(30)
        return weighed(*given)

    monkeypatch.setattr(compare, "weigh", slow)
    app = app_of(two)
    app.state.desk.counting = Counting(patience=0)
    query = f"compare?before={FIRST}&after={SECOND}"
    async with asking(app) as client:
        page, twin = await client.get(f"/{query}"), await client.get(f"/api/v1/{query}")
        table = await client.get(f"/api/v1/compare/table.csv?{query.partition('?')[2]}")
        assert (page.status_code, twin.status_code, table.status_code) == (202, 202, 202)
        assert set(twin.json()) == {"detail"}
        assert twin.headers["retry-after"] == page.headers["retry-after"] == "5"
        tree = lxml.html.document_fromstring(page.content)
        (again,) = tree.xpath("//main//a/@href")
        assert again == f"/{query}"
        assert tree.xpath("//meta[@http-equiv]") == []
        schema = (await client.get("/api/v1/openapi.json")).json()
        assert "202" in schema["paths"]["/api/v1/compare"]["get"]["responses"]
        assert "202" not in schema["paths"]["/api/v1/families"]["get"]["responses"]
        free.set()
        app.state.desk.counting.get("after it", lambda: None, patience=30)
        assert (await client.get(f"/{query}")).status_code == 200


async def test_another_panel_and_one_run_twice_are_refused_by_their_key(two):
    scored(two, "2026-01", told(OAK), told(ELM), told(OAK), panel=replace(TREES, name="shrubs"))
    other = await told_by(two, "/compare", before="run:shrubs:2026-01", after=SECOND)
    assert other["refused"].startswith("panel: run:shrubs:2026-01 is of shrubs")
    assert other["comparisons"] == []
    same = await told_by(two, "/compare", before=FIRST, after=FIRST)
    assert same["refused"].startswith("run: ")


async def test_another_locale_is_refused_by_its_key(bench):
    scored(bench, "2026-01", told(OAK), told(ELM), told(OAK))
    moved = tuple(replace(one, locale="de-DE") for one in TREES.prompts)
    panel = replace(TREES, version=2, locale="de-DE", prompts=moved)
    scored(bench, "2026-02", told(OAK), told(ELM), told(OAK), panel=panel)
    found = await told_by(bench, "/compare", before=FIRST, after=SECOND)
    (one,) = found["comparisons"]
    assert one["verdict"] == "not comparable"
    assert any("locale" in failure for failure in one["gates"]["failures"])


async def test_a_run_that_has_not_ended_is_refused_by_its_state(two):
    planned(two, "2026-03", panel=TREES)
    found = await told_by(two, "/compare", before=SECOND, after="run:trees:2026-03")
    assert found["refused"].startswith("state: run:trees:2026-03 is planned")


async def test_prompts_that_are_left_out_are_named_with_their_reason(two):
    edited = replace(TREES.prompts[0], text="How fast do oaks grow?")
    panel = replace(TREES, version=2, prompts=(edited, *TREES.prompts[1:]))
    scored(two, "2026-03", told(OAK), told(LATE), told(LATE), panel=panel)
    found = await told_by(two, "/compare", before=SECOND, after="run:trees:2026-03")
    (one,) = found["comparisons"]
    assert one["left_out"] == ["edited: oaks"]
    assert one["gates"]["matched"] == 2


async def test_a_comparison_backwards_says_so(two):
    found = await told_by(two, "/compare", before=SECOND, after=FIRST)
    assert "reads backwards" in found["notes"][0]


async def test_two_engines_of_a_run_are_compared_and_told_apart(own_store):
    with open_bench(load_settings(own_store)) as bench:
        app = app_of(bench)
        app.state.desk.counting = Counting(patience=60)
        async with asking(app) as client:
            query = {"before": AFTER, "engines": "openai,perplexity"}
            found = (await client.get("/api/v1/compare", params=query)).json()
            query["engines"] = "openai,sandbox_chat"
            ways = (await client.get("/api/v1/compare", params=query)).json()
    (one,) = found["comparisons"]
    assert one["sides"] == ["OpenAI (API, web search)", "Perplexity Sonar (API)"]
    line = next(part for part in one["families"] if part["name"] == "ridecompare.example")
    assert "engine=openai" in line["before"]["href"]
    assert "engine=perplexity" in line["now"]["href"]
    assert "reached by api and sandbox_chat by browser" in ways["refused"]


async def test_pairs_that_are_none_and_unknown_runs_are_told(client):
    for engines in ("openai", "openai,", "openai,openai", "a,b,c", "x" * 5_000):
        got = await client.get("/compare", params={"before": AFTER, "engines": engines})
        assert got.status_code == 422, engines
    both = {"before": BEFORE, "after": AFTER, "engines": "openai,perplexity"}
    assert (await client.get("/compare", params=both)).status_code == 422
    assert (await client.get("/compare", params={"before": "run:x:y"})).status_code == 404
    assert (await client.get("/compare?before=&after=")).status_code == 200


async def test_looking_waits_for_no_process_that_works(two):
    worker = open_database(two.settings.store.database)
    try:
        with worker.exclusive():
            found = await told_by(two, "/compare", before=FIRST, after=SECOND)
    finally:
        worker.close()
    assert found["comparisons"]


async def test_an_empty_store_says_what_to_do_first(bench):
    found = await told_by(bench, "/compare")
    assert found["advice"].startswith("No run has ended yet")
    scored(bench, "2026-01", told(OAK), told(ELM), told(OAK))
    assert "No run of trees comes before" in (await told_by(bench, "/compare"))["advice"]


def scored_anew(bench, name):
    """Score a run again, with the baseline that is stored by now."""
    score_run(bench, bench.read(lambda c: runs.one_run(c, name)), WordJudge())


async def test_a_comparison_of_other_numbers_is_not_shown_beside_those_of_now(two):
    compared(two)
    page = f"/runs/{SECOND}"
    anew = (
        f"it was scored anew since it was compared with 2026-01: `monitor compare {FIRST} {SECOND}`"
    )
    assert "Not compared" not in str(await told_by(two, page))
    keep_baseline(two, (), ())
    scored_anew(two, SECOND)
    assert f"Not compared: {anew}" in str(await told_by(two, page))
    shown = await told_by(two, "/compare")
    assert (shown["comparisons"], shown["advice"]) == (
        [], "Scored anew since these two were compared: press Compare.",
    )  # fmt: skip
    assert (await told_by(two, "/compare", before=FIRST, after=SECOND))["comparisons"]
    compared(two)
    assert "Not compared" not in str(await told_by(two, page))


async def test_a_run_names_the_baseline_it_was_scored_with_and_not_a_newer_one(two):
    keep_baseline(two, (), ())
    assert (await told_by(two, f"/runs/{SECOND}"))["baseline"] == (
        "none: nothing can be said of what should be cited"
    )
    scored_anew(two, SECOND)
    assert (await told_by(two, f"/runs/{SECOND}"))["baseline"].startswith("trees@2026-01")
