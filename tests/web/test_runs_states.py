"""Runs in every state: there is always a page, and it says what is missing and what to do."""

import asyncio
import json
import threading
from dataclasses import replace

import httpx
import pytest
from fastapi import HTTPException
from sqlalchemy import event

from monitor.domain.locale import LocaleState
from monitor.domain.panel import Prompt
from monitor.errors import StoreError
from monitor.pipeline.capturing import reparse_run
from monitor.pipeline.tallying import score_run
from monitor.schedule import rules
from monitor.store import captures, runs
from monitor.web.app import make_app
from monitor.web.health import HealthWatch
from monitor.web.pages import progress
from tests.edges.importing import handed_in, kept_in
from tests.stored import PANEL, WordJudge, answer, keep_answers, planned
from tests.unit.imports import handed
from tests.web.conftest import asking

PROMPTS = tuple(Prompt(f"p{n}", f"How do oaks grow, {n}?", "en-GB") for n in range(3))
TREES = replace(PANEL, prompts=PROMPTS)
CITED = ("Oaks", "https://oaks.example/1")


@pytest.fixture
def bench(bench, tmp_path):
    part = bench.settings.model_copy(update={"panels": str(tmp_path / "panels")})
    return replace(bench, settings=part)


@pytest.fixture
async def client(bench):
    async with asking(make_app(HealthWatch(bench, holds=0.0))) as one:
        yield one


def moved(bench, run, *states):
    def move(connection, state):
        return runs.set_run_state(connection, run.id, state, at=bench.clock.now())

    for state in states:
        bench.write(lambda c, state=state: move(c, state))
    return bench.read(lambda c: runs.load_run_by_id(c, run.id))


def half_heard(bench, slot="2026-01"):
    """A run under way: one of its three captures is stored."""
    run = moved(bench, planned(bench, slot, TREES), runs.RunState.RUNNING)
    one, *_ = bench.read(lambda c: captures.load_captures(c, run.id))
    payload = captures.StoredPayload(
        one.id, 0, 0, bench.artifacts.put(answer("Oaks grow.", CITED)), status=200
    )
    bench.write(lambda c: captures.save_payload(c, payload))
    reparse_run(bench, run)
    return run


async def pages_of(client, run):
    """Every page of a run, each answered; the first screen as its twin has it."""
    for path in ("", "/matrix", "/captures", "/funnel"):
        got = await client.get(f"/runs/{run.public_id}{path}")
        assert got.status_code == 200, got.text
    return (await client.get(f"/api/v1/runs/{run.public_id}")).json()


async def test_an_empty_store_says_what_to_do_first(client):
    got = await client.get("/")
    assert got.status_code == 200
    assert "What to do first" in got.text
    assert "monitor check" in got.text
    shown = (await client.get("/api/v1/overview")).json()
    assert (shown["has_runs"], shown["panels"], shown["runs"]) == (False, [], [])


async def test_a_planned_run_says_that_nobody_asked_yet(bench, client):
    run = planned(bench, "2026-01", TREES)
    shown = await pages_of(client, run)
    assert shown["headline"] == "No numbers yet: 0 of 3 captures answered"
    assert "nobody has asked yet" in shown["missing"][0]
    assert (shown["is_live"], shown["steps"], shown["matrix"]["engines"]) == (True, [], [])
    (line,) = shown["measured"]
    assert (line["coverage"]["planned"], line["is_scored"]) == (3, False)
    listed = (await client.get(f"/api/v1/runs/{run.public_id}/captures?outcome=planned")).json()
    assert listed["pager"]["total"] == 3
    got = await client.get(f"/runs/{run.public_id}/rows?engine=openai&measure=citation_recall")
    assert got.status_code == 404
    assert "nothing of it was scored yet" in got.text


async def test_a_run_under_way_shows_how_far_it_is_and_can_be_followed(bench, client):
    run = half_heard(bench)
    shown = await pages_of(client, run)
    assert (shown["run"]["state"], shown["is_live"]) == ("running", True)
    assert shown["run"]["coverage"]["answered"] == 1
    page = (await client.get(f"/runs/{run.public_id}")).text
    assert f'data-progress="/runs/{run.public_id}/progress"' in page
    assert f'href="/runs/{run.public_id}">Reload' in page


