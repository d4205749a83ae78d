"""What the other tests of pages stand on: the demo's store and a client that asks over it."""

from monitor.store import runs
from tests.web.conftest import AFTER, BEFORE


def test_the_demo_has_two_months(demo_bench):
    assert [one.public_id for one in demo_bench.read(runs.list_runs)] == [AFTER, BEFORE]


async def test_pages_answer_over_the_demo(client):
    assert (await client.get(f"/runs/{AFTER}")).status_code == 200
    assert (await client.get("/api/v1/runs/run:none:2026-01")).status_code == 404


def test_each_test_that_writes_has_a_store_of_its_own(own_store, demo_store):
    assert own_store != demo_store
    assert str(own_store.parent / "monitor.db") in own_store.read_text("utf-8")
