"""Adjudication in the browser, and what labels and decisions make of a run's numbers."""

import csv
import io
from dataclasses import replace

import pytest

from monitor.domain.claim import Support
from monitor.pipeline.adjudicating import disagreements
from monitor.pipeline.label_desk import Given, give, own_work
from monitor.scoring.signature import parse_signature
from monitor.store import adjudications, support_labels
from monitor.web.counting import Counting, StillCountingError
from tests.labelled import truth
from tests.web.labelling import (
    WISH,
    a_plan,
    as_person,
    emptied,
    labelled_store,
    parsed,
    press,
)

FULL, NO = Support.FULL, Support.UNSUPPORTED


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with labelled_store(tmp_path_factory.mktemp("adjudication-web")) as made:
        yield made


@pytest.fixture
def bench(store):
    """Begins without plans and labels."""
    yield store[0]
    emptied(store[0])


@pytest.fixture
def plan(bench, store):
    """Twenty pairs, all labelled; ana and ben disagree on each of the four they share."""
    made = a_plan(bench, store[1])
    for one in made.plan.assignments:
        for who in one.annotators:
            both = len(one.annotators) == 2
            support = (
                (FULL if who == "ana" else NO) if both else truth(made.pair(one.position).claim)
            )
            give(bench, made, one.position, Given(who, support, f"{who} thinks so", None, 0))
    return made


def stored(bench):
    return bench.read(
        lambda c: adjudications.load_adjudications(c, "trees", adjudications.Subject.SUPPORT)
    )


async def test_disagreements_are_decided_one_by_one_and_both_labels_stay(bench, plan):
    before = bench.read(lambda c: support_labels.load_label_history(c, "trees"))
    async with as_person(bench, "lead") as lead:
        where = "/adjudicate?panel=trees"
        for number in range(1, 5):
            page = await lead.get(where)
            tree = parsed(page)
            assert tree.xpath("//h1")[0].text == f"Disagreement {number} of 4"
            sides = [one.text_content() for one in tree.xpath("//*[@class='side']")]
            assert [("ana thinks so" in sides[0], "ben thinks so" in sides[1])] == [(True, True)]
            wanting = await press(lead, page, "partial", " ")
            assert (wanting.status_code, len(stored(bench))) == (422, number - 1)
            sent = await press(lead, page, "partial", "it says some")
            # The same form twice: one decision.
            assert (await press(lead, page, "partial", "it says some")).status_code == 303
            assert (sent.status_code, len(stored(bench))) == (303, number)
            where = sent.headers["location"]
        done = (await lead.get("/api/v1/adjudicate", params={"panel": "trees"})).json()
        table = (await lead.get("/api/v1/adjudicate/table.csv", params={"panel": "trees"})).text
        desk = (await lead.get("/api/v1/label")).json()["plans"][0]
        ended = parsed(await lead.get(where))
    assert where == "/adjudicate?panel=trees"
    assert ended.xpath("//h1")[0].text == "All disagreements are decided"
    assert ended.xpath("//main//p[@class='lede']/a/@href")[:2] == ["/label", "/panels/trees"]
    assert (done["decided"], done["total"], desk["lead"]["disagreements"]) == (4, 4, 0)
    rows = list(csv.DictReader(io.StringIO(table, newline="")))
    assert [(row["labels"], row["decided"]) for row in rows] == [
        ("ana: full; ben: unsupported", "partial")
    ] * 4
    assert bench.read(lambda c: support_labels.load_label_history(c, "trees")) == before
    assert {one.adjudicator for one in stored(bench)} == {"lead"}


async def test_what_changed_meanwhile_is_told_and_what_was_typed_is_kept(bench, plan):
    place = next(one.position for one in plan.plan.assignments if len(one.annotators) == 2)
    async with as_person(bench, "lead") as lead:
        page = await lead.get("/adjudicate?panel=trees&page=1")
        mine = own_work(bench, plan, "ben").labelled[place]
        changed = Given("ben", Support.CONTRADICTED, "now so", None, mine.id)
        give(bench, plan, place, changed)
        got = await press(lead, page, "full", "typed")
        assert got.status_code == 409
        assert "labelled this pair anew" in parsed(got).xpath("//*[@role='alert']")[0].text
        assert parsed(got).xpath("//textarea")[0].text == "typed"
        assert stored(bench) == ()
        assert "now so" in got.text
        # A decision by somebody else is told in the same way.
        other = await lead.get("/adjudicate?panel=trees&page=2")
        assert (await press(lead, other, "full", "mine")).status_code == 303
        late = await press(lead, other, "partial", "too late")
    assert (late.status_code, len(stored(bench))) == (409, 1)


