"""A process is killed between sending an alert and noting it: one duplicate of one key, no loss."""

import os
import random
import signal
import subprocess
import sys
from collections import Counter
from datetime import timedelta

import pytest
from sqlalchemy import update

from monitor.config.settings import load_settings
from monitor.pipeline.bench import open_bench
from monitor.pipeline.notifying import announce_digests
from monitor.store import deliveries
from monitor.store.tables import delivery
from tests.e2e.processes import ROOT, monitor, open_store
from tests.receivers import HookServer
from tests.told import digest

pytestmark = pytest.mark.e2e

CHANNELS = ("ops", "chat", "team")


@pytest.fixture
def hook():
    with HookServer() as running:
        yield running


class Outbox:
    """A folder with a store and channels at one receiver, told of some digests."""

    def __init__(self, folder, hook, *, channels, digests):
        self.config, self.url = folder / "config.yaml", f"sqlite:///{folder}/monitor.db"
        ways = "".join(
            f"    {name}: {{kind: webhook, url: '{hook.address}/{name}', private: true}}\n"
            for name in channels
        )
        self.config.write_text(
            f"store: {{database: '{self.url}', artifacts: {folder}/artifacts}}\n"
            f"panels: {folder}\nalerts:\n  channels:\n{ways}",
            "utf-8",
        )
        told = [digest(run=f"run:tea:{n}") for n in range(digests)]
        with open_bench(load_settings(self.config)) as bench:
            at = bench.clock.now()
            bench.write(lambda c: announce_digests(c, bench.settings, told, at=at))

    def start(self):
        return subprocess.Popen(
            [sys.executable, "-m", "monitor", "alerts", "retry", "--config", str(self.config)],
            cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip

    def finish(self):
        return monitor("alerts", "retry", "--config", self.config)

    def kept(self):
        with open_store(self.url) as store, store.read() as connection:
            return deliveries.load_all(connection)

    def pass_lease(self):
        """As if the time had passed after which who claimed a message is taken for dead."""
        earlier = delivery.c.created_at
        with open_store(self.url) as store, store.write() as connection:
            waiting = delivery.c.state == "waiting"
            connection.execute(update(delivery).where(waiting).values(due_at=earlier))


def kill(process):
    os.kill(process.pid, signal.SIGKILL)
    process.wait(timeout=10)


def test_killed_between_send_and_mark_it_is_sent_once_more_by_the_same_key(tmp_path, hook):
    box = Outbox(tmp_path, hook, channels=("ops",), digests=1)
    hook.held.set()
    first = box.start()
    assert hook.arrived.acquire(timeout=60)
    kill(first)
    hook.held.clear()

    (cut,) = box.kept()
    assert (cut.state, cut.attempts) == ("waiting", 1)
    assert cut.due_at - cut.created_at > timedelta(seconds=60)
    soon = box.finish()
    assert (soon.returncode, soon.stdout.splitlines()[0]) == (2, "0 sent, 1 left")

    box.pass_lease()
    second = box.finish()
    assert (second.returncode, second.stdout) == (0, "1 sent, 0 left\n")
    third = box.finish()
    assert (third.returncode, third.stdout) == (0, "0 sent, 0 left\n")
    assert hook.keys == [cut.message.key] * 2
    assert hook.calls[0][2] == hook.calls[1][2]
    assert box.kept()[0].state == "sent"


@pytest.mark.torture
def test_twenty_kills_lose_nothing_and_make_a_duplicate_each_at_most(tmp_path, hook):
    seed = random.SystemRandom().randrange(2**32)
    dice = random.Random(seed)
    hook.seconds = 0.05
    box = Outbox(tmp_path, hook, channels=CHANNELS, digests=60)
    kills = 0
    while kills < 20:
        running = box.start()
        assert hook.arrived.acquire(timeout=60), f"seed {seed}: nothing is sent any more"
        try:
            running.wait(timeout=dice.uniform(0, 0.3))
        except subprocess.TimeoutExpired:
            kill(running)
            kills += 1
        while hook.arrived.acquire(blocking=False):
            pass
        box.pass_lease()
    done = box.finish()
    assert (done.returncode, done.stdout.splitlines()[0][-6:]) == (0, "0 left"), f"seed {seed}"
    seen, kept = Counter(hook.keys), box.kept()
    assert len(kept) == 60 * len(CHANNELS)
    assert {one.state for one in kept} == {"sent"}
    assert all(1 <= seen[one.message.key] <= one.attempts for one in kept), f"seed {seed}"
    assert sum(seen.values()) - len(seen) <= kills, f"seed {seed}"
