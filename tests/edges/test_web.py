"""The web door over a real store: health, metrics, the page, the Host check, and who may listen."""

import asyncio
import json
import threading
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import httpx
import jsonschema
import pytest
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import event

from monitor.config.parts import RunnerPart, WebPart
from monitor.domain.job import Job
from monitor.domain.panel import Prompt, Schedule
from monitor.errors import ConfigError, StoreError
from monitor.pipeline.alarming import stock_of
from monitor.store import deliveries, jobs, queue, runs, schedules
from monitor.store.workers import see_worker
from monitor.web.app import make_app
from monitor.web.guard import is_ours, require_safe_address
from monitor.web.health import HealthWatch
from monitor.web.health_json import health_json
from tests.house import ROOT
from tests.stored import PANEL, answer, bench_in, bench_on, keep_answers, planned

PROMPTS = tuple(Prompt(f"p{n}", f"How do oaks grow, {n}?", "en-GB") for n in range(6))
TREES = replace(PANEL, prompts=PROMPTS)
CITED = [("Oaks", f"https://oaks.example/{n}") for n in range(3)]


@pytest.fixture
def bench(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as opened:
        part = opened.settings.model_copy(update={"panels": str(tmp_path / "panels")})
        yield replace(opened, settings=part)


@pytest.fixture
def watch(bench):
    return HealthWatch(bench, holds=0.0)


@asynccontextmanager
async def visiting(watch, **more):
    app = make_app(watch, **more)
    transport = httpx.ASGITransport(app=app)
    async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8750") as client:
        yield client


def ended(bench, slot, bodies):
    run = planned(bench, slot, TREES)
    keep_answers(bench, run, *bodies)
    stock_of(bench, run)
    done = runs.RunState.DONE
    return bench.write(lambda c: runs.set_run_state(c, run.id, done, at=bench.clock.now()))


async def metrics(watch):
    """(name, labels without order) -> value."""
    async with visiting(watch) as client:
        got = await client.get("/metrics")
    assert got.status_code == 200
    assert got.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    return {
        (one.name.removeprefix("monitor_"), *sorted(one.labels.values())): one.value
        for family in text_string_to_metric_families(got.text)
        for one in family.samples
    }


async def test_health_is_ok_over_an_empty_store(watch):
    async with visiting(watch) as client:
        got = await client.get("/health")
    assert got.status_code == 200
    assert got.json() == {
        "schema": 1, "status": "ok", "problems": [], "warnings": [],
        "store": {"reachable": True, "up_to_date": True},
        "scheduler": {"hosted": False, "alive": None}, "workers": [], "channels": [], "panels": [],
    }  # fmt: skip


async def test_health_tells_the_last_run_of_each_panel_and_its_alarms(bench, watch):
    ended(bench, "2026-01", [answer("Oaks grow.", *CITED)] * 6)
    ended(bench, "2026-02", [answer("Oaks grow.")] * 6)
    async with visiting(watch) as client:
        got = (await client.get("/health")).json()
    schema = json.loads((ROOT / "docs" / "schemas" / "health.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator(schema).validate(got)
    (panel,) = got["panels"]
    assert panel["last_run"]["run"] == "run:trees:2026-02"
    assert (panel["last_run"]["answered"], panel["last_run"]["planned"]) == (6, 6)
    assert [one["kind"] for one in panel["alarms"]] == ["stopped_citing"]
    assert list(panel["last_success"]) == ["openai"]
    assert got["status"] == "ok"
    assert got["warnings"][0].startswith("trees: openai has all but stopped citing")


async def test_health_fails_where_the_store_cannot_be_read(bench, monkeypatch):
    def down():
        raise StoreError("postgresql://me@db.example is away")

    watch = HealthWatch(bench, holds=0.0)
    monkeypatch.setattr(watch._examiner, "look", down)
    monkeypatch.setattr(watch._examiner, "glance", down)
    async with visiting(watch) as client:
        got, page = await client.get("/health"), await client.get("/")
    assert (got.status_code, page.status_code) == (503, 503)
    assert got.json()["store"] == {"reachable": False, "up_to_date": False}
    assert "db.example" not in got.text + page.text
    assert (await metrics(watch))["store_up",] == 0


async def test_health_fails_where_the_schema_is_not_that_of_this_version(bench, watch, monkeypatch):
    monkeypatch.setattr("monitor.pipeline.examining.check", lambda _: "run `monitor db upgrade`")
    async with visiting(watch) as client:
        got = await client.get("/health")
    assert got.status_code == 503
    assert got.json()["problems"] == ["run `monitor db upgrade`"]
    assert got.json()["store"] == {"reachable": True, "up_to_date": False}


async def test_a_store_that_hangs_is_told_and_not_waited_for(bench, monkeypatch):
    let_go = threading.Event()
    watch = HealthWatch(bench, holds=0.0, patience=0.05)
    look, looks = watch._examiner.look, []

    def hang():
        looks.append(1)
        let_go.wait(20)
        return look()

    monkeypatch.setattr(watch._examiner, "look", hang)
    async with visiting(watch) as client:
        first, second = await asyncio.gather(client.get("/health"), client.get("/health"))
        assert (first.status_code, second.status_code, len(looks)) == (503, 503, 1)
        assert "did not answer" in first.json()["problems"][0]
        let_go.set()
        await watch._task
        monkeypatch.setattr(watch, "_patience", 20)
        assert (await client.get("/health")).status_code == 200


async def test_a_dead_scheduler_fails_health_and_a_living_one_does_not(bench):
    for alive in (True, False):
        async with visiting(HealthWatch(bench, scheduler=lambda alive=alive: alive)) as client:
            got = await client.get("/health")
        assert got.status_code == (200 if alive else 503)
        assert got.json()["scheduler"] == {"hosted": True, "alive": alive}


async def test_runs_that_wait_for_workers_fail_health_until_one_is_there(bench):

    update = {"runner": RunnerPart(name="pgqueuer")}
    settings = bench.settings.model_copy(update=update)
    watch = HealthWatch(replace(bench, settings=settings), holds=0.0)
    planned(bench, "2026-01", TREES)
    async with visiting(watch) as client:
        assert "no worker" in (await client.get("/health")).json()["problems"][0]
        at = bench.clock.now()
        bench.write(lambda c: see_worker(c, "host:1", ["pages"], at=at))
        watch._until = 0.0
        got = await client.get("/health")
    assert got.status_code == 200
    assert got.json()["workers"][0]["name"] == "host:1"


async def test_a_slot_that_no_scheduler_takes_fails_health(bench, tmp_path):

    (tmp_path / "panels").mkdir()
    (tmp_path / "panels" / "trees.yaml").write_text(
        "panel: trees\nversion: 1\nrepeats: 1\nlocale: en-GB\nengines: [openai]\n"
        'schedule: {cron: "0 6 1 * *", timezone: UTC}\n'
        "prompts:\n  - {id: p1, text: How do oaks grow?}\n"
    )
    long_ago = bench.clock.now() - timedelta(days=40)
    rule = Schedule("0 6 1 * *", "UTC")
    bench.write(lambda c: schedules.keep_rule(c, "trees", rule, at=long_ago))
    async with visiting(HealthWatch(bench)) as client:
        got = await client.get("/health")
    assert got.status_code == 503
    assert "no scheduler takes it" in got.json()["problems"][0]


async def test_metrics_count_runs_that_ended_and_runs_under_way_alike(bench, watch):
    ended(bench, "2026-01", [answer("Oaks grow.", *CITED)] * 5 + [b"[]"])
    run = planned(bench, "2026-02", TREES)
    first = await metrics(watch)
    assert first["captures", "answered", "openai"] == 5
    assert first["captures", "error/unreadable", "openai"] == 1
    assert first["captures_planned", "openai"] == 12
    assert first["queue_depth", "engine:openai"] == 6
    assert first["queue_oldest_seconds", "engine:openai"] >= 0
    assert first["last_run_state", "planned", "trees"] == 1
    assert first["last_run_captures", "openai", "planned", "trees"] == 6
    keep_answers(bench, run, *[answer("Oaks grow.", *CITED)] * 6)
    watch._until = 0.0
    second = await metrics(watch)
    assert second["captures", "answered", "openai"] == 11
    assert ("queue_depth", "engine:openai") not in second


async def test_metrics_tell_the_steps_that_wait_for_workers(tmp_path, monkeypatch, postgres_url):
    with bench_on(postgres_url, tmp_path / "artifacts", monkeypatch) as bench:
        steps = [Job(1, "pages", 7), Job(1, "pages", 8), Job(1, "run", 1), Job(1, "engine:x", 3)]
        bench.write(lambda c: queue.enqueue(c, steps))
        part = bench.settings.model_copy(update={"panels": str(tmp_path / "panels")})
        seen = await metrics(HealthWatch(replace(bench, settings=part), holds=0.0))
    assert seen["queue_depth", "pages"] == 2
    assert seen["queue_depth", "run"] == 1
    assert seen["queue_oldest_seconds", "pages"] >= 0
    assert ("queue_depth", "engine:x") not in seen


async def test_metrics_tell_successes_alarms_money_and_what_was_given_up(bench, watch):
    ended(bench, "2026-01", [answer("Oaks grow.", *CITED)] * 6)
    run = ended(bench, "2026-02", [answer("Oaks grow.")] * 6)
    at = bench.clock.now()

    def trouble(connection):
        message = deliveries.Message("ping:1", "ping", "panel:trees", {})
        deliveries.save(connection, message, at=at - timedelta(hours=1))
        one = deliveries.claim(connection, at=at, lease=timedelta(seconds=60))
        deliveries.mark_failed(connection, one, "answered 404", due=None)
        deliveries.save(connection, replace(message, key="ping:2"), at=at - timedelta(hours=1))
        job = Job(run.id, "engine:openai", 1)
        jobs.start_jobs(connection, [job], most_starts=3, at=at)
        jobs.fail_job(connection, job, "broken", most_failures=1, at=at)

    bench.write(trouble)
    found = await metrics(watch)
    assert found["last_success_timestamp_seconds", "openai", "trees"] == pytest.approx(
        run.finished_at.timestamp(), abs=1
    )
    assert found["alarm", "openai", "stopped_citing", "trees"] == 1
    assert (found["outbox_given_up", "ping"], found["outbox_waiting", "ping"]) == (1, 1)
    assert found["outbox_oldest_seconds", "ping"] == pytest.approx(3600, abs=60)
    assert found["jobs_given_up", "engine:openai"] == 1
    assert found["healthy",] == 1


async def test_digests_that_were_not_taken_are_told_by_channel(bench, watch):
    at = bench.clock.now()

    def trouble(connection):
        message = deliveries.Message("digest:1", "digest", "channel:ops", {})
        deliveries.save(connection, message, at=at - timedelta(hours=2))
        one = deliveries.claim(connection, at=at, lease=timedelta(seconds=60))
        deliveries.mark_failed(connection, one, "answered 404", due=None)
        deliveries.save(connection, replace(message, key="digest:2"), at=at - timedelta(hours=1))

    bench.write(trouble)
    found = await metrics(watch)
    assert (found["channel_given_up", "ops"], found["channel_waiting", "ops"]) == (1, 1)
    assert found["channel_oldest_seconds", "ops"] == pytest.approx(3600, abs=60)
    assert found["outbox_waiting", "ping"] == 0
    told = health_json(await watch.look())
    (channel,) = told["channels"]
    assert (channel["channel"], channel["waiting"], channel["given_up"]) == ("ops", 1, 1)
    assert channel["oldest_seconds"] == pytest.approx(3600, abs=60)
    assert told["status"] == "ok"
    (warning,) = [one for one in told["warnings"] if "ops" in one]
    assert warning.startswith("channel ops: 1 messages were given up; `monitor alerts deliveries`")


async def test_labels_are_those_of_closed_lists(bench, watch, monkeypatch):
    ended(bench, "2026-01", [answer("Oaks grow.")] * 6)
    monkeypatch.setattr("monitor.web.metrics.ENGINES", {})
    monkeypatch.setattr("monitor.web.metrics.OUTCOMES", frozenset())
    assert (await metrics(watch))["captures", "other", "other"] == 6


async def test_a_look_holds_for_ten_times_as_long_as_it_took(bench, monkeypatch):
    watch = HealthWatch(bench, holds=0.0)
    look, looks = watch._examiner.look, []
    monkeypatch.setattr(watch._examiner, "look", lambda: looks.append(1) or look())
    await watch.look()
    for _ in range(20):
        await watch.look()
    assert len(looks) == 1
    assert watch._until - bench.clock.monotonic() > 0
    watch._until = 0.0
    await watch.look()
    assert len(looks) == 2


async def test_a_scrape_writes_nothing(bench, watch, tmp_path):
    ended(bench, "2026-01", [answer("Oaks grow.")] * 6)
    statements = []

    event.listen(
        bench.database._engine, "before_cursor_execute", lambda *a: statements.append(a[2])
    )
    await metrics(watch)
    assert statements
    assert [s for s in statements if not s.lstrip().startswith(("SELECT", "BEGIN", "PRAGMA"))] == []


async def test_the_page_shows_runs_and_escapes_everything(bench, monkeypatch):
    run = ended(bench, "2026-01", [answer("Oaks grow.")] * 6)
    watch = HealthWatch(bench)
    evil = "<script>alert(1)</script>"
    health = replace(await watch.glance(), warnings=(evil,))

    async def glance():
        return health

    monkeypatch.setattr(watch, "glance", glance)
    async with visiting(watch) as client:
        page = (await client.get("/")).text
    assert run.public_id in page
    assert "6 of 6" in page
    assert evil not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize("path", ["/", "/health", "/metrics", "/static/style.css", "/nothing"])
async def test_every_answer_carries_the_security_headers(watch, path):
    async with visiting(watch) as client:
        got = await client.get(path)
    policy = got.headers["content-security-policy"]
    assert policy.startswith("default-src 'none'; style-src 'self';")
    assert "frame-ancestors 'none'" in policy
    assert "unsafe" not in policy
    assert got.headers["x-content-type-options"] == "nosniff"
    assert got.headers["cache-control"] == "no-store"
    assert "server" not in got.headers
    assert got.status_code == (404 if path == "/nothing" else 200)


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH"])
async def test_nothing_can_be_changed(watch, method):
    async with visiting(watch) as client:
        assert (await client.request(method, "/health")).status_code == 405


async def test_a_page_that_points_its_own_name_here_reads_nothing(bench, watch):
    async with visiting(watch, hosts=["Monitor.example.org"]) as client:
        for host, status in (
            ("evil.example", 421),
            ("127.0.0.1.evil.example:8750", 421),
            ("", 421),
            ("localhost:8750", 200),
            ("monitor.example.org", 200),
        ):
            got = await client.get("/health", headers={"host": host})
            assert got.status_code == status, host
            assert "content-security-policy" in got.headers


@pytest.mark.parametrize(
    ("host", "ours"),
    [
        ("127.0.0.1", True), ("127.0.0.1:8750", True), ("[::1]:8750", True), ("LOCALHOST", True),
        ("10.0.0.7:80", True), ("localhost.evil.example", False), ("localhost:80@evil", False),
        ("evil", False), ("[evil]:80", False), ("127.0.0.1:80:80", False), ("::1", False),
    ],
)  # fmt: skip
def test_addresses_and_known_names_are_ours(host, ours):
    assert is_ours(host, frozenset()) is ours


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "10.0.0.7", "192.168.1.4", "8.8.8.8"])
def test_an_address_that_others_reach_is_refused(host):
    with pytest.raises(ConfigError, match="no password yet"):
        require_safe_address(host, WebPart(), open_to_anyone=False)
    require_safe_address(host, WebPart(trusted_proxy=True), open_to_anyone=False)
    require_safe_address(host, WebPart(), open_to_anyone=True)


@pytest.mark.parametrize("host", ["127.0.0.1", "::1", "127.9.9.9"])
def test_this_machine_alone_is_fine(host):
    require_safe_address(host, WebPart(), open_to_anyone=False)


def test_a_name_is_no_address_to_listen_on():
    with pytest.raises(ConfigError, match="not a name"):
        require_safe_address("localhost", WebPart(), open_to_anyone=True)
