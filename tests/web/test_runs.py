"""The list of runs and the first screen of one, over the demo's two months."""

import csv
import io
import json
import re

import lxml.html
import pytest
from sqlalchemy import delete

from monitor.store import tables
from monitor.web.pages import overview
from tests.web.conftest import AFTER, BEFORE, asking, over


def document(got):
    assert got.status_code == 200, got.text
    return lxml.html.document_fromstring(got.content)


async def told(client, path, **query):
    got = await client.get(f"/api/v1{path}", params=query)
    assert got.status_code == 200, got.text
    return got.json()


async def test_the_first_page_has_panels_with_their_newest_run_and_what_came_of_it(client):
    shown = await told(client, "/overview")
    panels = {one["panel"]: one for one in shown["panels"]}
    newest = panels["sandbox"]["newest"]
    assert newest["run"] == AFTER
    coverage = newest["coverage"]
    assert coverage["answers"]["counts"] == f"{coverage['answered']} of {coverage['planned']}"
    others = sum(one["captures"] for one in coverage["others"])
    assert coverage["answered"] + others == coverage["attempted"] == coverage["planned"]
    assert panels["sandbox"]["plan"]["next_slot"]
    assert sum(one["alerts"] for one in panels["sandbox"]["alerts"]) > 0
    assert panels["driving-rules"]["newest"] is None
    assert [one["run"] for one in shown["runs"]] == [AFTER, BEFORE]


async def test_runs_are_found_by_panel_and_by_words(client):
    assert len((await told(client, "/overview", panel="sandbox"))["runs"]) == 2
    found = await told(client, "/overview", words="2026-09 DONE")
    assert [one["run"] for one in found["runs"]] == [BEFORE]
    for query in ({"panel": "driving-rules"}, {"words": "2026-09 2026-10"}):
        found = await told(client, "/overview", **query)
        assert (found["runs"], found["pager"]["total"], found["has_runs"]) == ([], 0, True)
    assert "No run of this kind" in (await client.get("/?words=nothing")).text
    assert (await client.get("/", params={"words": "w" * 5000})).status_code == 422
    assert (await client.get("/?page=2")).status_code == 404


async def test_the_list_of_runs_is_a_table_for_spreadsheets(client):
    got = await client.get("/api/v1/overview/table.csv")
    lines = list(csv.DictReader(io.StringIO(got.text)))
    assert [one["run"] for one in lines] == [AFTER, BEFORE]
    assert float(lines[0]["usd"]) > 0


async def test_a_panel_says_what_it_asks_and_what_it_is_held_against(client):
    shown = await told(client, "/panels/sandbox")
    assert (shown["facts"]["prompts"], shown["facts"]["repeats"]) == (26, 3)
    assert shown["baseline"]["drawn_blind"] is True
    assert shown["baseline"]["frozen_at"] is not None
    assert [one["run"] for one in shown["runs"]] == [AFTER, BEFORE]
    page = document(await client.get("/panels/sandbox"))
    links = page.xpath("//p[@class='forms']/a/@href")
    assert {"/trends?panel=sandbox", "/prompts?panel=sandbox", "/baselines?panel=sandbox"} <= set(
        links
    )


async def test_a_panel_that_was_never_run_has_a_page_and_an_unknown_one_has_none(client):
    shown = await told(client, "/panels/driving-rules")
    assert (shown["newest"], shown["facts"], shown["runs"]) == (None, None, [])
    assert "never run" in (await client.get("/panels/driving-rules")).text
    assert (await client.get("/panels/nobody")).status_code == 404


async def test_the_first_screen_answers_in_order(client):
    page = document(await client.get(f"/runs/{AFTER}"))
    headings = [one.text_content().strip() for one in page.xpath("//main//h2")]
    assert headings[:7] == [
        "What changed", "Is it noise?", "Was it measured?", "What to do next",
        "Engines by measures", "Parts of the run", "Most cited families",
    ]  # fmt: skip
    assert headings[-1] == "Evidence"
    (title,) = page.xpath("//h1")
    assert title.text_content() == (
        "Perplexity Sonar (API) cites ridecompare.example far more than in 2026-09"
    )


