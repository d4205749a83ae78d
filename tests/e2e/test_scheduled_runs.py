"""`monitor schedule` as a process: killed or ended in mid-run, the slot still has one run."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, contextmanager
from datetime import UTC, datetime

import pytest

from tests.e2e.processes import ENGINES, KEYS, PANEL, ROOT, place

pytestmark = pytest.mark.e2e

LATENCY_MS = 300
CONCURRENCY = 3
PROMPTS = 8
UNDER_WAY = CONCURRENCY * len(ENGINES)
"""Calls that a kill can cut, at most."""
YEARLY = "0 0 1 1 *"
SLOT = f"{datetime.now(UTC):%Y}-01-01T00:00"
"""The slot that was missed: this year's only one."""
RUN = f"run:{PANEL}:{SLOT}"
QUICK = """
import sys
from pathlib import Path
from threading import Event
from monitor.config.settings import load_settings
from monitor.pipeline.bench import open_bench
from monitor.schedule import run_scheduler
with open_bench(load_settings(Path(sys.argv[1]))) as bench:
    run_scheduler(bench, Event(), look_seconds=0.2)
"""
"""A scheduler that looks more often than `monitor schedule` does."""


@pytest.fixture
def here(tmp_path):
    """The small panel with a rule that the store has known for years."""
    with place(
        tmp_path, latency_ms=LATENCY_MS, concurrency=CONCURRENCY, prompts=slice(PROMPTS)
    ) as made:
        path = tmp_path / "panels" / f"{PANEL}.yaml"
        panel = json.loads(path.read_text("utf-8"))
        panel["schedule"] = {"cron": YEARLY, "timezone": "UTC"}
        path.write_text(json.dumps(panel), "utf-8")
        assert made.call("schedule", "list").returncode == 0
        with store(made) as rows:
            rows.execute(
                "INSERT INTO schedule (panel, cron, timezone, known_since)"
                " VALUES (?, ?, 'UTC', '2020-06-01 00:00:00.000000')",
                (PANEL, YEARLY),
            )
        yield made


@pytest.fixture
def begin(here):
    """Start `monitor schedule`; whatever is left of it ends with the test."""
    begun = []

    def start():
        begun.append(here.start("schedule"))
        return begun[-1]

    yield start
    for one in begun:
        one.kill()
        one.wait(timeout=10)


@contextmanager
def store(here):
    with closing(sqlite3.connect(here.folder / "monitor.db", timeout=30)) as rows, rows:
        yield rows


def told(here):
    done = here.call("schedule", "list", "--json")
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)["panels"][0]


def wait_done(here):
    ends = time.monotonic() + 90
    while time.monotonic() < ends:
        with store(here) as rows:
            if rows.execute("SELECT state FROM run").fetchall() == [("done",)]:
                return
        time.sleep(0.1)
    raise AssertionError((here.folder / "background.txt").read_text("utf-8"))


def wait_pointers(here, count):
    ends = time.monotonic() + 60
    while len(here.pointers()) < count:
        assert time.monotonic() < ends, (here.folder / "background.txt").read_text("utf-8")
        time.sleep(0.01)


def ended(process):
    """Exit code of a process that was asked politely to end, and the seconds it took."""
    begun = time.monotonic()
    process.send_signal(signal.SIGTERM)
    return process.wait(timeout=60), time.monotonic() - begun


def assert_one_run(here):
    """One run of the one slot, with every planned capture stored."""
    one = told(here)
    assert (one["last"]["slot"], one["run"], one["run_state"]) == (SLOT, RUN, "done")
    with store(here) as rows:
        assert rows.execute("SELECT public_id FROM run").fetchall() == [(RUN,)]
        states = rows.execute("SELECT state, count(*) FROM capture GROUP BY state").fetchall()
    assert states == [("stored", PROMPTS * 2 * len(ENGINES))]


def test_a_scheduler_killed_in_mid_run_goes_on_with_it_when_it_starts_again(here, begin):
    here.kill(begin(), after=15)
    asked, on_disk = here.settled(LATENCY_MS / 1000), here.pointers()
    assert told(here)["run_state"] == "running"

    again = begin()
    wait_done(here)
    assert ended(again)[0] == 0

    assert_one_run(here)
    assert here.asked() - asked == len(here.pointers() - on_disk)
    assert 0 <= asked - len(on_disk) <= UNDER_WAY


def test_a_scheduler_told_to_end_stops_its_run_where_it_stands(here, begin):
    process = begin()
    wait_pointers(here, 10)
    code, seconds = ended(process)
    assert (code, seconds < 10) == (0, True)
    assert told(here)["run_state"] == "running"
    said = (here.folder / "background.txt").read_text("utf-8")
    assert "run_stopped" in said
    assert "Traceback" not in said

    again = begin()
    wait_done(here)
    assert ended(again)[0] == 0
    assert_one_run(here)


@pytest.fixture
def both(here):
    """Two schedulers of one store, begun together."""
    with (here.folder / "background.txt").open("ab") as output:
        begun = [
            subprocess.Popen(
                [sys.executable, "-c", QUICK, str(here.config)],
                cwd=ROOT, env={**os.environ, **KEYS}, stdout=output, stderr=output,
            )
            for _ in range(2)
        ]  # fmt: skip
    yield begun
    for one in begun:
        one.kill()
        one.wait(timeout=10)


def test_of_two_schedulers_one_takes_over_the_run_of_the_other_when_it_is_killed(here, both):
    wait_pointers(here, 5)
    holder = int((here.folder / "monitor.lock").read_text("ascii"))
    (worker,) = [one for one in both if one.pid == holder]
    here.kill(worker, after=5)

    # The other may ask as soon as the first is gone: only what a kill cut is counted twice in all.
    wait_done(here)
    assert [one.poll() for one in both if one is not worker] == [None]
    assert_one_run(here)
    answered = here.pointers()
    assert 0 <= here.asked() - len(answered) <= UNDER_WAY
    assert len({one.rpartition("/")[0] for one in answered}) == len(answered)