async def test_a_stream_tells_each_change_once_and_ends_with_the_run(bench, client, monkeypatch):
    run = half_heard(bench)
    monkeypatch.setattr(progress, "STREAMS", progress.Streams(period=0.0))
    told, looks = progress.progress_of, []

    def looked(connection, run_id):
        looks.append(1)
        if len(looks) == 4:
            moved(bench, run, runs.RunState.DONE)
        return told(connection, run_id)

    monkeypatch.setattr(progress, "progress_of", looked)
    got = await client.get(f"/runs/{run.public_id}/progress")
    events = [one.splitlines() for one in got.text.split("\n\n") if one.startswith("event:")]
    # The second and third look found nothing new.
    assert [name for name, _ in events] == ["event: progress", "event: progress", "event: ended"]
    first, last = (json.loads(data.removeprefix("data: ")) for _, data in events[:2])
    assert (first["state"], first["answered"], first["planned"]) == ("running", 1, 3)
    assert (last["state"], last["ended"]) == ("done", True)
    assert progress.STREAMS.open == 0


async def test_streams_are_bounded_in_number_and_in_time(bench, client, monkeypatch):
    run = half_heard(bench)
    monkeypatch.setattr(progress, "STREAMS", progress.Streams(most=0))
    got = await client.get(f"/runs/{run.public_id}/progress")
    assert got.status_code == 429
    assert "reload" in got.text
    monkeypatch.setattr(progress, "STREAMS", progress.Streams(each=0))
    got = await client.get(f"/runs/{run.public_id}/progress")
    assert (got.status_code, "0 of your pages" in got.text) == (429, True)
    monkeypatch.setattr(progress, "STREAMS", progress.Streams(most=1, seconds=0.0))
    for _ in range(2):
        got = await client.get(f"/runs/{run.public_id}/progress")
        assert (got.status_code, got.text.count("event: progress")) == (200, 1)
        assert "event: ended" not in got.text


def test_one_visitor_holds_two_streams_and_leaves_the_others_theirs():
    streams = progress.Streams(most=4)
    for whose in ("a", "a", "b"):
        streams.take(whose)
    with pytest.raises(HTTPException, match="2 of your pages"):
        streams.take("a")
    streams.leave("a")
    streams.take("a")
    streams.take("b")
    assert streams.open == 4
    with pytest.raises(HTTPException, match="4 pages follow"):
        streams.take("c")


async def test_the_trail_of_a_run_leads_to_the_list(client):
    got = await client.get("/runs")
    assert (got.status_code, got.headers["location"]) == (308, "/#runs")


async def test_a_run_that_was_not_scored_says_so_and_shows_its_captures(bench, client):
    run = planned(bench, "2026-01", TREES)
    keep_answers(bench, run, *[answer("Oaks grow.", CITED)] * 3)
    run = moved(bench, run, runs.RunState.RUNNING, runs.RunState.DONE)
    shown = await pages_of(client, run)
    assert shown["headline"] == "No numbers yet: 3 of 3 captures answered"
    assert any(one.startswith("Not scored: OpenAI") for one in shown["missing"])
    assert shown["is_live"] is False


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (runs.RunState.CANCELLED, "Cancelled for good"),
        (runs.RunState.FAILED, "monitor status"),
        (runs.RunState.INCOMPLETE, "monitor resume"),
    ],
)
async def test_a_run_that_did_not_finish_shows_what_there_is(bench, client, state, words):
    run = half_heard(bench)
    score_run(bench, run, WordJudge())
    run = moved(bench, run, state)
    shown = await pages_of(client, run)
    assert words in shown["missing"][0]
    assert [one["name"] for one in shown["matrix"]["engines"]] == ["openai"]
    assert shown["measured"][0]["coverage"]["answered"] == 1
    assert shown["measured"][0]["is_thin"] is True
    assert any("was not heard" in one["text"] for one in shown["steps"])


async def test_answers_that_people_handed_in_are_held_against_no_run(bench, client, tmp_path):
    planned(bench, "2026-01", replace(TREES, version=2))
    body = json.dumps(handed.conversation()).encode()
    run = handed_in(bench, kept_in(tmp_path, "one.json", body)).run
    reparse_run(bench, run)
    score_run(bench, run, WordJudge())
    shown = await pages_of(client, run)
    assert (shown["run"]["kind"], shown["news"]["before_run"]) == ("import", None)
    # The panel lists an engine that nobody asked for an import; that is no gap.
    assert shown["skipped"] == []
    assert any("handed in" in one for one in shown["missing"])
    assert not any("nobody has asked" in one for one in shown["missing"])
    (panel,) = (await client.get("/api/v1/overview")).json()["panels"]
    assert panel["newest"]["run"] == "run:trees:2026-01"