async def test_nothing_to_adjudicate_and_addresses_of_nothing(bench, store):
    async with as_person(bench, "lead") as lead:
        page = await lead.get("/adjudicate")
        assert (page.status_code, "Nothing to adjudicate" in page.text) == (200, True)
        a_plan(bench, store[1])
        got = [
            (await lead.get(path)).status_code
            for path in (
                "/adjudicate?panel=elms", "/adjudicate?panel=trees&page=2",
                "/adjudicate/trees/none/texts/1", "/adjudicate?page=x",
            )
        ]  # fmt: skip
        token = parsed(await lead.get("/label")).xpath("//input[@name='csrf']")[0].get("value")
        unknown = await lead.post(
            "/adjudicate/trees/none",
            data={"csrf": token, "support": "full", "labels": "1", "seen": "0", "note": "x"},
        )
    assert (got, unknown.status_code) == ([404, 404, 404, 422], 404)


async def test_a_run_tells_its_judge_and_the_rate_that_labels_correct(bench, store):
    run = store[1]
    plan = a_plan(bench, run, wish=replace(WISH, pairs=40, double_share=1.0))
    for one in plan.plan.assignments:
        for who in one.annotators:
            support = NO if who == "ben" and one.position <= 12 else FULL
            give(bench, plan, one.position, Given(who, support, None, None, 0))
    async with as_person(bench, "vic") as vic:
        first = (await vic.get(f"/api/v1/runs/{run.public_id}/trust")).json()
        page = await vic.get(f"/runs/{run.public_id}/trust")
        whole = await vic.get(f"/runs/{run.public_id}")
    assert first["judge"] == "oak@1"
    assert (first["labelled"], first["disputed"]) == (40, 12)
    line = next(one for one in first["corrected"] if one["measure"] == "contradiction_rate")
    # 28 of 40 are settled: two short of what a corrected rate takes.
    assert (line["labels"], line["value"], line["corrected_text"]) == (
        28,
        None,
        "28 of 30 labels needed",
    )
    assert line["judged"]["text"] in " ".join(
        parsed(page).xpath("//main")[0].text_content().split()
    )
    assert "How far the judge agrees with people" in whole.text
    async with as_person(bench, "lead") as lead:
        for n, _ in enumerate(disagreements(bench, "trees"), 1):
            got = await lead.get(f"/adjudicate?panel=trees&page={n}")
            assert (await press(lead, got, "full", "read again")).status_code == 303
        told = (await lead.get(f"/api/v1/runs/{run.public_id}/trust")).json()
        table = (await lead.get(f"/api/v1/runs/{run.public_id}/trust/table.csv")).text
    now = next(one for one in told["corrected"] if one["measure"] == "contradiction_rate")
    assert (told["disputed"], now["labels"], now["judged"]) == (0, 40, line["judged"])
    assert now["low"] <= now["value"] <= now["high"]
    # The judge contradicts some of the forty; people none. So the corrected rate lies below.
    assert now["value"] < now["judged"]["value"]
    (signature,) = told["signatures"]
    assert parse_signature(signature).sample.labels == "40"
    assert len(list(csv.DictReader(io.StringIO(table, newline="")))) == 2


async def test_a_judge_that_is_being_counted_says_so(bench, store, monkeypatch):
    def never(self, key, work, *, patience=0):
        raise StillCountingError

    monkeypatch.setattr(Counting, "get", never)
    run = store[1]
    async with as_person(bench, "vic") as vic:
        page = await vic.get(f"/runs/{run.public_id}/trust")
        twin = (await vic.get(f"/api/v1/runs/{run.public_id}/trust")).json()
        whole = await vic.get(f"/runs/{run.public_id}")
    assert (page.status_code, "This is being counted" in page.text) == (200, True)
    assert (twin["counting"], twin["judge"], twin["corrected"]) == (True, None, [])
    assert (whole.status_code, "This is being counted" in whole.text) == (200, True)
