"""Worker processes on one PostgreSQL, and the run they work on."""

import json
import os
import signal
import time
from contextlib import contextmanager

from monitor.store import runs
from tests.e2e.accounts import Accounts
from tests.e2e.processes import ENGINES, SLOT, open_store, place

LATENCY_MS = 300
CONCURRENCY = 3
TAKEOVER_SECONDS = 4
PER_MINUTE = 600
PROMPTS = 12
PLANNED = PROMPTS * 2
UNDER_WAY = CONCURRENCY * len(ENGINES)


class Crew:
    """Workers of one place, and the run they work on."""

    def __init__(self, here):
        self.here = here
        self.workers = []
        self.accounts = Accounts(here)

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
        self.accounts.note_kill()

    def standing(self):
        done = self.here.call("status", "--json")
        assert done.returncode == 0, done.stdout + done.stderr
        return json.loads(done.stdout.splitlines()[0])

    def is_open(self):
        """Whether the run has not ended."""
        with open_store(self.here.database) as store, store.read() as connection:
            return bool(runs.open_runs(connection))

    def ended(self, *, within=240):
        """How the run stands once it is final."""
        ends = time.monotonic() + within
        while self.is_open():
            assert time.monotonic() < ends, self.said()
            time.sleep(0.1)
        return self.standing()

    def on_disk(self, more, *, within=180):
        """The exchanges on disk, once there are so many more."""
        before, ends = self.here.pointers(), time.monotonic() + within
        while len(now := self.here.pointers()) < len(before) + more:
            assert time.monotonic() < ends, self.said()
            time.sleep(0.01)
        return now

    def said(self):
        return (self.here.folder / "background.txt").read_text()[-4000:]

    def dismiss(self):
        for worker in self.workers:
            worker.terminate()
        return [worker.wait(60) for worker in self.workers]


@contextmanager
def crew_in(folder, database, *, prompts=PROMPTS, latency_ms=LATENCY_MS, per_minute=PER_MINUTE):
    """A crew without workers yet; whoever is left at the end is dismissed."""
    with place(
        folder,
        latency_ms=latency_ms,
        concurrency=CONCURRENCY,
        prompts=slice(prompts),
        database=database,
        per_minute=per_minute,
    ) as here:
        content = json.loads(here.config.read_text())
        content["runner"] = {"name": "pgqueuer", "takeover_seconds": TAKEOVER_SECONDS}
        here.config.write_text(json.dumps(content))
        made = Crew(here)
        try:
            yield made
        finally:
            made.dismiss()


def assert_complete(told, planned=PLANNED):
    assert told["state"] == "done"
    assert {e: c["planned"] for e, c in told["engines"].items()} == dict.fromkeys(ENGINES, planned)
    assert [sum(c["outcomes"].values()) for c in told["engines"].values()] == [planned] * 3
    assert told["given_up"] == []


def assert_limits_held(crew):
    """No engine saw more calls at once, nor more in a second or minute, than is allowed."""
    assert_within_limits(crew.accounts.told(), CONCURRENCY, PER_MINUTE)


def assert_within_limits(counts, concurrency, per_minute):
    a_second = per_minute / 60
    assert counts.most_at_once <= concurrency
    # The rate, and a burst of one second's worth.
    assert counts.in_a_second <= 2 * a_second
    assert counts.in_a_minute <= per_minute + a_second
