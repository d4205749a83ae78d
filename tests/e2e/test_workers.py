"""Two workers on one PostgreSQL; one of them is killed, and nothing is lost or paid for twice."""

import json
import random
import time
from pathlib import Path

import pytest

from tests.e2e.crew import (
    CONCURRENCY,
    LATENCY_MS,
    UNDER_WAY,
    assert_complete,
    assert_limits_held,
    assert_within_limits,
    crew_in,
)
from tests.e2e.processes import RUN

pytestmark = pytest.mark.e2e


@pytest.fixture
def crew(tmp_path, postgres_url):
    with crew_in(tmp_path, postgres_url) as made:
        yield made


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


@pytest.mark.parametrize(
    "after",
    [
        pytest.param(2, marks=pytest.mark.torture),
        14,
        pytest.param(40, marks=pytest.mark.torture),
    ],
)
def test_jobs_of_a_killed_worker_are_taken_over_and_no_answer_on_disk_is_asked_again(crew, after):
    first, _ = crew.hire(), crew.hire()
    crew.begin()
    crew.on_disk(after)
    crew.kill(first)
    told = crew.ended()
    assert_complete(told)
    assert_limits_held(crew)
    counts = crew.accounts.told()
    assert (counts.lost, counts.paid_twice) == (0, 0)
    assert 0 <= counts.cut <= UNDER_WAY
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
def test_workers_killed_at_twenty_random_moments_lose_nothing(tmp_path, postgres_url, capsys):
    dice = random.Random(20)
    # Slow enough for a killed worker to have calls under way, twenty times.
    pace = {"latency_ms": 800, "per_minute": 100}
    with crew_in(tmp_path, postgres_url, prompts=24, **pace) as crew:
        crew.hire()
        crew.hire()
        crew.begin()
        while crew.accounts.kills < 20 and crew.is_open():
            crew.on_disk(dice.randrange(1, 4))
            time.sleep(dice.uniform(0, 0.5))
            crew.kill(dice.choice(crew.workers))
            crew.hire()
        assert_complete(crew.ended(within=300), 2 * 24)
        counts = crew.accounts.told()
    with capsys.disabled():
        print(f"\nPostgreSQL, two workers: {counts}")
    assert counts.kills == 20
    assert (counts.lost, counts.paid_twice) == (0, 0)
    assert 0 <= counts.cut <= 20 * UNDER_WAY
    assert_within_limits(counts, CONCURRENCY, pace["per_minute"])


def test_background_says_nothing_of_questions_or_keys(crew):
    crew.hire()
    crew.begin()
    crew.ended()
    crew.dismiss()
    text = Path(crew.here.folder / "background.txt").read_text()
    panel = json.loads((crew.here.folder / "panels" / "small.yaml").read_text())
    assert [p["text"] for p in panel["prompts"] if p["text"] in text] == []
