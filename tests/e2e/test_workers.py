"""Two workers on one PostgreSQL; one of them is killed, and nothing is lost or paid for twice."""

import json
import os
import random
import signal
import time
from pathlib import Path

import httpx
import pytest

from monitor.store import runs
from tests.e2e.processes import ENGINES, RUN, SLOT, open_store, place

pytestmark = pytest.mark.e2e

LATENCY_MS = 300
CONCURRENCY = 3
TAKEOVER_SECONDS = 2
PER_MINUTE = 600
PLANNED = 12 * 2
UNDER_WAY = CONCURRENCY * len(ENGINES)


class Crew:
    """Workers of one place, and the run they work on."""

    def __init__(self, here):
        self.here = here
        self.workers = []

    def hire(self, *words):
        self.workers.append(self.here.start("worker", *words))
        return self.workers[-1]

    def begin(self, *words):
        words = ("run", "small", "--slot", SLOT, "--no-browser", "--detach", *words)
        done = self.here.call(*words)
        assert done.returncode == 0, done.stdout + done.stderr

    def kill(self, worker):
        """SIGKILL one of our workers, as power loss of its machine would end it."""
        os.kill(worker.pid, signal.SIGKILL)
        worker.wait(10)
        self.workers.remove(worker)

    def standing(self):
        done = self.here.call("status", "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout.splitlines()[0])

    def is_open(self):
        """Whether the run has not ended."""
        with open_store(self.here.database) as store, store.read() as connection:
            return bool(runs.open_runs(connection))

    def ended(self, *, within=90):
        """How the run stands once it is final."""
        ends = time.monotonic() + within
        while self.is_open():
            assert time.monotonic() < ends, self.said()
            time.sleep(0.1)
        return self.standing()

    def on_disk(self, more, *, within=60):
        """The exchanges on disk, once there are so many more."""
        before, ends = self.here.pointers(), time.monotonic() + within
        while len(now := self.here.pointers()) < len(before) + more:
            assert time.monotonic() < ends, self.said()
            time.sleep(0.01)
        return now

    def said(self):
        return (self.here.folder / "background.txt").read_text()[-4000:]

    def calls(self):
        """What the vendors saw: calls at once and the second of each call, by engine."""
        counts = f"{self.here.sandbox.address}/_sandbox/counts"
        return httpx.get(counts, trust_env=False).json()

    def dismiss(self):
        for worker in self.workers:
            worker.terminate()
        return [worker.wait(60) for worker in self.workers]


def settings_of(here, **changes):
    content = json.loads(here.config.read_text())
    for name, part in changes.items():
        content[name] = {**content.get(name, {}), **part}
    here.config.write_text(json.dumps(content))


@pytest.fixture
def crew(tmp_path, postgres_url):
    with place(
        tmp_path, latency_ms=LATENCY_MS, concurrency=CONCURRENCY, database=postgres_url
    ) as here:
        settings_of(here, runner={"name": "pgqueuer", "takeover_seconds": TAKEOVER_SECONDS})
        content = json.loads(here.config.read_text())
        for name in ENGINES:
            content["engines"][name]["per_minute"] = PER_MINUTE
        here.config.write_text(json.dumps(content))
        made = Crew(here)
        yield made
        made.dismiss()


def assert_complete(told):
    assert told["state"] == "done"
    assert {e: c["planned"] for e, c in told["engines"].items()} == dict.fromkeys(ENGINES, PLANNED)
    assert [sum(c["outcomes"].values()) for c in told["engines"].values()] == [PLANNED] * 3
    assert told["given_up"] == []


def assert_limits_held(crew):
    """No engine saw more calls at once, nor more in any minute, than the settings allow."""
    seen = crew.calls()
    assert set(seen["most_at_once"]) == set(ENGINES)
    assert max(seen["most_at_once"].values()) <= CONCURRENCY
    burst = PER_MINUTE / 60
    for engine in ENGINES:
        begun = sorted(seen["begun"][engine])
        for second in begun:
            # In each window of one second: its rate, and the burst of one second's worth.
            inside = [b for b in begun if second <= b < second + 1]
            assert len(inside) <= PER_MINUTE / 60 + burst


def test_two_workers_share_a_run_and_end_in_order(crew):
    crew.hire()
    crew.hire()
    crew.begin()
    assert_complete(crew.ended())
    assert crew.here.asked() == len(crew.here.pointers())
    assert_limits_held(crew)
    assert crew.dismiss() == [0, 0]
    shown = crew.here.call("report", "--out", crew.here.folder / "report.html")
    assert shown.returncode == 0, shown.stderr
    assert crew.here.call("verify").returncode == 0


@pytest.mark.parametrize("after", [2, 14, 40])
def test_jobs_of_a_killed_worker_are_taken_over_and_no_answer_on_disk_is_asked_again(crew, after):
    first, _ = crew.hire(), crew.hire()
    crew.begin()
    crew.on_disk(after)
    crew.kill(first)
    told = crew.ended()
    assert_complete(told)
    assert_limits_held(crew)
    cut = crew.here.asked() - len(crew.here.pointers())
    assert 0 <= cut <= UNDER_WAY
    # The lost machine's jobs were taken over: nobody resumed anything.
    assert told["engines"]["openai"]["unsettled"] <= CONCURRENCY


def test_a_run_that_nobody_works_on_waits_and_says_so(crew):
    crew.begin()
    done = crew.here.call("status")
    assert "running" in done.stdout
    crew.hire()
    assert_complete(crew.ended())


def test_cancelled_run_makes_no_further_call_and_stays_cancelled(crew):
    crew.begin()
    crew.hire()
    crew.on_disk(6)
    assert crew.here.call("cancel", RUN).returncode == 0
    time.sleep(2 * LATENCY_MS / 1000)
    asked = crew.here.asked()
    time.sleep(1.5)
    # What waited for its turn when the run was cancelled may still have gone out, nothing else.
    assert crew.here.asked() - asked == 0
    assert crew.standing()["state"] == "cancelled"
    assert crew.here.call("resume", RUN).returncode == 2


def test_a_cap_stops_all_workers_and_a_higher_one_completes_the_run(crew):
    crew.hire()
    crew.hire()
    crew.begin("--budget-calls", 20)
    told = crew.ended()
    assert told["state"] == "incomplete"
    assert "would pass the budget" in told["held"]
    assert crew.here.asked() == 20
    assert crew.here.call("resume", RUN, "--budget-calls", 500).returncode == 0
    assert_complete(crew.standing())
    assert crew.here.asked() == len(crew.here.pointers())


@pytest.mark.torture
@pytest.mark.timeout(900)
def test_workers_killed_at_twenty_random_moments_lose_nothing(crew, capsys):
    dice = random.Random(20)
    crew.hire()
    crew.hire()
    crew.begin()
    kills = 0
    while kills < 20 and crew.is_open():
        time.sleep(dice.uniform(0.05, 1.5))
        crew.kill(dice.choice(crew.workers))
        kills += 1
        crew.hire()
    told = crew.ended(within=300)
    assert_complete(told)
    assert_limits_held(crew)
    asked, kept = crew.here.asked(), len(crew.here.pointers())
    with capsys.disabled():
        print(
            f"\n{kills} kills: 0 of {3 * PLANNED} captures lost, {asked} calls, {kept} kept, "
            f"{asked - kept} cut in flight, 0 finished ones paid twice"
        )
    assert 0 <= asked - kept <= kills * UNDER_WAY


def test_background_says_nothing_of_questions_or_keys(crew):
    crew.hire()
    crew.begin()
    crew.ended()
    crew.dismiss()
    text = Path(crew.here.folder / "background.txt").read_text()
    panel = json.loads((crew.here.folder / "panels" / "small.yaml").read_text())
    assert [p["text"] for p in panel["prompts"] if p["text"] in text] == []
