"""Workers on PgQueuer's queues: caps over all of them, takeover, and a server that goes away."""

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import timedelta

import pytest

from monitor.domain.job import Job
from monitor.durable import pgqueuer
from monitor.durable.pgqueuer import QueueWorker
from monitor.errors import BudgetError, RunCancelledError, StoreError
from monitor.store import open_database, queue
from tests.servers import ROOT, running_postgres

QUEUE = "engine:openai"
TAKEOVER = 2.0
PATIENT = 4.0
"""Where none dies: a busy machine silences workers for a second or two."""
SLACK = 10.0
"""A free worker looks by itself every two seconds; the rest is for a busy machine."""


class Yard:
    """A queue, the workers on it, and what their work saw."""

    def __init__(self, url):
        self.database = open_database(url)
        self.begun = Counter()
        self.ended = Counter()
        self.at_once = 0
        self.most = 0
        self.open = asyncio.Event()
        self.open.set()
        self.stops = []
        self.tasks = []

    async def work(self, job):
        """Count a job, and wait until the test opens the gate."""
        self.begun[job.subject_id] += 1
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        try:
            await asyncio.sleep(0.01)
            await self.open.wait()
        finally:
            self.at_once -= 1
        self.ended[job.subject_id] += 1

    def hire(self, places, work=None, takeover=TAKEOVER):
        """A worker that begins at once."""
        worker = QueueWorker(
            self.database.conninfo,
            {QUEUE: places},
            work or self.work,
            settings=queue.queue_settings(),
            takeover_seconds=takeover,
        )
        self.stops.append(asyncio.Event())
        self.tasks.append(asyncio.create_task(worker.serve(self.stops[-1])))
        return worker

    def put(self, *subjects):
        with self.database.write() as c:
            return queue.enqueue(c, [Job(1, QUEUE, one) for one in subjects])

    def waiting(self):
        with self.database.read() as c:
            return queue.count_jobs(c, 1, QUEUE)

    async def until(self, holds, within=60.0):
        ends = asyncio.get_running_loop().time() + within
        while not holds():
            assert asyncio.get_running_loop().time() < ends, (self.begun, self.ended)
            await asyncio.sleep(0.02)

    async def dismiss(self):
        """Have all workers end in good order."""
        self.open.set()
        for stop in self.stops:
            stop.set()
        await asyncio.gather(*self.tasks)
        self.database.close()


@pytest.fixture
async def yard(postgres_url):
    made = Yard(postgres_url)
    yield made
    await made.dismiss()


@pytest.fixture
def own_server():
    """A server that may be stopped, for nobody else works on it."""
    with running_postgres() as server:
        yield server


@pytest.fixture
async def own_yard(own_server):
    made = Yard(own_server.new_database())
    yield made
    await made.dismiss()


async def test_two_workers_do_each_job_once_and_never_more_at_once_than_the_cap(yard):
    yard.put(*range(60))
    yard.hire(3)
    yard.hire(3)
    await yard.until(lambda: len(yard.ended) == 60)
    await yard.until(lambda: yard.waiting() == 0)
    assert set(yard.begun.values()) == {1}
    assert yard.most == 3


async def test_job_that_comes_while_a_worker_waits_is_begun_at_once(yard, monkeypatch):
    monkeypatch.setattr(pgqueuer, "_POLL", timedelta(minutes=10))
    yard.hire(3)
    await asyncio.sleep(0.5)
    yard.put(1)
    await yard.until(lambda: yard.ended[1] == 1)


async def test_worker_that_is_told_to_stop_finishes_what_it_began_and_leaves_the_rest(yard):
    yard.open.clear()
    yard.put(1, 2, 3, 4)
    worker = yard.hire(2)
    await yard.until(lambda: worker.at_work == 2)
    yard.stops[0].set()
    await asyncio.sleep(0.2)
    assert not yard.tasks[0].done()
    yard.open.set()
    await asyncio.wait_for(yard.tasks[0], 5)
    assert (dict(yard.ended), yard.waiting()) == ({1: 1, 2: 1}, 2)


FAULTS = {
    1: ValueError("no"),
    2: BudgetError("no money"),
    3: RunCancelledError("cancelled"),
    4: StoreError("away"),
    5: ExceptionGroup("several", [OSError("gone"), KeyError("key")]),
    6: asyncio.CancelledError(),
    7: TimeoutError(),
    8: MemoryError(),
    9: RecursionError("deep"),
    10: BaseException("anything at all"),
}


