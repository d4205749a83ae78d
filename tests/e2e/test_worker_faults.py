"""Two workers in mid-run when their database is restarted, or when one of them is frozen for a while."""

import os
import signal
import time

import pytest

from tests.e2e.crew import (
    CONCURRENCY,
    TAKEOVER_SECONDS,
    UNDER_WAY,
    assert_complete,
    assert_limits_held,
    crew_in,
)
from tests.servers import running_postgres

pytestmark = pytest.mark.e2e


@pytest.fixture
def own_server():
    """A server that may be stopped, for nobody else works on it."""
    with running_postgres() as server:
        yield server


def assert_paid_once(crew, *, cut):
    """Nothing lost, nothing on disk asked again, and at most so many calls in vain."""
    counts = crew.accounts.told()
    assert (counts.lost, counts.paid_twice) == (0, 0)
    assert 0 <= counts.cut <= cut


@pytest.mark.parametrize(
    "by", [pytest.param(signal.SIGINT, marks=pytest.mark.torture), signal.SIGQUIT]
)
def test_run_completes_although_its_database_is_restarted(tmp_path, own_server, by):
    with crew_in(tmp_path, own_server.new_database()) as crew:
        crew.hire()
        crew.hire()
        crew.begin()
        crew.on_disk(6)
        # As long as a takeover: when it is back, nobody is thought dead.
        own_server.restart(by=by, down_seconds=TAKEOVER_SECONDS)
        crew.accounts.note_kill()
        assert_complete(crew.ended())
        # Both processes lived on, and what they had under way came to its end.
        assert_paid_once(crew, cut=0)
        assert_limits_held(crew)
        assert crew.dismiss() == [0, 0]


def test_frozen_worker_loses_its_jobs_to_the_other_and_comes_back_without_harm(
    tmp_path, postgres_url
):
    with crew_in(tmp_path, postgres_url) as crew:
        frozen, _ = crew.hire(), crew.hire()
        crew.begin()
        crew.on_disk(6)
        os.kill(frozen.pid, signal.SIGSTOP)
        crew.accounts.note_kill()
        try:
            crew.on_disk(12)
            time.sleep(TAKEOVER_SECONDS)
        finally:
            os.kill(frozen.pid, signal.SIGCONT)
        assert_complete(crew.ended())
        assert_paid_once(crew, cut=UNDER_WAY)
        # What waited for its turn in the frozen worker is asked beside those who took it over.
        assert crew.accounts.told().most_at_once <= 2 * CONCURRENCY
        assert crew.dismiss() == [0, 0]
