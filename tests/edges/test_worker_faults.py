"""A disk that takes no more while workers work: nothing is paid for, and the run goes on after it."""

import errno
import os
import threading

import pytest

from monitor.pipeline import bench as benches
from monitor.pipeline.bench import open_bench
from monitor.pipeline.run_status import run_status
from monitor.store import captures, open_artifacts, readiness, runs
from tests.edges.test_power_loss import FailingDisk
from tests.edges.test_steering import resume
from tests.working import (
    PROMPTS,
    Oracle,
    ended,
    handed_over,
    hasten,
    served_settings,
    until,
    workers,
)


@pytest.fixture
def full(monkeypatch, request):
    """While it is set, no artifacts are taken by any worker, for the reason of the parameter."""
    when = threading.Event()
    when.reason = os.strerror(request.param)

    def opened(url):
        artifacts = open_artifacts(url)
        artifacts._store = FailingDisk(artifacts._store, when, request.param)
        return artifacts

    monkeypatch.setattr(benches, "open_artifacts", opened)
    monkeypatch.setattr(readiness, "_QUIET_SECONDS", 0)
    return when


@pytest.mark.parametrize("full", [errno.ENOSPC, errno.EROFS], indirect=True)
async def test_workers_pay_nothing_while_the_disk_takes_no_more_and_resume_completes_the_run(
    postgres_url, tmp_path, monkeypatch, full
):
    hasten(monkeypatch)
    oracle = Oracle(monkeypatch)
    settings = served_settings(postgres_url, tmp_path / "artifacts")
    oracle.gate.clear()
    with open_bench(settings) as bench:
        run = handed_over(bench)
        async with workers(settings, 2):
            await until(lambda: oracle.asked == settings.engine("openai").concurrency)
            full.set()
            under_way = oracle.asked
            oracle.gate.set()
            told = await ended(bench, run)
            lost = bench.read(lambda c: captures.count_open(c, run.id))
            assert told.state is runs.RunState.INCOMPLETE
            # Calls under way when the disk ran full were paid in vain, and no other one was made.
            assert oracle.asked == under_way
            assert lost == len(PROMPTS)
            given_up = run_status(bench, told).given_up
            assert len(given_up) == lost
            assert all(full.reason in one.error for one in given_up)

            full.clear()
            before = oracle.asked
            resume(bench, run)
            told = await ended(bench, run)
    assert told.state is runs.RunState.DONE
    assert oracle.asked - before == lost
