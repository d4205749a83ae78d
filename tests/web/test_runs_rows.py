"""The rows behind a number: they are what it was counted from, to the last fraction."""

import csv
import io
import re

import lxml.html
import pytest

from tests.web.conftest import AFTER

RUN = f"/api/v1/runs/{AFTER}"
COUNTS = ("hits", "total", "not_assessable", "undefined")


def counts(number):
    return {name: number[name] for name in COUNTS}


async def rows(client, **query):
    got = await client.get(f"{RUN}/rows", params=query)
    assert got.status_code == 200, got.text
    return got.json()


async def matrix(client, segment=None):
    got = await client.get(f"{RUN}/matrix", params={"segment": segment} if segment else {})
    assert got.status_code == 200, got.text
    return got.json()


def numbers_of(shown):
    """(engine, measure, number) of every cell of a matrix."""
    return [
        (head["name"], line["name"], number)
        for section in shown["sections"]
        for line in section["lines"]
        for head, number in zip(shown["engines"], line["numbers"], strict=True)
    ]


async def test_the_rows_of_every_number_add_up_to_it(client):
    cells = numbers_of(await matrix(client))
    assert len(cells) >= 3 * 25
    for engine, measure, number in cells:
        found = await rows(client, engine=engine, measure=measure)
        assert found["number"]["text"] == number["text"], (engine, measure)
        assert counts(found["number"]) == counts(number), (engine, measure)
        if number["undefined"] is None:
            assert counts(found["summed"]) == counts(number), (engine, measure)
        assert found["captures"] == found["pager"]["total"]


async def segments(client):
    found = await rows(client, engine="openai", measure="claim_evidence_recall")
    return [name for name, _ in found["segments"]]


async def test_the_rows_of_every_part_add_up_to_its_number(client):
    every = await segments(client)
    fields = {name.partition("=")[0] for name in every}
    assert fields == {"answer_format", "intent", "locale", "risk", "topic", "claim_category"}
    for segment in every:
        shown = [one for one in numbers_of(await matrix(client, segment)) if one[0] == "openai"]
        assert shown
        for engine, measure, number in shown:
            found = await rows(client, engine=engine, measure=measure, segment=segment)
            assert found["number"]["counts"] == number["counts"]
            assert number["undefined"] or counts(found["summed"]) == counts(number), segment


async def test_each_row_of_all_pages_is_there_once_and_they_sum_up(client):
    asked = {"engine": "openai", "measure": "required_source_recall"}
    first = await rows(client, **asked)
    second = await rows(client, **asked, page=2)
    every = first["rows"] + second["rows"]
    assert (len(first["rows"]), len(every)) == (50, first["captures"])
    assert len({one["capture"] for one in every}) == first["captures"]
    # Undefined rows have no counts and add nothing.
    assert sum(one["number"]["hits"] or 0 for one in every) == first["number"]["hits"]
    assert sum(one["number"]["total"] or 0 for one in every) == first["number"]["total"]
    third = await client.get(f"{RUN}/rows", params={**asked, "page": 3})
    assert third.status_code == 404
    assert "the list ends with page 2" in third.json()["detail"]


async def test_misses_hits_and_what_is_open_are_told_apart(client):
    asked = {"engine": "openai", "measure": "citation_precision"}
    whole = await rows(client, **asked)
    told = {one["name"]: one["rows"] for one in whole["choices"]}
    for name, holds in {
        "misses": lambda n: n["hits"] < n["total"],
        "hits": lambda n: n["hits"] > 0,
        "unassessed": lambda n: sum(n["not_assessable"].values()) > 0,
    }.items():
        found = await rows(client, **asked, only=name)
        assert found["pager"]["total"] == told[name] > 0
        assert all(holds(one["number"]) for one in found["rows"])
        assert found["summed"] == whole["summed"]


async def test_a_prompt_narrows_rows_and_number(client):
    whole = await rows(client, engine="openai", measure="required_source_recall")
    one = whole["rows"][0]["prompt"]
    found = await rows(client, engine="openai", measure="required_source_recall", prompt=one)
    mine = [row for row in whole["rows"] if row["prompt"] == one]
    assert [row["capture"] for row in found["rows"]] == [row["capture"] for row in mine]
    assert found["number"]["hits"] == sum(row["number"]["hits"] for row in mine)
    assert found["number"]["low"] is None


async def test_a_family_has_the_captures_that_cite_it_and_their_pages(client):
    got = (await client.get(RUN)).json()
    checked = 0
    for family in got["families"]:
        for head, number in zip(got["matrix"]["engines"], family["numbers"], strict=True):
            asked = {"engine": head["name"], "family": family["family"]}
            found = await rows(client, **asked, only="all")
            assert found["number"]["text"] == number["text"]
            assert counts(found["summed"]) == counts(number)
            citing = await rows(client, **asked)
            # As many pages as counted citations, each once.
            for row in citing["rows"]:
                assert len(row["pages"]) == row["number"]["hits"] > 0
                checked += 1
    assert checked > 100


async def test_the_page_repeats_the_number_and_leads_to_its_answers(client):
    shown = await rows(client, engine="perplexity", measure="required_source_recall")
    page = await client.get(
        f"/runs/{AFTER}/rows", params={"engine": "perplexity", "measure": "required_source_recall"}
    )
    document = lxml.html.document_fromstring(page.content)
    (title,) = document.xpath("//h1")
    assert shown["number"]["text"] in title.text_content()
    assert shown["meaning"] in document.text_content()
    hrefs = set(document.xpath("//tbody//a/@href"))
    assert {f"/captures/{one['capture']}" for one in shown["rows"]} <= hrefs