async def test_work_that_raises_anything_at_all_ends_neither_the_worker_nor_other_jobs(yard):
    async def work(job):
        await yard.work(job)
        if job.subject_id in FAULTS:
            raise FAULTS[job.subject_id]

    yard.put(*range(20))
    yard.hire(2, work)
    await yard.until(lambda: len(yard.ended) == 20)
    yard.put(77)
    await yard.until(lambda: yard.ended[77] == 1)
    assert set(yard.begun.values()) == {1}
    await yard.until(lambda: yard.waiting() == 0)


async def test_row_that_names_no_job_is_dropped(yard):
    with yard.database.write() as c:
        queue.enqueue(c, [Job(1, QUEUE, 1)])
        c.exec_driver_sql("UPDATE pgq.pgqueuer SET payload = 'nonsense'::bytea")
    yard.put(2)
    yard.hire(1)
    await yard.until(lambda: yard.ended[2] == 1)
    await yard.until(lambda: yard.waiting() == 0)


BUSY = """
import asyncio, sys
from monitor.durable.pgqueuer import QueueWorker
from monitor.store import open_database, queue

async def work(job):
    print("begun", job.subject_id, flush=True)
    await asyncio.sleep(60)

worker = QueueWorker(
    open_database(sys.argv[1]).conninfo, {sys.argv[2]: 3}, work,
    settings=queue.queue_settings(), takeover_seconds=2,
)
asyncio.run(worker.serve(asyncio.Event()))
"""


@contextlib.contextmanager
def busy_process(url, jobs):
    """Another process that has begun so many jobs and will not end them."""
    with subprocess.Popen(
        [sys.executable, "-c", BUSY, url, QUEUE], stdout=subprocess.PIPE, cwd=ROOT
    ) as process:
        try:
            for _ in range(jobs):
                assert process.stdout.readline().startswith(b"begun")
            yield process
        finally:
            process.kill()


async def test_jobs_of_a_killed_worker_are_taken_over_in_time_and_those_of_a_live_one_are_not(
    yard, postgres_url
):
    yard.put(1, 2, 3)
    with busy_process(postgres_url, 3) as other:
        yard.hire(3)
        yard.put(4)
        # Its heartbeats hold its jobs, and its seats hold the cap.
        await asyncio.sleep(1.5 * TAKEOVER)
        assert not yard.begun
        os.kill(other.pid, signal.SIGKILL)
        other.wait(10)
        await yard.until(lambda: len(yard.ended) == 4, within=TAKEOVER + SLACK)
    assert set(yard.begun.values()) == {1}
    assert yard.most <= 3


async def test_job_that_still_runs_here_is_not_begun_again_when_its_heartbeats_were_lost(yard):
    yard.open.clear()
    yard.put(1)
    worker = yard.hire(2)
    await yard.until(lambda: worker.at_work == 1)
    for _ in range(3):
        with yard.database.write() as c:
            c.exec_driver_sql("UPDATE pgq.pgqueuer SET heartbeat = now() - interval '1 hour'")
        yard.put(2)
        await asyncio.sleep(0.3)
    assert yard.begun[1] == 1
    # Not even where its row was lost, and somebody queued it anew.
    with yard.database.write() as c:
        c.exec_driver_sql("DELETE FROM pgq.pgqueuer WHERE dedupe_key = '1/engine:openai/1'")
    yard.put(1)
    await asyncio.sleep(1)
    assert yard.begun[1] == 1
    yard.open.set()
    await yard.until(lambda: yard.waiting() == 0)
    assert dict(yard.ended) == {1: 1, 2: 1}


async def test_worker_that_was_thought_dead_does_not_end_the_jobs_of_the_one_after_it(yard):
    yard.open.clear()
    yard.put(1)
    first = yard.hire(1)
    await yard.until(lambda: first.at_work == 1)
    with yard.database.write() as c:
        c.exec_driver_sql("UPDATE pgq.pgqueuer SET queue_manager_id = gen_random_uuid()")
    yard.open.set()
    await yard.until(lambda: yard.ended[1] == 1)
    await asyncio.sleep(0.5)
    assert yard.waiting() == 1
    # Whoever has it now does not say that it lives, so it is done once more.
    await yard.until(lambda: yard.ended[1] == 2, within=TAKEOVER + SLACK)


