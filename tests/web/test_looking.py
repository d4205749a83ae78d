"""Comparisons are counted for who looks, and nothing of it is stored: pages keep their numbers."""

from dataclasses import replace

import pytest

from monitor.store import panels
from tests.stored import MADE_AT
from tests.unchanged import contents
from tests.web.conftest import AFTER, BEFORE, asking, copied, over

ADDRESSES = (
    f"/compare?before={BEFORE}&engines=anthropic,openai",
    f"/compare?before={BEFORE}&after={AFTER}",
    f"/compare?before={AFTER}&after={BEFORE}",
)


@pytest.fixture
def store(made_demo, tmp_path):
    """The demo with a newer baseline than its runs were scored with."""
    with over(copied(made_demo, tmp_path)) as (bench, app):
        bench.write(newer_baseline)
        yield bench, app


def newer_baseline(connection):
    """The demo's baseline under another version, with one source less."""
    found = panels.load_baseline(connection, "sandbox")
    name, first = next(iter(found.prompts.items()))
    fewer = replace(first, sources=first.sources[1:])
    newer = replace(found, version="2027-01", prompts={**found.prompts, name: fewer})
    panels.save_baseline(connection, newer, "synthetic: true\n", saved_at=MADE_AT)


async def test_comparisons_that_are_counted_leave_the_store_as_it_is(store):
    bench, app = store
    before = contents(bench)
    async with asking(app) as client:
        for address in ADDRESSES:
            await client.get(address)
        app.state.desk.counting.get("after them", lambda: None, patience=300)
        shown = [(await client.get(f"/api/v1{address}")).json() for address in ADDRESSES]
    assert contents(bench) == before
    assert all(one["comparisons"] for one in shown)
    # Two runs that were compared when the later one ended are shown as they were compared then.
    assert [[other in " ".join(one["notes"]) for other in (BEFORE, AFTER)] for one in shown] == [
        [True, False], [False, False], [True, True],
    ]  # fmt: skip