async def test_every_number_of_the_first_screen_leads_to_its_rows_and_they_to_an_answer(client):
    page = await client.get(f"/runs/{AFTER}")
    hrefs = lxml.html.document_fromstring(page.content).xpath("//a[@class='number']/@href")
    wanted = [href for href in hrefs if "measure=required_source_recall" in href][:3]
    assert len(wanted) == 3
    for href in wanted:
        rows_page = await client.get(href)
        assert rows_page.status_code == 200
        answers = lxml.html.document_fromstring(rows_page.content).xpath(
            "//td[@data-label='Answer']/a/@href"
        )
        assert (await client.get(answers[0])).status_code == 200


async def test_the_csv_has_every_row_and_not_only_those_of_a_page(client):
    got = await client.get(
        f"{RUN}/rows/table.csv",
        params={"engine": "openai", "measure": "required_source_recall", "page": 2},
    )
    lines = list(csv.DictReader(io.StringIO(got.text)))
    shown = await rows(client, engine="openai", measure="required_source_recall")
    assert len(lines) == shown["captures"]
    assert sum(float(one["hits"] or 0) for one in lines) == shown["number"]["hits"]


@pytest.mark.parametrize(
    ("query", "status", "words"),
    [
        ({"engine": "nobody", "measure": "citation_recall"}, 404, "there are anthropic"),
        ({"engine": "openai", "measure": "beauty"}, 404, "there are source_precision"),
        ({"engine": "openai"}, 422, "name one measure"),
        ({"engine": "openai", "measure": "citation_recall", "family": "x"}, 422, "name one"),
        ({"measure": "citation_recall"}, 422, "engine: missing, and needed"),
        ({"engine": "openai", "measure": "citation_recall", "segment": "topic=x"}, 404, "there"),
        ({"engine": "openai", "measure": "citation_recall", "prompt": "x"}, 404, "was not asked"),
        ({"engine": "openai", "measure": "citation_recall", "only": "some"}, 422, "only"),
        ({"engine": "openai", "measure": "citation_recall", "page": 0}, 422, "page"),
        ({"engine": "openai", "measure": "citation_recall", "page": 10**9}, 422, "page"),
        ({"engine": "openai", "measure": "m" * 5000}, 422, "measure"),
    ],
)
async def test_what_is_no_number_is_said_so(client, query, status, words):
    for path in (f"{RUN}/rows", f"/runs/{AFTER}/rows"):
        got = await client.get(path, params=query)
        assert got.status_code == status
        assert words in got.text


async def test_a_family_that_nobody_cites_has_no_rows_and_no_fault(client):
    found = await rows(client, engine="openai", family="nowhere.example")
    assert (found["rows"], found["number"]["hits"]) == ([], 0)
    assert found["number"]["total"] == found["summed"]["total"] > 0


FORM = re.compile(r"^([a-z_]+:\d+(\.\d+)?(\|[a-z_]+:\d+(\.\d+)?)*)?$")
TABLES = (
    f"/runs/{AFTER}/matrix",
    f"/runs/{AFTER}/segments?segment=topic",
    f"/runs/{AFTER}/rows?engine=openai&measure=citation_precision",
    "/trends",
    "/families",
    "/prompts",
)


@pytest.mark.parametrize("address", TABLES)
async def test_every_table_counts_what_is_not_assessable_in_one_form(client, address):
    path, _, query = address.partition("?")
    got = await client.get(f"/api/v1{path}/table.csv?{query}")
    told = list(csv.DictReader(io.StringIO(got.text)))
    assert told
    for one in told:
        reasons = one["not_assessable_reasons"]
        assert FORM.match(reasons), reasons
        # `ungraded:7|pending:2` is a count of 9; a cell without a rate has neither.
        summed = sum(float(part.partition(":")[2]) for part in reasons.split("|") if part)
        assert float(one["not_assessable"] or 0) == pytest.approx(summed, abs=1e-4)
        assert bool(one["total"]) == bool(one["not_assessable"])


async def test_the_matrix_lets_a_part_be_chosen(client):
    whole = await client.get(f"/runs/{AFTER}/matrix")
    chosen = lxml.html.document_fromstring(whole.content).xpath("//select[@name='segment']/option")
    assert [one.get("value") for one in chosen] == ["", *await segments_and_categories(client)]
    part = await client.get(f"/runs/{AFTER}/matrix", params={"segment": chosen[1].get("value")})
    picked = lxml.html.document_fromstring(part.content).xpath("//option[@selected]/@value")
    assert picked == [chosen[1].get("value")]


async def segments_and_categories(client):
    return (await matrix(client))["parts"]


async def test_the_part_that_is_shown_and_the_rest_make_the_number_of_a_family(client):
    families = (await client.get("/api/v1/families", params={"engine": "perplexity"})).json()
    name = families["engines"][0]["lines"][-1]["family"]
    query = {"engine": "perplexity", "family": name}
    found, every = await rows(client, **query), await rows(client, **query, only="all")
    page = (await client.get(f"/runs/{AFTER}/rows", params=query)).text
    shown, whole = found["part_summed"], found["number"]
    assert found["pager"]["total"] < found["captures"]
    assert shown["hits"] == sum(row["number"]["hits"] for row in found["rows"]) == whole["hits"]
    others = found["captures"] - found["pager"]["total"]
    assert found["part"] == (
        f"Shown: {found['pager']['total']} of {found['captures']} captures, citing it: "
        f"{shown['hits']:g} of {shown['total']:g} visible citations. The other {others} add "
        f"0 of {whole['total'] - shown['total']:g}."
    )
    assert f"Shown: {found['pager']['total']} together" in page
    assert (every["part"], every["part_summed"]) == ("", None)
