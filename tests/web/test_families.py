"""Source families: shares, changes, tags, order, pages of the list, and one family in detail."""

import csv
import io

import lxml.html
import pytest

from tests.web.conftest import AFTER, BEFORE, asking
from tests.web.people import app_of
from tests.web.rooms import ELM, LATE, OAK, TREES, scored, told, told_by

ENGINES = ["anthropic", "openai", "perplexity", "sandbox_chat"]


async def families(client, **query):
    got = await client.get("/api/v1/families", params=query)
    assert got.status_code == 200, got.text
    return got.json()


def lines(screen):
    return [line for engine in screen["engines"] for line in engine["lines"]]


async def test_the_largest_finding_about_a_family_is_the_headline(client):
    found = await families(client)
    assert found["headline"] == (
        "Perplexity Sonar (API) cites ridecompare.example far more than in 2026-09"
    )
    assert [name for name, _ in found["choices"]] == ENGINES
    assert (found["run"], found["before_slot"]) == (AFTER, "2026-09")


async def test_shares_are_counted_by_hand(bench):
    # Three answers: [oak, elm], [oak], [elm, late]; five citations, oak and elm two each.
    scored(bench, "2026-01", told(OAK, ELM), told(OAK), told(ELM, LATE))
    (engine,) = (await told_by(bench, "/families"))["engines"]
    shown = {line["family"]: line for line in engine["lines"]}
    assert {name: (one["now"]["hits"], one["now"]["total"]) for name, one in shown.items()} == {
        "elm.example": (2, 5), "oak.example": (2, 5), "late.example": (1, 5),
    }  # fmt: skip
    assert [shown[name]["prompts"] for name in ("oak.example", "late.example")] == [2, 1]
    # HHI: 0.4 * 0.4 + 0.4 * 0.4 + 0.2 * 0.2 = 0.36; effective sources: 1 / 0.36.
    pages = engine["concentration"][0]
    assert pages["hhi"] == pytest.approx(0.36)
    assert pages["effective_sources"] == pytest.approx(1 / 0.36)
    assert shown["oak.example"]["tags"] == ["client"]
    assert shown["oak.example"]["past"] == []
    assert shown["oak.example"]["change"]["verdict"] == "not compared"
    assert shown["oak.example"]["before"]["undefined"] == "no earlier run of this panel"


async def test_before_is_the_matched_share_with_change_interval_and_adjusted_p(client):
    found = await families(client, engine="perplexity")
    line = next(one for one in lines(found) if one["family"] == "ridecompare.example")
    assert line["now"]["text"].startswith("82 of 149 (55 %")
    assert line["before"]["text"].startswith("21 of 159 (13 %")
    change = line["change"]
    assert change["verdict"] == "changed"
    assert change["low"] < change["difference"] < change["high"]
    assert change["adjusted"] <= 0.05
    assert line["now"]["href"].startswith(f"/runs/{AFTER}/rows?")
    assert line["before"]["href"].startswith(f"/runs/{BEFORE}/rows?")
    assert [one["name"] for one in line["past"]] == ["2026-09", "2026-10"]


async def test_the_rows_behind_a_share_add_up_to_it(client):
    for line in lines(await families(client, engine="openai")):
        rows = await client.get(f"/api/v1{line['now']['href']}")
        assert rows.status_code == 200
        assert rows.json()["number"]["hits"] == line["now"]["hits"], line["family"]


async def test_words_tags_and_order_choose_families(client):
    every = [one["family"] for one in lines(await families(client, engine="openai"))]
    assert len(every) > 5
    found = await families(client, engine="openai", words="TRANSPORT")
    assert [one["family"] for one in lines(found)] == ["transport-velmora.example"]
    tagged = lines(await families(client, engine="openai", tag="required"))
    assert 0 < len(tagged) < len(every)
    assert all("required" in one["tags"] for one in tagged)
    client_s = lines(await families(client, engine="openai", tag="client"))
    assert [one["family"] for one in client_s] == ["swiftpedal.example"]
    by_name = [one["family"] for one in lines(await families(client, engine="openai", sort="name"))]
    assert by_name == sorted(every)
    moved = lines(await families(client, engine="perplexity", sort="change"))
    sizes = [abs(one["change"]["difference"] or 0) for one in moved]
    assert sizes == sorted(sizes, reverse=True)


async def test_a_form_s_empty_fields_mean_any(client):
    path = "/families?run=&engine=&words=&tag=&sort=share".replace("run=&", "")
    assert (await client.get(path)).status_code == 200


async def test_the_csv_has_every_family_and_the_page_fifty(bench):
    many = [f"https://site{n}.example/" for n in range(40)]
    scored(bench, "2026-01", told(*many[:30]), told(*many[10:]), told(OAK))
    first = await told_by(bench, "/families")
    second = await told_by(bench, "/families", page=1, words="site3")
    # 40 sites and oak.example.
    assert (first["pager"]["total"], len(lines(first))) == (41, 41)
    assert {one["family"] for one in lines(second)} == {
        "site3.example", *(f"site{n}.example" for n in range(30, 40)),
    }  # fmt: skip
    more = [f"https://more{n}.example/" for n in range(30)]
    scored(bench, "2026-02", told(*many[:30]), told(*many[10:]), told(*more))
    page = await told_by(bench, "/families")
    # 70 families of this run, and oak.example of the run before.
    assert (page["pager"]["total"], len(lines(page))) == (71, 50)
    assert page["pager"]["later"].endswith("page=2")
    last = await told_by(bench, "/families", page=2)
    assert len(lines(last)) == 21
    async with asking(app_of(bench)) as one:
        got = await one.get("/api/v1/families/table.csv")
        gone = await one.get("/families", params={"page": 3})
    rows = list(csv.DictReader(io.StringIO(got.text)))
    assert len(rows) == 70
    assert {row["segment"] for row in rows} == {"all"}
    assert gone.status_code == 404


