"""What an answer cost: one figure on every page that tells it, and who told it."""

import csv
import io
from collections import defaultdict

import pytest

from tests.web.answered import plain, told, twin, visiting
from tests.web.conftest import AFTER


async def listed(client):
    """Captures of the newer run as its CSV lists them, by engine."""
    found = defaultdict(list)
    rows = (await client.get(twin(f"/runs/{AFTER}/captures/table.csv"))).text
    for row in csv.DictReader(io.StringIO(rows)):
        found[row["engine"]].append(row)
    return found


@pytest.mark.parametrize(
    ("engine", "by"),
    [
        ("openai", "by list price"),
        ("anthropic", "by list price"),
        ("perplexity", "told by the engine"),
    ],
)
async def test_an_answer_costs_what_the_captures_of_its_run_say(client, engine, by):
    one = next(row for row in (await listed(client))[engine] if row["outcome"] == "answered")
    page = f"/captures/{one['capture']}"
    shown = (await client.get(twin(page))).json()
    assert shown["cost"] == f"{one['usd']} USD, {by}"
    assert shown["cost"] in (await client.get(page)).text
    assert shown["counted"]["micros"] == round(float(one["usd"]) * 1_000_000)


async def test_what_the_engine_told_stays_apart(client):
    rows = await listed(client)
    for engine, tells in (("openai", False), ("perplexity", True)):
        one = next(row for row in rows[engine] if row["outcome"] == "answered")
        shown = (await client.get(twin(f"/captures/{one['capture']}"))).json()
        assert (shown["cost_micros"] is not None) is tells


async def test_two_answers_tell_what_each_cost(client):
    first, second = (await listed(client))["openai"][:2]
    path = f"/captures/{first['capture']}/diff/{second['capture']}"
    shown = (await client.get(twin(path))).json()
    page = (await client.get(path)).text
    for side, row in (("before", first), ("after", second)):
        assert shown[side]["cost"] == f"{row['usd']} USD, by list price"
        assert shown[side]["cost"] in page


async def test_an_answer_that_nobody_paid_for_says_so(bench):
    _, (one,) = told(bench, plain(("Oaks grow.",)))
    async with visiting(bench) as client:
        shown = (await client.get(twin(f"/captures/{one}"))).json()
    assert shown["counted"] is None
    assert shown["cost"] == "nothing was counted"