async def test_findings_events_and_alerts_are_told_with_their_rows(client):
    shown = await told(client, f"/runs/{AFTER}")
    news = shown["news"]
    assert news["before_run"] == BEFORE
    first = news["findings"][0]
    assert (first["engine"], first["verdict"]) == ("perplexity", "changed")
    assert first["sentence"] == shown["headline"]
    assert "family=ridecompare.example" in first["href"]
    rows = (await client.get(f"/api/v1{first['href']}")).json()
    # The finding speaks for matched prompts; in the demo those are all.
    assert first["after"].startswith(rows["number"]["counts"])
    assert any("another model answers" in one["says"] for one in news["events"])
    for one in news["told"]:
        assert (await client.get(one["href"])).status_code == 200
        assert all(re.fullmatch(r"/captures/\d+", href) for _, href in one["answers"])
    noise = {one["engine"]: one for one in news["noise"]}
    assert noise["perplexity"]["matched"] == "26 of 26"
    assert noise["openai"]["verdict"] == "no clear change"
    assert "points" in noise["openai"]["detectable"]


async def test_whether_it_was_measured_is_told_by_engine(client):
    shown = await told(client, f"/runs/{AFTER}")
    whole = shown["run"]["coverage"]
    lines = shown["measured"]
    for name in ("planned", "heard", "answered"):
        assert sum(one["coverage"][name] for one in lines) == whole[name]
    assert sum(one["cost_micros"] for one in lines) == shown["run"]["cost_micros"]
    assert all(one["is_scored"] for one in lines)
    assert "drawn blind" in shown["baseline"]
    assert "frozen" in shown["baseline"]
    assert shown["judge"].startswith("embedded@")


async def test_steps_name_what_is_missing_with_the_rows_of_it(client):
    steps = (await told(client, f"/runs/{AFTER}"))["steps"]
    missed = next(one for one in steps if "is left out of" in one["text"])
    source, out, asked = re.search(
        r"why (\S+) is left out of (\d+) of (\d+) answers", missed["text"]
    ).groups()
    assert source.startswith("https://transport-velmora.example/")
    assert int(out) <= int(asked)
    # Each link tells how many of them are one engine's; together they are all.
    assert sum(int(one["label"].rpartition(" ")[2]) for one in missed["links"]) == int(out)
    for step in steps:
        for link in step["links"]:
            if not link["href"].startswith("#"):
                assert (await client.get(link["href"])).status_code == 200, link
    for link in missed["links"]:
        got = (await client.get(f"/api/v1{link['href']}")).json()
        misses = sum(one["number"]["total"] - one["number"]["hits"] for one in got["rows"])
        assert misses >= int(link["label"].rpartition(" ")[2])


async def test_the_matrix_is_that_of_the_first_screen(client):
    shown = await told(client, f"/runs/{AFTER}")
    assert shown["matrix"] == await told(client, f"/runs/{AFTER}/matrix")
    got = await client.get(f"/api/v1/runs/{AFTER}/matrix/table.csv")
    lines = list(csv.DictReader(io.StringIO(got.text)))
    cells = {(one["engine"], one["measure"]): one for one in lines}
    for section in shown["matrix"]["sections"]:
        for line in section["lines"]:
            for head, number in zip(shown["matrix"]["engines"], line["numbers"], strict=True):
                cell = cells[head["name"], line["name"]]
                assert cell["hits"] == ("" if number["hits"] is None else str(number["hits"]))
                assert cell["undefined"] == (number["undefined"] or "")


