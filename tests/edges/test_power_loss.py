"""What a power cut, a full disk or a lost server leaves: a stated state, and a way to go on."""

import errno
import os
import threading
from dataclasses import replace

import httpx
import pytest
from obstore.store import LocalStore, from_url

from monitor.domain.page import FetchStatus
from monitor.domain.panel import Prompt
from monitor.errors import StoreError
from monitor.pipeline import capturing, line
from monitor.pipeline.capturing import capture_run
from monitor.pipeline.grouping import group_run
from monitor.pipeline.records import own_artifacts
from monitor.pipeline.run_states import renew_run
from monitor.store import captures, pages, readiness, runs, spend
from tests.stored import PANEL, answer, keep_answers, keep_page, planned

OAK = "https://oak.example/growth"
PROMPTS = tuple(Prompt(f"p{n}", f"How do oaks of kind {n} grow?", "en-GB") for n in range(8))
FOREST = replace(PANEL, prompts=PROMPTS)
BODY = answer("Oaks grow slowly.")


@pytest.fixture
def bench(any_bench):
    return any_bench


class Oracle:
    """An engine that answers every question alike, and counts them."""

    def __init__(self, monkeypatch, before=None, body=BODY):
        self.asked = 0
        self.before = before
        self.body = body
        monkeypatch.setattr(
            capturing.httpx,
            "AsyncClient",
            lambda real=httpx.AsyncClient, **_: real(transport=httpx.MockTransport(self.answer)),
        )

    async def answer(self, request):
        self.asked += 1
        if self.before is not None:
            self.before(self.asked)
        return httpx.Response(200, content=self.body)


def raw_of(bench):
    """The place of the artifacts, behind their back."""
    place = bench.artifacts.place
    return from_url(place) if "://" in place else LocalStore(prefix=place)


def left(bench, run):
    return len(bench.read(lambda c: captures.load_open(c, run.id)))


def shape(bench, run, what):
    """Paths of the pointer, the record and the body of the one capture of a run."""
    own = own_artifacts(bench, run)
    (capture,) = bench.read(lambda c: captures.load_captures(c, run.id))
    (name,) = own.names(f"capture/{capture.id}")
    record = own.target(name)
    (payload,) = bench.read(lambda c: captures.load_payloads(c, capture.id))
    pointer = next(entry["path"] for batch in raw_of(bench).list("pointers") for entry in batch)
    paths = {"record": f"{record[:2]}/{record}.zst", "pointer": pointer}
    paths["body"] = f"{payload.sha256[:2]}/{payload.sha256}.zst"
    return paths[what]


def forget(bench, run):
    """Take the rows of a run's answers away, as if their commit had been lost."""
    (capture,) = bench.read(lambda c: captures.load_captures(c, run.id))

    def undo(c):
        c.exec_driver_sql("UPDATE capture SET state = 'asked', reading_id = NULL, stored_at = NULL")
        c.exec_driver_sql("DELETE FROM search_query")
        c.exec_driver_sql("DELETE FROM reading")
        c.exec_driver_sql("DELETE FROM payload")

    bench.write(undo)
    return capture


def cut(store, path):
    content = bytes(store.get(path).bytes())
    store.put(path, content[: len(content) // 2])


def emptied(store, path):
    store.put(path, b"")


def removed(store, path):
    store.delete(path)


@pytest.mark.parametrize("damage", [cut, emptied, removed])
@pytest.mark.parametrize("what", ["body", "record", "pointer"])
async def test_answer_whose_bytes_did_not_survive_is_asked_once_more(
    bench, monkeypatch, damage, what
):
    oracle = Oracle(monkeypatch)
    run = planned(bench)
    assert await capture_run(bench, run) == ()
    path = shape(bench, run, what)
    forget(bench, run)
    damage(raw_of(bench), path)

    assert await capture_run(bench, run) == ()
    assert (oracle.asked, left(bench, run)) == (2, 0)
    (payloads,) = bench.read(lambda c: captures.load_run_payloads(c, run.id)).values()
    assert bench.artifacts.get(payloads[-1].sha256) == BODY
    # Both calls were paid for, and both are counted.
    assert bench.read(lambda c: spend.totals(c, run.id)).calls == 2


async def test_answer_whose_bytes_survived_is_not_asked_again(bench, monkeypatch):
    oracle = Oracle(monkeypatch)
    run = planned(bench)
    await capture_run(bench, run)
    forget(bench, run)
    assert await capture_run(bench, run) == ()
    assert (oracle.asked, left(bench, run)) == (1, 0)


@pytest.mark.parametrize("damage", [cut, emptied, removed])
async def test_page_whose_text_did_not_survive_is_fetched_again(bench, damage):
    run = planned(bench)
    keep_answers(bench, run, answer("Oaks grow slowly [1].", ("[1]", OAK)))
    keep_page(bench, run, OAK, "Oaks grow slowly.")
    (fetch,) = bench.read(lambda c: pages.load_fetches(c, run.id)).values()
    damage(raw_of(bench), f"{fetch.text_sha256[:2]}/{fetch.text_sha256}.zst")
    with pytest.raises(StoreError, match="monitor verify"):
        group_run(bench, run)
    # Nobody is there under that name: it is asked for, and that is what the fetch now says.
    worked = await line._work(bench, run, judge_name="embedded")
    (again,) = bench.read(lambda c: pages.load_fetches(c, run.id)).values()
    assert again.fetched.status is not FetchStatus.OK
    assert worked.run.state is runs.RunState.DONE


@pytest.mark.parametrize("code", [errno.ENOSPC, errno.EROFS])
async def test_disk_that_takes_no_more_ends_the_run_incomplete_and_resume_completes_it(
    bench, monkeypatch, code
):
    full = threading.Event()
    run = planned(bench, panel=FOREST)
    oracle = Oracle(monkeypatch, before=lambda asked: full.set() if asked == 3 else None)
    monkeypatch.setattr(bench.artifacts, "_store", FailingDisk(bench.artifacts._store, full, code))
    worked = await line._work(bench, run, judge_name="embedded")
    assert worked.run.state is runs.RunState.INCOMPLETE
    assert os.strerror(code) in str(worked.failures[0].error)
    assert left(bench, run) > 0
    # What was under way is lost, and nothing more is paid for.
    assert oracle.asked <= 3 + bench.settings.engine("openai").concurrency

    full.clear()
    oracle.before = None
    monkeypatch.setattr(readiness, "_QUIET_SECONDS", 0)  # another process would ask at once
    await resumed(bench, run)
    assert left(bench, run) == 0


class FailingDisk:
    """A place that refuses every write while it is full or read-only."""

    def __init__(self, store, when, code):
        self.store, self.when, self.code = store, when, code

    def __getattr__(self, name):
        return getattr(self.store, name)

    def put(self, *arguments, **named):
        if self.when.is_set():
            raise OSError(self.code, os.strerror(self.code))
        return self.store.put(*arguments, **named)


async def resumed(bench, run):
    """A run after `monitor resume`, in this process."""
    fresh = bench.write(lambda c: renew_run(c, run, run.caps))
    worked = await line._work(bench, fresh, judge_name="embedded")
    assert worked.run.state is runs.RunState.DONE