async def test_a_run_without_baseline_is_scored_without_it_and_says_so(bench, client):
    run = planned(bench, "2026-01", TREES)
    keep_answers(bench, run, *[answer("Oaks grow.", CITED)] * 3)
    score_run(bench, run, WordJudge())
    run = moved(bench, run, runs.RunState.RUNNING, runs.RunState.DONE)
    shown = await pages_of(client, run)
    assert shown["missing"] == []
    assert shown["baseline"].startswith("none")
    assert any(one["text"].startswith("Write a baseline") for one in shown["steps"])
    cells = {
        line["name"]: line["numbers"][0]
        for section in shown["matrix"]["sections"]
        for line in section["lines"]
    }
    recall = cells["required_source_recall"]
    assert (recall["hits"], recall["undefined"]) == (None, "no baseline for it")
    rows = (await client.get(f"/api/v1{recall['href']}")).json()
    assert [one["number"]["undefined"] for one in rows["rows"]] == ["no baseline for it"] * 3
    assert rows["working"] == ["Not measured: no baseline for it."]


async def test_outcomes_are_listed_as_coverage_counts_them(bench, client):
    run = planned(bench, "2026-01", TREES)
    keep_answers(bench, run, answer("Oaks grow.", CITED), b"[]", b"no json")
    shown = await pages_of(client, run)
    (line,) = shown["measured"]
    others = {one["outcome"]: one for one in line["coverage"]["others"]}
    assert sum(one["captures"] for one in others.values()) == 2
    for one in others.values():
        listed = (await client.get(f"/api/v1{one['href']}")).json()
        assert listed["pager"]["total"] == one["captures"]


async def test_what_was_heard_in_another_locale_is_no_answer_here_either(bench, client):
    run = planned(bench, "2026-01", TREES)
    keep_answers(bench, run, *[answer("Oaks grow.", CITED)] * 3)
    states = {("openai", "en-GB"): LocaleState.CONTRADICTED}
    bench.write(lambda c: captures.set_locale_states(c, run.id, states))
    shown = await pages_of(client, run)
    assert shown["run"]["coverage"]["answered"] == 0
    listed = (await client.get(f"/api/v1/runs/{run.public_id}/captures")).json()
    assert {one["outcome"] for one in listed["rows"]} == {"locale/contradicted"}
    for outcome in ("answered", "heard"):
        none = await client.get(f"/api/v1/runs/{run.public_id}/captures?outcome={outcome}")
        assert none.json()["pager"]["total"] == 0


async def test_text_of_outsiders_is_shown_and_never_run(bench, client):
    evil = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
    prompts = (Prompt("p1", f"How? {evil}", "en-GB", topic=evil, intent="javascript:alert(3)"),)
    run = planned(bench, "2026-01", replace(PANEL, prompts=prompts))
    page = f"https://oaks.example/{'a' * 40}?q=<script>alert(4)</script>"
    keep_answers(bench, run, answer(f"Oaks {evil} grow.", (evil, page)))
    score_run(bench, run, WordJudge())
    moved(bench, run, runs.RunState.RUNNING, runs.RunState.DONE)
    start = f"/runs/{run.public_id}"
    for path in (
        "/", f"/panels/{PANEL.name}", start, f"{start}?segment=topic", f"{start}/captures",
        f"{start}/rows?engine=openai&family=oaks.example",
        f"{start}/rows?engine=openai&measure=uncited_claims",
    ):  # fmt: skip
        got = await client.get(path)
        assert got.status_code == 200, path
        assert "<script>alert" not in got.text
        assert "<img src=x" not in got.text
        assert 'href="javascript:' not in got.text


async def test_a_store_that_is_away_is_a_503_on_every_page_of_runs(bench, monkeypatch):
    run = planned(bench, "2026-01", TREES)

    def down():
        raise StoreError("postgresql://me@db.example is away")

    watch = HealthWatch(bench, holds=0.0)
    monkeypatch.setattr(watch._examiner, "glance", down)
    transport = httpx.ASGITransport(app=make_app(watch))
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1") as client:
        for path in ("/", "/api/v1/overview", "/panels/trees", "/api/v1/panels/trees"):
            got = await client.get(path)
            assert got.status_code == 503
            assert "db.example" not in got.text
        assert (await client.get(f"/runs/{run.public_id}")).status_code == 200