async def test_unknown_names_and_long_words_are_told(client):
    assert (await client.get("/families", params={"engine": "nope"})).status_code == 404
    assert (await client.get("/families", params={"run": "run:x:y"})).status_code == 404
    assert (await client.get("/families", params={"words": "x" * 5_000})).status_code == 422
    assert (await client.get("/families", params={"sort": "luck"})).status_code == 422
    assert (await client.get("/families/" + "x" * 5_000)).status_code == 422
    assert (await client.get("/families/nobody.example")).status_code == 404


async def test_an_empty_store_says_what_to_do_first(bench):
    async with asking(app_of(bench)) as one:
        page, twin = await one.get("/families"), await one.get("/api/v1/families")
        table = await one.get("/api/v1/families/table.csv")
        family = await one.get("/families/oak.example")
    assert page.status_code == twin.status_code == table.status_code == 200
    assert "monitor run" in page.text
    assert twin.json()["run"] is None
    assert family.status_code == 404


async def test_a_family_s_prompts_are_those_that_cite_it_miss_it_and_cite_others(bench):
    scored(bench, "2026-01", told(OAK, ELM), told(ELM), told(LATE, ELM))
    found = await told_by(bench, "/families/oak.example")
    assert [one["id"] for one in found["citing"]] == ["oaks"]
    assert [one["id"] for one in found["elsewhere"]] == ["elms", "pests"]
    assert found["counts"] == [1, 0, 2]
    (cell,) = found["elsewhere"][1]["cells"]
    assert (cell["citing"], cell["answers"], cell["others"]) == (
        0, 1, ["elm.example", "late.example"],
    )  # fmt: skip
    (page,) = found["pages"]
    assert (page["url"], page["answers"], page["status"]) == (OAK, 1, "not fetched")
    assert page["grades"] == ["ungraded"]


async def test_a_watched_family_that_nobody_cites_has_its_page(bench):
    scored(bench, "2026-01", told(OAK), told(OAK), told(OAK))
    found = await told_by(bench, "/families/never.example")
    assert found["tags"] == ["watched"]
    assert (found["citing"], found["pages"]) == ([], [])
    assert found["shares"][0]["now"]["text"].startswith("0 of 3")


async def test_a_family_s_past_has_its_table_and_its_events(client):
    got = await client.get("/families/ridecompare.example")
    tree = lxml.html.document_fromstring(got.content)
    assert len(tree.xpath("//svg[@class='pane']")) == len(ENGINES)
    found = (await client.get("/api/v1/families/ridecompare.example")).json()
    assert [one["engine"] for one in found["series"]] == ENGINES
    past = {one["engine"]: one["points"] for one in found["series"]}
    assert past["perplexity"][-1]["number"]["text"] == "82 of 149 (55 %, 47-63)"
    assert [one["letter"] for one in found["happened"]] == ["A"]
    assert past["anthropic"][-1]["letters"] == ["A"]
    assert past["openai"][-1]["letters"] == []


async def test_required_and_not_cited_is_told_by_prompt_and_engine(client):
    found = (await client.get("/api/v1/families/transport-velmora.example")).json()
    assert len(found["required"]) == found["counts"][1] > 0
    for prompt in found["required"]:
        assert prompt["is_required"]
        assert any(c["answers"] and not c["citing"] for c in prompt["cells"]), prompt["id"]
    answers = sum(cell["citing"] for one in found["every"] for cell in one["cells"])
    assert answers == found["answers_citing"]


async def test_a_slash_in_a_name_is_part_of_it_and_the_table_has_its_own_address(bench):
    scored(bench, "2026-01", told(OAK), told(OAK), told(ELM), panel=TREES)
    async with asking(app_of(bench)) as one:
        got = await one.get("/families/a%2Fb")
        table = await one.get("/api/v1/families/oak.example/table.csv")
    assert got.status_code == 404
    assert "a/b" in got.text
    assert table.headers["content-type"].startswith("text/csv")
    assert len(table.text.splitlines()) == 1 + len(TREES.prompts)


async def test_a_table_is_saved_under_the_name_of_its_page_and_what_was_chosen(client):
    got = await client.get("/api/v1/families/table.csv", params={"run": AFTER, "q": '../"\r\nx: ä'})
    assert got.headers["content-disposition"] == (
        'attachment; filename="families-run-sandbox-2026-10-..-x.csv"'
    )


async def test_an_hhi_leads_to_the_shares_it_was_made_of(client):
    page = lxml.html.fromstring((await client.get("/families")).text)
    cells = page.xpath("//td[@data-label='HHI now']")
    engines = [name for name, _ in (await families(client))["choices"]]
    assert len(cells) == 2 * len(engines)
    for name, cell in zip(engines, cells[::2], strict=True):
        address, _, part = cell.xpath(".//a/@href")[0].partition("#")
        shown = lxml.html.fromstring((await client.get(address)).text)
        assert [one.get("id") for one in shown.xpath("//h3[@id]")] == [part] == [f"families-{name}"]
