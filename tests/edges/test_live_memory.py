"""Twenty captures in one process leave nothing open; playwright 6319, 19953, playwright-mcp 1636."""

import asyncio
from dataclasses import replace

import pytest

from monitor.capture.chromium import find_chromium
from tests.live import PATIENCE, LiveReplica
from tests.replica.modes import MODES, Times
from tests.replica.server import Replica

pytestmark = pytest.mark.browser
ROUND = ("mixed_pills", "login_wall", "error_200", "cloudflare_403", "geo")
TIMES = 4
QUICK = replace(PATIENCE, stable=0.1)


@pytest.fixture(scope="module")
def seen():
    """Outcomes of twenty captures, and what was open after each five of them."""
    if find_chromium() is None:
        pytest.skip("no Chromium here")

    async def work():
        live = LiveReplica(patience=QUICK)
        outcomes, left = [], []
        try:
            for _ in range(TIMES):
                found = await asyncio.gather(*(live.capture(replica.at(one)) for one in ROUND))
                outcomes += [one.reading.outcome for one in found]
                left.append((len(live.contexts), sum(len(one.pages) for one in live.contexts)))
            return outcomes, left
        finally:
            await live.close()

    with Replica(times=Times(step=0, pause=0, gap=20)) as replica:
        return asyncio.run(work())


def test_no_context_and_no_page_is_left_open(seen):
    assert seen[1] == [(0, 0)] * TIMES


def test_every_capture_comes_to_the_outcome_of_its_page(seen):
    assert seen[0] == [MODES[one].expected.outcome for one in ROUND] * TIMES
