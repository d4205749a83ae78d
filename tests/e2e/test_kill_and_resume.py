"""`monitor run` is killed mid-run, `monitor resume` goes on: nothing on disk is asked again."""

import random
import sqlite3
from contextlib import closing

import pytest

from tests.e2e.accounts import Accounts
from tests.e2e.crew import assert_within_limits
from tests.e2e.processes import ENGINES, RUN, SLOT, place

pytestmark = pytest.mark.e2e

LATENCY_MS = 150
CONCURRENCY = 4
PER_MINUTE = 900
PLANNED = 12 * 2
"""Captures of each engine."""
UNDER_WAY = CONCURRENCY * len(ENGINES)
"""Calls that a kill can cut, at most."""


@pytest.fixture
def here(tmp_path):
    with place(tmp_path, latency_ms=LATENCY_MS, concurrency=CONCURRENCY) as made:
        yield made


@pytest.fixture
def quick(tmp_path):
    """No pages are fetched, answers come at once: what is asked is all that matters."""
    with place(tmp_path, latency_ms=5, concurrency=CONCURRENCY, fetch=False) as made:
        yield made


def begin(here):
    return here.start("run", "small", "--slot", SLOT, "--no-browser")


def assert_complete(told):
    """Every planned capture stored, heard of or not, and the run done."""
    assert told["state"] == "done"
    assert {e: c["planned"] for e, c in told["engines"].items()} == dict.fromkeys(ENGINES, PLANNED)
    assert [sum(c["outcomes"].values()) for c in told["engines"].values()] == [PLANNED] * 3


def forget_newest(here):
    """Take the newest stored capture out of the database, as if its commit had been lost."""
    with closing(sqlite3.connect(here.folder / "monitor.db")) as store, store:
        (newest,) = store.execute(
            "SELECT id FROM capture WHERE state = 'stored' ORDER BY stored_at DESC LIMIT 1"
        ).fetchone()
        for table in ("payload", "spend", "citation", "retrieved_source", "search_query"):
            store.execute(f"DELETE FROM {table} WHERE capture_id = ?", (newest,))
        store.execute(
            "UPDATE capture SET state = 'planned', reading_id = NULL, stored_at = NULL,"
            " asked_at = NULL WHERE id = ?",
            (newest,),
        )
        store.execute("DELETE FROM reading WHERE capture_id = ?", (newest,))
    return newest


def test_killed_run_is_finished_without_asking_again_what_is_on_disk(here):
    here.kill(begin(here), after=15)
    asked, on_disk = here.settled(LATENCY_MS / 1000), here.pointers()
    assert here.told("status", code=0)["state"] == "running"

    assert_complete(here.told("resume", RUN, code=0))

    assert on_disk < here.pointers()
    assert here.asked() - asked == len(here.pointers() - on_disk)
    assert 0 <= asked - len(on_disk) <= UNDER_WAY


def test_answer_whose_commit_was_lost_is_read_from_disk(here):
    here.kill(begin(here), after=15, with_stored=1)
    asked, on_disk = here.settled(LATENCY_MS / 1000), here.pointers()
    lost = forget_newest(here)

    assert_complete(here.told("resume", RUN, code=0))

    own = {name for name in here.pointers() if name.startswith(f"{lost}/")}
    assert own == {name for name in on_disk if name.startswith(f"{lost}/")}
    assert here.asked() - asked == len(here.pointers() - on_disk)


def test_finished_run_is_not_asked_again(quick):
    assert begin(quick).wait(timeout=180) == 0
    asked = quick.asked()
    assert_complete(quick.told("resume", RUN, code=0))
    assert_complete(quick.told("run", "small", "--slot", SLOT, "--no-browser", code=0))
    assert quick.asked() == asked == len(quick.pointers())


def test_run_stops_at_its_cap_on_calls_and_goes_on_under_a_larger_one(quick):
    words = ("run", "small", "--slot", SLOT, "--no-browser", "--budget-calls", 10)
    capped = quick.told(*words, code=3)
    assert capped["state"] == "incomplete"
    assert "would pass the budget" in capped["said"]
    assert quick.asked() == 10

    assert quick.told("resume", RUN, code=3)["state"] == "incomplete"
    assert quick.asked() == 10
    assert_complete(quick.told("resume", RUN, "--budget-calls", 500, code=0))
    assert quick.asked() == len(quick.pointers())


def test_run_stops_at_its_cap_on_money(quick):
    words = ("run", "small", "--slot", SLOT, "--no-browser", "--engine", "openai")
    capped = quick.told(*words, "--budget", "0.1", code=3)
    assert capped["state"] == "incomplete"
    assert 0 < capped["engines"]["openai"]["micros"] <= 100_000
    assert quick.told("resume", RUN, "--budget", 50, code=0)["state"] == "done"


@pytest.mark.timeout(600)
@pytest.mark.parametrize(
    ("kills", "prompts"), [(3, 6), pytest.param(20, 24, marks=pytest.mark.torture)]
)
def test_run_killed_at_random_moments_loses_nothing_and_pays_each_answer_once(
    tmp_path, capsys, kills, prompts
):
    dice = random.Random(kills)
    with place(
        tmp_path,
        latency_ms=LATENCY_MS,
        concurrency=2,
        prompts=slice(prompts),
        per_minute=PER_MINUTE,
    ) as here:
        accounts, process = Accounts(here), begin(here)
        for _ in range(kills):
            here.kill(process, after=dice.randrange(1, 4), later=dice.uniform(0, 0.15))
            accounts.note_kill()
            process = here.start("resume", RUN)
        assert process.wait(timeout=120) == 0
        assert here.told("status", code=0)["state"] == "done"
        counts = accounts.told()
    with capsys.disabled():
        print(f"\nSQLite, one process: {counts}")
    assert (counts.planned, counts.kills) == (prompts * 2 * len(ENGINES), kills)
    assert (counts.lost, counts.paid_twice) == (0, 0)
    assert 0 <= counts.cut <= kills * 2 * len(ENGINES)
    assert_within_limits(counts, 2, PER_MINUTE)