async def test_parts_of_the_run_are_chosen_by_the_address(client):
    first = await told(client, f"/runs/{AFTER}")
    assert first["slices"]["chosen"] == "intent"
    assert {one["name"] for one in first["slices"]["fields"]} == {
        "intent", "topic", "risk", "locale", "answer_format", "claim_category",
    }  # fmt: skip
    topic = await told(client, f"/runs/{AFTER}", segment="topic")
    assert topic["slices"]["chosen"] == "topic"
    # Every prompt has one topic, so that the parts make up the whole.
    whole = {one["name"]: one["coverage"]["answered"] for one in topic["matrix"]["engines"]}
    summed = dict.fromkeys(whole, 0)
    for part in topic["slices"]["parts"]:
        for line in part["lines"]:
            summed[line["engine"]] += line["answered"]
    assert summed == whole
    part = await told(client, f"/runs/{AFTER}", segment=topic["slices"]["parts"][0]["segment"])
    assert [one["segment"] for one in part["slices"]["parts"]] == [part["segment"]]
    assert part["matrix"]["segment"] == part["segment"]
    got = await client.get(f"/runs/{AFTER}", params={"segment": "topic=nothing"})
    assert got.status_code == 404
    assert "the parts of" in got.text


async def test_the_first_run_has_nothing_to_compare_with(client):
    shown = await told(client, f"/runs/{BEFORE}")
    assert shown["headline"].startswith("First run of sandbox")
    assert (shown["news"]["findings"], shown["news"]["before_run"]) == ([], None)
    assert "No earlier run to compare with" in (await client.get(f"/runs/{BEFORE}")).text


async def test_a_funnel_counts_four_stages_apart(client):
    shown = await told(client, f"/runs/{AFTER}/funnel")
    lines = {one["engine"]: one for one in shown["lines"]}
    assert set(lines) == {"anthropic", "openai", "perplexity"}
    matrix = await told(client, f"/runs/{AFTER}/matrix")
    cells = {
        (line["name"], head["name"]): number["counts"]
        for section in matrix["sections"]
        for line in section["lines"]
        for head, number in zip(matrix["engines"], line["numbers"], strict=True)
    }
    for engine, line in lines.items():
        # Of 42 sources of the baseline 4 are publishers without a page and one is a PDF; of the
        # 37 others one page asks that no text of it be shown, and one is not there.
        assert line["eligible"]["counts"] == "35 of 37"
        assert line["retrieved"]["counts"] == cells["retrieved_source_recall", engine]
        seen = {one["measure"]: one["number"]["counts"] for one in line["visible"]}
        assert seen["source_precision"] == cells["source_precision", engine]


async def test_a_funnel_that_nobody_checked_says_what_checks_it(own_store):
    with over(own_store) as (bench, app):
        bench.write(lambda c: c.execute(delete(tables.eligibility)))
        async with asking(app) as client:
            shown = await told(client, f"/runs/{AFTER}/funnel")
            page = (await client.get(f"/runs/{AFTER}/funnel")).text
    assert shown["lines"] == []
    assert shown["command"] == "monitor eligibility sandbox"
    assert len(shown["unchecked"]) >= 3
    assert "Not checked" in page
    assert "monitor eligibility sandbox" in page


@pytest.mark.parametrize(
    "path", ["", "/matrix", "/captures", "/funnel", "/rows?engine=x&measure=y"]
)
async def test_an_unknown_run_is_said_to_be_none(client, path):
    for start in ("/runs", "/api/v1/runs"):
        got = await client.get(f"{start}/run:nobody:2026-01{path}")
        assert got.status_code == 404
        assert "the list of runs is under /" in got.text