@pytest.mark.parametrize(
    ("by", "down"), [(signal.SIGINT, 0.0), (signal.SIGQUIT, 0.0), (signal.SIGINT, 2 * TAKEOVER)]
)
async def test_server_that_is_restarted_loses_no_job_and_no_job_is_begun_twice(
    own_server, own_yard, by, down
):
    yard = own_yard
    yard.open.clear()
    yard.put(*range(12))
    workers = [yard.hire(4), yard.hire(4)]
    await yard.until(lambda: sum(one.at_work for one in workers) == 4)
    await asyncio.to_thread(own_server.restart, by=by, down_seconds=down)
    # Longer than the takeover time: all four live on and say so.
    await asyncio.sleep(1.5 * TAKEOVER)
    assert yard.at_once == 4
    yard.open.set()
    await yard.until(lambda: len(yard.ended) == 12)
    await yard.until(lambda: yard.waiting() == 0)
    assert set(yard.begun.values()) == {1}
    assert yard.most == 4


async def test_workers_that_all_stood_still_take_nothing_from_each_other(yard):
    """A machine that was suspended, or too busy: nobody said that it lives, and all do."""
    yard.open.clear()
    workers = [yard.hire(40, takeover=PATIENT) for _ in range(4)]
    for put in (8, 16, 24):
        yard.put(*range(put - 8, put))
        await yard.until(lambda put=put: sum(one.at_work for one in workers) >= put)
        time.sleep(1.5 * PATIENT)  # noqa: ASYNC251 - standing still is what is tried
    yard.open.set()
    await yard.until(lambda: yard.waiting() == 0)
    assert dict(yard.begun) == dict.fromkeys(range(24), 1)


async def test_worker_begins_before_its_server_and_finds_it(own_server, own_yard):
    yard = own_yard
    yard.put(1)
    await asyncio.to_thread(own_server.stop)
    yard.hire(1)
    await asyncio.sleep(0.5)
    await asyncio.to_thread(own_server.start)
    await yard.until(lambda: yard.ended[1] == 1)


async def test_worker_ends_soon_although_its_server_is_away(own_server, own_yard):
    yard = own_yard
    yard.put(1)
    yard.hire(1)
    await yard.until(lambda: yard.ended[1] == 1)
    await asyncio.to_thread(own_server.stop)
    await asyncio.sleep(0.5)
    yard.stops[0].set()
    await asyncio.wait_for(yard.tasks[0], 15)
    await asyncio.to_thread(own_server.start)


async def test_broken_listener_is_mended_and_new_jobs_are_begun_at_once(yard):
    yard.open.clear()
    yard.put(1)
    worker = yard.hire(2)
    await yard.until(lambda: worker.at_work == 1)
    ended = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query ~ '^LISTEN'"
    with yard.database.write() as c:
        assert c.exec_driver_sql(f"{ended} AND datname = current_database()").all() == [(True,)]
    yard.open.set()
    await asyncio.sleep(1.5)
    for subject in (2, 3, 4):
        yard.put(subject)
        # It would look by itself after two seconds.
        await yard.until(lambda subject=subject: yard.ended[subject] == 1, within=1.2)
    assert set(yard.begun.values()) == {1}


def test_caps_hold_over_two_processes(postgres_url):
    database = open_database(postgres_url)
    with database.write() as c:
        queue.enqueue(c, [Job(1, QUEUE, n) for n in range(24)])
    both = [
        subprocess.Popen(
            [sys.executable, "-c", SHARING, postgres_url, QUEUE], stdout=subprocess.PIPE, cwd=ROOT
        )
        for _ in range(2)
    ]
    spans = [span for one in both for span in json.loads(one.communicate(timeout=60)[0])]
    database.close()
    assert len(spans) == 24
    most = max(sum(begun <= moment < ended for begun, ended in spans) for moment, _ in spans)
    assert most <= 3


SHARING = """
import asyncio, json, sys, time
from monitor.durable.pgqueuer import QueueWorker
from monitor.store import open_database, queue

database, spans = open_database(sys.argv[1]), []

async def work(job):
    begun = time.time()
    await asyncio.sleep(0.05)
    spans.append((begun, time.time()))

async def main():
    stop = asyncio.Event()
    worker = QueueWorker(
        database.conninfo, {sys.argv[2]: 3}, work,
        settings=queue.queue_settings(), takeover_seconds=5,
    )
    serving = asyncio.create_task(worker.serve(stop))
    while True:
        with database.read() as c:
            if not queue.has_jobs(c, 1):
                break
        await asyncio.sleep(0.1)
    stop.set()
    await serving

asyncio.run(main())
print(json.dumps(spans))
"""
