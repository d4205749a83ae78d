"""`monitor refetch` while the cited sites live: pages anew, engines left alone."""

import json
import sqlite3
from contextlib import closing

import pytest

from tests.e2e.processes import RUN, SLOT, place

pytestmark = pytest.mark.e2e


GRANT = slice(11, 17)
"""Questions about the grant: a page they cite is gone a month later."""


@pytest.fixture
def here(tmp_path):
    with place(tmp_path, latency_ms=5, prompts=GRANT) as made:
        assert made.call("run", "small", "--slot", SLOT, "--no-browser").returncode == 0
        yield made


def fetches(here):
    """Stored fetches, first ones and later ones."""
    with closing(sqlite3.connect(here.folder / "monitor.db")) as store:
        return store.execute("SELECT count(*) FROM page_fetch").fetchone()[0]


def citations(here):
    return json.loads(here.call("export", RUN).stdout)["citations"]


def test_refetch_asks_sites_and_no_engine_and_keeps_what_was_fetched(here):
    asked, first, cited = here.asked(), fetches(here), citations(here)
    done = here.call("refetch", RUN)
    assert done.returncode == 0, done.stderr
    assert here.asked() == asked
    assert fetches(here) == 2 * first
    assert citations(here) == cited


def test_page_that_died_since_is_not_found_after_a_refetch(here):
    before = {c["page_key"]: c["fetch_status"] for c in citations(here)}
    here.sandbox.set_scene("2026-10")
    assert here.call("refetch", RUN).returncode == 0
    after = {c["page_key"]: c["fetch_status"] for c in citations(here)}
    changed = {(before[key], after[key]) for key in before if before[key] != after[key]}
    assert changed == {("ok", "not_found")}
