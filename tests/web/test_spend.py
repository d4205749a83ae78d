"""The page of a month's cost: the same sums as the command, months that are none refused."""

import csv
import io
from decimal import Decimal

import pytest

from monitor.pipeline.spending import month_spend


async def test_a_month_has_the_sums_of_the_command(client, demo_bench):
    found = month_spend(demo_bench, None)
    got = (await client.get("/api/v1/spend")).json()
    assert got["month"] == found.month
    assert [got["total"]["calls"], got["total"]["micros"]] == [
        found.total.calls, found.total.micros,
    ]  # fmt: skip
    assert {one["name"]: one["micros"] for one in got["engines"]} == {
        name: one.micros for name, one in found.engines.items()
    }
    assert sum(one["micros"] for one in got["runs"]) == found.total.micros > 0
    table = (await client.get("/api/v1/spend/table.csv")).text
    usd = sum(Decimal(one["usd"]) for one in csv.DictReader(io.StringIO(table)))
    assert usd == Decimal(found.total.micros) / 1_000_000


async def test_a_month_without_calls_says_so(client):
    page = await client.get("/spend?month=2031-01")
    assert "Nothing was asked in this month" in page.text
    assert 'href="/spend?month=2030-12"' in page.text
    assert 'href="/spend?month=2031-02"' in page.text


@pytest.mark.parametrize(
    ("month", "there", "gone"), [("2000-01", "2000-02", "1999"), ("2999-12", "2999-11", "3000")]
)
async def test_no_page_leads_out_of_the_months_there_are(client, month, there, gone):
    page = (await client.get(f"/spend?month={month}")).text
    assert f"month={there}" in page
    assert f"month={gone}" not in page


@pytest.mark.parametrize(
    ("month", "status"), [("2026-13", 400), ("october", 400), ("x" * 5000, 422)]
)
async def test_what_is_no_month_is_refused(client, month, status):
    got = await client.get("/spend", params={"month": month})
    assert got.status_code == status
    assert "month" in got.text
