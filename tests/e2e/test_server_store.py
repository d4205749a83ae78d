"""A whole run on PostgreSQL and S3: killed, resumed, and with the numbers of a folder."""

import json
from contextlib import contextmanager

import pytest

from tests.e2e.processes import ENGINES, RUN, SLOT, place

pytestmark = pytest.mark.e2e

LATENCY_MS = 100
PROMPTS = slice(6)
PLANNED = 6 * 2
LATER = "2026-10"
VOLATILE = ("asked_at", "capture")
"""What differs between any two runs: times and row ids."""


@pytest.fixture
def on_servers(postgres_url, s3_bucket):
    """Rows in PostgreSQL, bytes in a part of a bucket."""
    return {"database": postgres_url, "artifacts": f"{s3_bucket.url}/monitor"}


def begin(here, slot=SLOT):
    return here.start("run", "small", "--slot", slot, "--no-browser")


def done(here, *words):
    """What a command says once it ended well."""
    ended = here.call(*words)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_run_on_servers_survives_a_kill_and_every_door_works_on_it(tmp_path, on_servers):
    with place(tmp_path, latency_ms=LATENCY_MS, prompts=PROMPTS, **on_servers) as here:
        here.kill(begin(here), after=10, with_stored=1)
        asked, on_disk = here.settled(LATENCY_MS / 1000), here.pointers()
        assert 0 < here.stored() < PLANNED * len(ENGINES)
        resumed = here.told("resume", RUN, code=0)
        assert resumed["state"] == "done"
        assert [sum(c["outcomes"].values()) for c in resumed["engines"].values()] == [PLANNED] * 3
        assert on_disk < here.pointers()
        assert here.asked() - asked == len(here.pointers() - on_disk)

        report = tmp_path / "report.html"
        done(here, "report", RUN, "--out", report)
        assert SLOT in report.read_text("utf-8")
        assert " artifacts, sound;" in done(here, "verify", RUN)
        assert begin(here, LATER).wait(timeout=120) == 0
        assert "openai: " in done(here, "compare", SLOT, LATER)


def exported(folder, workers=0, **store):
    """What a run comes to, without what differs between any two runs."""
    folder.mkdir()
    # One call at a time: the sandbox counts how often it was asked a question.
    with place(folder, latency_ms=0, concurrency=1, prompts=PROMPTS, **store) as here:
        with working(here, workers):
            assert begin(here).wait(timeout=120) == 0
        told = json.loads(done(here, "export", RUN, "--out", "-"))
    for row in told["citations"]:
        for name in VOLATILE:
            row.pop(name)
    return told


@contextmanager
def working(here, workers):
    """So many workers at the place, which then leaves its runs to them."""
    if workers:
        content = json.loads(here.config.read_text())
        here.config.write_text(json.dumps(content | {"runner": {"name": "pgqueuer"}}))
    hired = [here.start("worker") for _ in range(workers)]
    try:
        yield
    finally:
        for one in hired:
            one.terminate()
        assert [one.wait(60) for one in hired] == [0] * workers


def test_two_workers_and_one_process_come_to_the_same_numbers(tmp_path, postgres_url):
    shared = exported(tmp_path / "shared", workers=2, database=postgres_url)
    alone = exported(tmp_path / "alone")
    assert len(shared["citations"]) > 50
    assert shared == alone


def test_servers_and_a_folder_come_to_the_same_numbers(tmp_path, on_servers):
    served, filed = exported(tmp_path / "served", **on_servers), exported(tmp_path / "filed")
    assert len(served["citations"]) > 50
    assert served == filed
