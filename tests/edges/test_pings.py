"""Pings of a dead-man switch: what is sent, what is tried again, and what never leaves."""

import asyncio
from dataclasses import replace
from datetime import timedelta

import httpx
import pytest
from pydantic import SecretStr

from monitor.config.parts import AlarmsPart, HealthPart
from monitor.pipeline import notifying
from monitor.pipeline.alarming import take_stock
from monitor.store import deliveries, runs
from tests.capturing import FakeClock
from tests.stored import bench_in, planned

URL = "https://ping.example.org/5ecret-uuid"
UNHEARD = "alarm: openai was heard in 0 of 1 planned captures, 1 are missing."


class Switch:
    """A dead-man switch that answers as it is told, then 200."""

    def __init__(self, *answers):
        self.answers, self.calls = list(answers), []

    async def __call__(self, request):
        self.calls.append((request.method, str(request.url), request.content.decode()))
        answer = self.answers.pop(0) if self.answers else 200
        if isinstance(answer, Exception):
            raise answer
        return httpx.Response(answer, headers={"location": "https://elsewhere.example/"})

    @property
    def paths(self):
        return [url.removeprefix(URL) for _, url, _ in self.calls]


@pytest.fixture
def desk(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        yield Desk(bench)


class Desk:
    """A run of one capture whose moves are announced, and the outbox's clock."""

    def __init__(self, bench):
        self.clock = FakeClock()
        self.bench = replaced(bench, clock=self.clock, ping_url=SecretStr(URL))
        self.run = planned(self.bench)

    def move(self, state):
        def change(connection):
            moved = runs.set_run_state(connection, self.run.id, state, at=self.clock.now())
            notifying.announce(connection, self.bench.settings, moved, at=self.clock.now())
            return moved

        self.run = self.bench.write(change)

    async def deliver(self, switch, **more):
        async with httpx.AsyncClient(transport=httpx.MockTransport(switch)) as client:
            return await notifying.deliver_due(self.bench, client=client, **more)

    def load(self, event):
        key = f"ping:{self.run.public_id}:{event}"
        return self.bench.read(lambda c: deliveries.load(c, key))


def replaced(bench, *, clock=None, **health):
    settings = bench.settings.model_copy(update={"health": HealthPart(**health)})
    return replace(bench, settings=settings, clock=clock or bench.clock)


async def test_a_run_pings_its_start_and_its_success(desk):
    switch = Switch()
    desk.move(runs.RunState.RUNNING)
    assert await desk.deliver(switch) == 1
    desk.move(runs.RunState.DONE)
    assert await desk.deliver(switch) == 1
    assert switch.paths == ["/start", ""]
    assert switch.calls[1] == ("POST", URL, "run:trees:2026-01 done\nopenai: 0 of 1 answered")


@pytest.mark.parametrize("state", ["incomplete", "failed", "cancelled"])
async def test_every_other_end_pings_fail(desk, state):
    switch = Switch()
    desk.move(runs.RunState(state))
    await desk.deliver(switch)
    assert switch.paths == ["/fail"]
    assert f"run:trees:2026-01 {state}" in switch.calls[0][2]


async def test_a_done_run_with_an_alarm_pings_fail_unless_told_otherwise(desk):
    switch = Switch()
    await take_stock(desk.bench, desk.run)
    desk.move(runs.RunState.DONE)
    await desk.deliver(switch)
    assert switch.paths == ["/fail"]
    assert switch.calls[0][2].splitlines()[-1] == UNHEARD


async def test_alarms_can_ride_along_with_a_success(desk):
    switch = Switch()
    settings = desk.bench.settings.model_copy(update={"alarms": AlarmsPart(ping_fail=False)})
    desk.bench = replace(desk.bench, settings=settings)
    await take_stock(desk.bench, desk.run)
    desk.move(runs.RunState.DONE)
    await desk.deliver(switch)
    assert switch.paths == [""]
    assert switch.calls[0][2].splitlines()[-1] == UNHEARD


async def test_moving_again_and_delivering_again_send_nothing_again(desk):
    switch = Switch()
    desk.move(runs.RunState.RUNNING)
    desk.move(runs.RunState.RUNNING)
    await desk.deliver(switch)
    desk.move(runs.RunState.INCOMPLETE)
    desk.move(runs.RunState.RUNNING)
    await desk.deliver(switch)
    await desk.deliver(switch)
    assert switch.paths == ["/start", "/fail"]


async def test_a_switch_that_fails_is_tried_again_later_each_time(desk):
    switch = Switch(500, httpx.ConnectError("refused"), 429)
    desk.move(runs.RunState.RUNNING)
    pauses = []
    while desk.load("start").state == "waiting":
        await desk.deliver(switch)
        pauses.append((desk.load("start").due_at - desk.clock.now()).total_seconds())
        desk.clock.seconds += max(pauses[-1], 0)
    assert pauses[:3] == [2, 4, 8]
    assert (desk.load("start").state, len(switch.calls)) == ("sent", 4)


async def test_tries_are_bounded_and_the_last_reason_is_kept(desk):
    switch = Switch(*[503] * 50)
    desk.move(runs.RunState.RUNNING)
    while desk.load("start").state == "waiting":
        await desk.deliver(switch)
        desk.clock.seconds += 1800
    assert len(switch.calls) == 12
    assert (desk.load("start").state, desk.load("start").error) == ("given_up", "answered 503")


@pytest.mark.parametrize("status", [301, 302, 307, 308, 401, 404, 410])
async def test_a_refusal_for_good_is_tried_once_and_a_redirect_is_not_followed(desk, status):
    switch = Switch(status)
    desk.move(runs.RunState.RUNNING)
    assert await desk.deliver(switch) == 0
    kept = desk.load("start")
    assert (kept.state, switch.paths) == ("given_up", ["/start"])
    assert kept.error.startswith(f"answered {status}")


async def test_a_switch_that_hangs_is_given_up_in_time(desk):
    async def hang(_request):
        await asyncio.sleep(30)

    desk.bench = replaced(
        desk.bench, clock=desk.clock, ping_url=SecretStr(URL), ping_timeout_seconds=0.05
    )
    desk.move(runs.RunState.RUNNING)
    assert await desk.deliver(hang) == 0
    assert desk.load("start").error == "no answer within 0.05 seconds"


async def test_killed_between_sending_and_marking_sends_one_duplicate(desk, monkeypatch):
    switch = Switch()
    desk.move(runs.RunState.RUNNING)

    def killed(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(deliveries, "mark_sent", killed)
        with pytest.raises(KeyboardInterrupt):
            await desk.deliver(switch)
    assert await desk.deliver(switch) == 0
    desk.clock.seconds += 90
    assert await desk.deliver(switch) == 1
    assert await desk.deliver(switch) == 0
    assert switch.paths == ["/start", "/start"]


async def test_patience_waits_for_the_next_try(tmp_path, monkeypatch):
    monkeypatch.setattr(notifying, "_FIRST_PAUSE", 0.05)
    with bench_in(tmp_path, monkeypatch) as bench:
        desk, switch = Desk(bench), Switch(500)
        desk.bench = replaced(bench, ping_url=SecretStr(URL))
        desk.clock = bench.clock
        desk.move(runs.RunState.RUNNING)
        assert await desk.deliver(switch, patience=5) == 1
        assert switch.paths == ["/start", "/start"]


async def test_without_a_ping_url_nothing_is_announced(desk):
    desk.bench = replaced(desk.bench, clock=desk.clock)
    desk.move(runs.RunState.RUNNING)
    assert desk.load("start") is None


async def test_a_panel_may_have_a_switch_of_its_own(desk):
    own = "https://ping.example.org/for-trees"
    desk.bench = replaced(desk.bench, clock=desk.clock, panel_ping_urls={"trees": own})
    switch = Switch()
    desk.move(runs.RunState.RUNNING)
    await desk.deliver(switch)
    assert [url for _, url, _ in switch.calls] == [f"{own}/start"]


async def test_a_ping_url_may_lie_in_a_file(desk, tmp_path):
    (tmp_path / "url").write_text(f"{URL}\n")
    desk.bench = replaced(desk.bench, clock=desk.clock, ping_url_file=str(tmp_path / "url"))
    switch = Switch()
    desk.move(runs.RunState.RUNNING)
    await desk.deliver(switch)
    assert switch.paths == ["/start"]


async def test_a_file_without_an_address_is_named_and_what_it_holds_is_not(desk, tmp_path):
    (tmp_path / "url").write_text("5ecret-uuid")
    desk.bench = replaced(desk.bench, clock=desk.clock, ping_url_file=str(tmp_path / "url"))
    desk.move(runs.RunState.RUNNING)
    assert await desk.deliver(Switch()) == 0
    kept = desk.load("start")
    assert "health.ping_url_file" in kept.error
    assert "5ecret" not in kept.error
    assert kept.due_at == desk.clock.now() + timedelta(seconds=2)


async def test_the_url_is_in_no_file_of_the_store(desk, tmp_path):
    desk.move(runs.RunState.RUNNING)
    await desk.deliver(Switch(httpx.ConnectError(f"cannot reach {URL}"), 404))
    desk.move(runs.RunState.FAILED)
    await desk.deliver(Switch(404))
    desk.bench.writer.close()
    kept = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert b"run:trees:2026-01" in kept
    assert b"5ecret" not in kept
    assert "5ecret" not in repr(desk.bench.settings)


def test_a_living_scheduler_pings_its_own_switch_now_and_then(desk):
    desk.bench = replaced(
        desk.bench, clock=desk.clock, alive_ping_url=SecretStr(URL), alive_seconds=300
    )
    switch = Switch(500)
    client = httpx.AsyncClient(transport=httpx.MockTransport(switch))
    herald = notifying.Herald(desk.bench, client)
    for seconds in (0, 60, 60, 299, 1, 300):
        desk.clock.seconds += seconds
        herald.tell()
    # Tried again at the next look after a failure, then not before 300 s: at 0, 60, 419 and 720.
    assert switch.paths == ["", "", "", ""]


def test_a_herald_outlives_whatever_happens(desk, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("the store is away")

    monkeypatch.setattr(notifying, "deliver_due", broken)
    notifying.Herald(desk.bench).tell()