async def test_a_store_that_hangs_is_told_on_the_first_page_and_not_waited_for(bench, monkeypatch):
    let_go = threading.Event()
    watch = HealthWatch(bench, holds=0.0, patience=0.05)
    glances = []

    def hang():
        glances.append(1)
        let_go.wait(20)
        raise StoreError("too late")

    monkeypatch.setattr(watch._examiner, "glance", hang)
    async with asking(make_app(watch)) as client:
        first, second = await asyncio.gather(client.get("/"), client.get("/panels/trees"))
        let_go.set()
        await watch._glancing
    assert (first.status_code, second.status_code, len(glances)) == (503, 503, 1)
    assert "did not answer" in first.text


async def test_the_first_page_reads_no_run_of_the_past_that_it_does_not_show(bench, client):
    for number in range(23):
        run = planned(bench, f"2026-01-{number + 1:02}", TREES)
        moved(bench, run, runs.RunState.RUNNING, runs.RunState.INCOMPLETE)
    counted = []
    event.listen(bench.database._engine, "before_cursor_execute", lambda *a: counted.append(a[2]))
    shown = (await client.get("/api/v1/overview")).json()
    assert [one["run"] for one in shown["runs"]] == [
        f"run:trees:2026-01-{number:02}" for number in range(23, 3, -1)
    ]
    assert (shown["pager"]["total"], shown["pager"]["pages"]) == (23, 2)
    # Twenty rows, and the newest run as that of its panel: none of the other three is counted.
    of_captures = [one for one in counted if "FROM capture" in one and "GROUP BY" in one]
    assert sum("reading.outcome, reading.reason" in one for one in of_captures) == 21
    second = (await client.get("/api/v1/overview?page=2")).json()
    assert [one["slot"] for one in second["runs"]] == ["2026-01-03", "2026-01-02", "2026-01-01"]


async def test_the_schedule_follows_its_file_which_is_read_only_when_it_changed(
    bench, client, tmp_path, monkeypatch
):
    read, folder = [], tmp_path / "panels"
    load = rules.load_folder
    monkeypatch.setattr(rules, "load_folder", lambda *a: read.append(1) or load(*a))
    folder.mkdir()
    text = (
        "panel: trees\nversion: 1\nrepeats: 1\nlocale: en-GB\nengines: [openai]\n"
        'schedule: {{cron: "{}", timezone: UTC}}\nprompts:\n  - {{id: p1, text: How?}}\n'
    )
    for times, cron in enumerate(("0 6 1 * *", "30 7 2 * *"), start=1):
        (folder / "trees.yaml").write_text(text.format(cron))
        for _ in range(3):
            (panel,) = (await client.get("/api/v1/overview")).json()["panels"]
            assert panel["plan"]["rule"] == f"{cron} (UTC)"
        assert len(read) == times


async def test_the_newest_run_of_a_panel_is_one_that_asked_engines(bench, client):
    old = planned(bench, "2026-01", TREES)
    moved(bench, old, runs.RunState.RUNNING, runs.RunState.DONE)
    planned(bench, "2026-02", replace(TREES, name="shrubs"))
    shown = (await client.get("/api/v1/overview")).json()
    newest = {one["panel"]: one["newest"]["run"] for one in shown["panels"]}
    assert newest == {"trees": "run:trees:2026-01", "shrubs": "run:shrubs:2026-02"}


async def test_a_page_of_rows_reads_the_evidence_of_its_own_captures_alone(bench, client):
    run = planned(bench, "2026-01", TREES)
    keep_answers(bench, run, *[answer("Oaks grow.", CITED)] * 3)
    score_run(bench, run, WordJudge())
    address = f"/api/v1/runs/{run.public_id}/rows?engine=openai&family=oaks.example"
    assert (await client.get(address)).json()["number"]["hits"] == 3
    asked = []
    event.listen(bench.database._engine, "before_cursor_execute", lambda *a: asked.append(a[2]))
    assert (await client.get(address)).status_code == 200
    of_citations = [one for one in asked if "FROM capture JOIN citation" in one]
    assert len(of_citations) == 1
    assert "capture.id IN" in of_citations[0]
    assert not [one for one in asked if "FROM tally" in one]