async def test_captures_are_listed_by_outcome_engine_prompt_and_words(client):
    path = f"/runs/{AFTER}/captures"
    whole = await told(client, path)
    assert whole["pager"]["total"] == whole["planned"]
    assert sum(one["captures"] for one in whole["outcomes"]) == whole["planned"]
    for one in whole["outcomes"]:
        found = await told(client, path, outcome=one["outcome"])
        assert found["pager"]["total"] == one["captures"]
        assert {row["outcome"] for row in found["rows"]} == {one["outcome"]}
    openai = await told(client, path, engine="openai")
    assert openai["pager"]["total"] == 78
    found = await told(client, path, prompt="speed-limit", engine="openai")
    assert [one["repeat"] for one in found["rows"]] == [1, 2, 3]
    found = await told(client, path, words="FAST pedal-assist", engine="openai")
    assert {one["prompt"] for one in found["rows"]} == {"speed-limit"}
    assert sum(one["cost_micros"] for one in found["rows"]) > 0
    assert (await told(client, path, words="100%_"))["rows"] == []


async def test_what_was_heard_leads_to_its_captures(client):
    shown = await told(client, f"/runs/{AFTER}")
    every = [shown["run"]["coverage"], *(one["coverage"] for one in shown["measured"])]
    for one in every:
        found = (await client.get(f"/api/v1{one['heard_href']}")).json()
        assert found["pager"]["total"] == one["heard"] > 0
    links = set(document(await client.get(f"/runs/{AFTER}")).xpath("//td/a/@href"))
    assert {one["heard_href"] for one in every[1:]} <= links


async def test_five_hundred_prompts_may_be_chosen_and_no_more(client):
    path = f"/runs/{AFTER}/captures"
    many = ["speed-limit", *(f"p{n}" for n in range(499))]
    found = await told(client, path, prompt=many, engine="openai")
    assert found["pager"]["total"] == 3
    assert (await client.get(path, params={"prompt": many})).status_code == 200
    assert (await client.get(path, params={"prompt": [*many, "x"]})).status_code == 422


async def test_pages_of_captures_follow_each_other_and_keep_the_filter(client):
    path = f"/runs/{AFTER}/captures"
    first = await told(client, path, engine="openai")
    later = first["pager"]["later"]
    assert "engine=openai" in later
    second = (await client.get(f"/api/v1{later}")).json()
    seen = [one["capture"] for one in (*first["rows"], *second["rows"])]
    assert len(seen) == len(set(seen)) == 78
    assert second["pager"]["later"] is None
    got = await client.get(f"/api/v1{path}/table.csv", params={"engine": "openai", "page": 2})
    assert len(list(csv.DictReader(io.StringIO(got.text)))) == 78


async def test_the_progress_of_a_run_that_ended_ends_at_once(client):
    got = await client.get(f"/runs/{AFTER}/progress")
    assert got.headers["content-type"].startswith("text/event-stream")
    events = [one for one in got.text.split("\n\n") if one.startswith("event:")]
    assert [one.splitlines()[0] for one in events] == ["event: progress", "event: ended"]
    numbers = json.loads(events[0].splitlines()[1].removeprefix("data: "))
    shown = (await told(client, f"/runs/{AFTER}"))["run"]["coverage"]
    assert (numbers["answered"], numbers["planned"]) == (shown["answered"], shown["planned"])


async def test_the_first_page_says_of_each_panel_what_its_newest_run_says_first(client):
    shown = {one["panel"]: one for one in (await told(client, "/overview"))["panels"]}
    first = (await told(client, f"/runs/{AFTER}"))["headline"]
    assert (shown["sandbox"]["headline"], shown["driving-rules"]["headline"]) == (first, "")
    page = document(await client.get("/"))
    (link,) = page.xpath("//a[@class='headline']")
    assert (link.text, link.get("href")) == (first, f"/runs/{AFTER}")


async def test_of_very_many_panels_the_first_ones_are_told_and_the_page_says_so(
    client, monkeypatch
):
    monkeypatch.setattr(overview, "_HEADLINES", 0)
    shown = await told(client, "/overview")
    assert {one["headline"] for one in shown["panels"]} == {""}
    assert shown["headlines_text"] == (
        f"What changed is told here for the first 0 of {len(shown['panels'])} panels"
    )
