"""Numbers outside the matrix: each leads to what it was counted from."""

import lxml.html
import pytest

from tests.web.conftest import AFTER, BEFORE

RUN = f"/api/v1/runs/{AFTER}"


async def told(client, path, **query):
    got = await client.get(path, params=query or None)
    assert got.status_code == 200, got.text
    return got.json()


async def tree(client, path):
    return lxml.html.document_fromstring((await client.get(path)).content)


async def test_the_first_stages_of_a_funnel_lead_to_sources_and_captures(client):
    lines = (await told(client, f"{RUN}/funnel"))["lines"]
    assert len(lines) == 3
    for line in lines:
        assert line["eligible"]["href"] == line["sources_href"]
        assert line["sources_href"] == "/baselines/sandbox/versions/2026-08"
        assert line["selected"]["href"] == f"/runs/{AFTER}/captures?engine={line['engine']}"
        assert (await client.get(line["sources_href"])).status_code == 200
        assert (await client.get(line["selected"]["href"])).status_code == 200
    page = await tree(client, f"/runs/{AFTER}/funnel")
    assert len(page.xpath("//td[@data-label='Kept out by']/a")) == 3


@pytest.mark.parametrize("field", ["topic", "claim_category"])
async def test_what_was_answered_of_a_part_leads_to_as_many_captures(client, field):
    parts = (await told(client, f"{RUN}/segments", segment=field))["slices"]["parts"]
    lines = [line for part in parts for line in part["lines"]]
    assert len(lines) > 10
    for line in lines:
        rows = await told(client, f"/api/v1{line['href']}")
        assert rows["captures"] == line["captures"]
    page = await tree(client, f"/runs/{AFTER}/segments?segment={field}")
    assert len(page.xpath("//td[@data-label='Answered']/a")) == len(lines)


async def test_numbers_of_a_family_lead_to_rows_prompts_and_the_run_before(client):
    (engine,) = (await told(client, "/api/v1/families", engine="openai"))["engines"]
    assert engine["before_href"] == f"/families?run={BEFORE.replace(':', '%3A')}&engine=openai"
    line = engine["lines"][0]
    assert line["independent"]["href"] == line["now"]["href"]
    page = await tree(client, "/families?engine=openai")
    before = page.xpath("//a[contains(@aria-label, 'before')]/@href")
    assert before == [f"{engine['before_href']}#families-openai"] * 2
    prompts = page.xpath("//td[@data-label='Prompts citing']/a/@href")
    assert prompts == [f"{one['href']}#prompts" for one in engine["lines"]]
    assert (await tree(client, line["href"])).xpath("//section[@id='prompts']//h2")


@pytest.mark.parametrize("path", ["/", "/panels/sandbox", f"/runs/{AFTER}"])
async def test_costs_lead_to_what_the_month_cost(client, path):
    assert (await tree(client, path)).xpath("//th/a[@href='/spend']/text()")[0] == "Cost"
