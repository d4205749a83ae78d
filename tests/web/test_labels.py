"""Labelling in the browser: the desk, one pair at a time, blind, and nothing is lost."""

import re
from dataclasses import replace

import pytest

from monitor.domain.access import Role
from monitor.domain.claim import Support
from monitor.pipeline.label_desk import own_work
from monitor.report.screens.labels import MEANINGS
from monitor.store import label_plans, support_labels
from monitor.store.panels import save_panel
from tests.house import ROOT
from tests.stored import MADE_AT, PANEL
from tests.web.labelling import (
    a_plan,
    as_person,
    emptied,
    fields_of,
    labelled_store,
    parsed,
    press,
)
from tests.web.people import app_of, browser, token

SHRUBS = replace(PANEL, name="shrubs")
SECRET = ("openai", "oak@1", "verdict", "unclear", "score", "rule")


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with labelled_store(tmp_path_factory.mktemp("labels-web")) as made:
        yield made


@pytest.fixture
def bench(store):
    """Begins without plans and labels."""
    yield store[0]
    emptied(store[0])


@pytest.fixture
def plan(bench, store):
    return a_plan(bench, store[1])


def history(bench):
    return bench.read(lambda c: support_labels.load_label_history(c, "trees"))


async def test_the_lead_makes_a_plan_with_a_form_and_annotators_find_their_share(bench, store):
    async with as_person(bench, "lead") as lead:
        page = await lead.get("/label")
        form = parsed(page).xpath("//form[@action='/label/plans']")[0]
        assert form.xpath(".//select/option/text()") == [store[1].public_id]
        sent = await lead.post(
            "/label/plans",
            data={
                "csrf": form.xpath(".//input[@name='csrf']")[0].get("value"),
                "run": store[1].public_id, "annotators": "ana, ben", "guideline": "2026-12",
                "pairs": "20", "double": "20",
            },
        )  # fmt: skip
        assert (sent.status_code, sent.headers["location"]) == (303, "/label")
        (line,) = (await lead.get("/api/v1/label")).json()["plans"]
    assert (line["pairs"], line["mine"], line["lead"]["double"]) == (20, 0, 4)
    async with as_person(bench, "ana") as ana:
        told = (await ana.get("/api/v1/label")).json()
    (line,) = told["plans"]
    # Ten in turn, and those of ben's ten that were drawn for two.
    plan = bench.read(lambda c: label_plans.load_plan(c, line["plan"]))
    even = sum(len(one.annotators) == 2 and one.position % 2 == 0 for one in plan.assignments)
    assert (line["mine"], line["open"], line["done"]) == (10 + even, 10 + even, 0)
    assert line["go_on"] == f"/label/{line['plan']}/1"


@pytest.mark.parametrize(
    ("fields", "status", "told"),
    [
        ({"double": "120"}, 400, "Labelled by two of them, in %: got '120'; expected 0 to 100"),
        ({"double": "nan"}, 400, "Labelled by two of them, in %: got 'nan'; expected 0 to 100"),
        ({"annotators": "ana, Ana"}, 400, "a name stands there twice"),
        ({"annotators": "<script>"}, 400, "Annotators: name '<script>': expected 1 to"),
        ({"annotators": ""}, 400, "Annotators: name at least one"),
        ({"pairs": "0"}, 400, "Pairs: got '0'; expected 1 to 5000"),
        ({"run": "run:elms:1"}, 404, "Run to draw from: no run 'run:elms:1'"),
        ({"guideline": "x" * 90}, 400, "Version of the guideline: got 90 characters"),
    ],
)
async def test_a_plan_that_is_none_is_refused_in_words(bench, store, fields, status, told):
    given = {
        "run": store[1].public_id, "annotators": "ana, ben", "guideline": "g", "pairs": "20",
        "double": "20",
    }  # fmt: skip
    async with as_person(bench, "lead") as lead:
        mark = parsed(await lead.get("/label")).xpath("//input[@name='csrf']")[0].get("value")
        got = await lead.post("/label/plans", data=given | fields | {"csrf": mark})
    main = parsed(got).xpath("//main")[0]
    assert (got.status_code, told in main.text_content()) == (status, True), got.text
    assert "--" not in "".join(main.xpath(".//*[@role='alert']//text()"))
    assert bench.read(label_plans.count_plans) == 0
    # The form is there again, with what was typed.
    (form,) = main.xpath(".//form[@action='/label/plans']")
    typed = {one.get("name"): one.get("value") for one in form.xpath(".//input")}
    assert typed.items() >= ({k: v for k, v in (given | fields).items() if k != "run"}).items()


async def test_one_annotator_alone_labels_nothing_twice_by_the_share_that_the_form_proposes(
    bench, store
):
    async with as_person(bench, "lead") as lead:
        (form,) = parsed(await lead.get("/label")).xpath("//form[@action='/label/plans']")
        proposed = {one.get("name"): one.get("value") for one in form.xpath(".//input")}
        assert proposed["double"] == "20"
        said = {"run": store[1].public_id, "annotators": "ana", "guideline": "g", "pairs": "20"}
        got = await lead.post("/label/plans", data=proposed | said)
        assert (got.status_code, got.headers.get("location")) == (303, "/label"), got.text
        (line,) = (await lead.get("/api/v1/label")).json()["plans"]
    assert (line["pairs"], line["lead"]["double"]) == (20, 0)


async def test_the_lead_is_told_of_pairs_drawn_for_two_how_many_both_labelled(bench, plan):
    (first, *_) = [one.position for one in plan.plan.assignments if len(one.annotators) > 1]
    told = []
    for name in ("ana", "ben"):
        async with as_person(bench, name) as person:
            page = await person.get(f"/label/1/{first}")
            assert (await press(person, page, "full")).status_code == 303
            assert "Another name" not in (await person.get("/label")).text
        async with as_person(bench, "lead") as lead:
            told.append(parsed(await lead.get("/label")).xpath("string(//main)"))
    assert "4 of 20 pairs drawn to be labelled twice, 0 of these labelled by both so far" in told[0]
    assert "4 of 20 pairs drawn to be labelled twice, 1 of these labelled by both so far" in told[1]


async def test_the_desk_of_one_panel_has_its_plans_alone(bench, plan):
    bench.write(lambda c: save_panel(c, SHRUBS, saved_at=MADE_AT))
    async with as_person(bench, "ana") as ana:
        mine = (await ana.get(f"/api/v1/label?panel={plan.plan.panel}")).json()
        other = (await ana.get("/api/v1/label?panel=shrubs")).json()
        page = (await ana.get("/label?panel=shrubs")).text
    assert [one["plan"] for one in mine["plans"]] == [plan.plan.id]
    assert (other["plans"], other["pager"]["total"], other["panel"]) == ([], 0, "shrubs")
    assert "No plan of shrubs yet" in page


async def test_one_pair_is_shown_blind_with_its_keys_and_without_script(bench, plan):
    async with as_person(bench, "ana") as ana:
        page, twin = await ana.get("/label/1/1"), await ana.get("/api/v1/label/1/1")
        whole = await ana.get("/label/1/1/texts/1")
    pair = plan.pair(1)
    tree = parsed(page)
    assert pair.claim in tree.xpath("//main//h2")[0].text_content()
    buttons = tree.xpath("//form[contains(@class,'give')]//button[@name='support']")
    assert [one.get("value") for one in buttons] == [one.value for one in Support]
    assert [one.xpath("./kbd")[0].text for one in buttons] == ["1", "2", "3", "4", "5"]
    assert [one.get("data-key") for one in buttons] == ["1", "2", "3", "4", "5 u"]
    assert tree.xpath("//form[contains(@class,'give')]/@autofocus") != []
    assert "Pair 1 of" in tree.xpath("//h1")[0].text_content()
    main = tree.xpath("//main")[0].text_content()
    assert not [word for word in SECRET if word in main.lower() + twin.text.lower()]
    told = twin.json()
    assert "judge" not in twin.text.lower()
    assert told["matter"]["claim"] == pair.claim
    assert told["matter"]["passages"][0]["url"].startswith("https://oak")
    assert not re.search(r"(style=|onclick|<script>)", page.text)
    assert (whole.status_code, whole.headers["content-type"]) == (200, "text/plain; charset=utf-8")
    assert whole.headers["x-content-type-options"] == "nosniff"
    assert whole.text.startswith("Page ")


async def test_labels_go_on_to_the_next_open_pair_until_all_are_labelled(bench, plan):
    places = plan.positions_of("ana")
    async with as_person(bench, "ana") as ana:
        where = (await ana.get("/label/1")).headers["location"]
        seen = []
        while where != "/label":
            page = await ana.get(where)
            seen.append(int(where.rsplit("/", 1)[1]))
            done = parsed(page).xpath("//progress")[0].get("value")
            assert int(done) == len(seen) - 1
            sent = await press(ana, page, "partial", seconds="2.5")
            assert sent.status_code == 303
            where = sent.headers["location"]
        desk = (await ana.get("/api/v1/label")).json()["plans"][0]
        again = await ana.get("/label/1")
        last = parsed(await ana.get(desk["look_back"]))
    assert last.xpath("//form[@class='undo']//button[not(@disabled)]")
    assert tuple(seen) == places
    assert (desk["open"], desk["go_on"], again.headers["location"]) == (0, None, "/label")
    stored = history(bench)
    assert {one.seconds for one in stored} == {2.5}
    assert {(one.annotator, one.guideline) for one in stored} == {("ana", "2026-12")}


async def test_a_reason_that_is_wanting_keeps_what_was_chosen(bench, plan):
    async with as_person(bench, "ana") as ana:
        page = await ana.get("/label/1/1")
        got = await press(ana, page, "not_assessable", "   ")
        assert (got.status_code, history(bench)) == (422, ())
        assert "takes one" in parsed(got).xpath("//*[@role='alert']")[0].text
        assert parsed(got).xpath("//button[contains(@class,'wanted')]/@value") == ["not_assessable"]
        sent = await press(ana, got, "not_assessable", "cut off <b>here</b>")
        assert sent.status_code == 303
        again = await ana.get("/label/1/1")
    assert [one.note for one in history(bench)] == ["cut off <b>here</b>"]
    assert "cut off &lt;b&gt;here&lt;/b&gt;" in again.text
    assert parsed(again).xpath("//button[@aria-pressed='true']/@value") == ["not_assessable"]


async def test_a_second_window_is_told_of_the_first_and_keeps_what_was_typed(bench, plan):
    async with as_person(bench, "ana") as ana:
        page = await ana.get("/label/1/1")
        assert (await press(ana, page, "full", "first")).status_code == 303
        # The same form twice, as by a double click: one label.
        assert (await press(ana, page, "full", "first")).status_code == 303
        got = await press(ana, page, "contradicted", "typed in the second")
        assert got.status_code == 409
        said = parsed(got).xpath("//*[@role='alert']")[0].text
        assert "Stored: Full (first); yours: Contradicted" in said
        assert parsed(got).xpath("//textarea")[0].text == "typed in the second"
        assert len(history(bench)) == 1
        # That page has seen the first one: pressing again changes it.
        assert (await press(ana, got, "contradicted", "typed in the second")).status_code == 303
    assert [one.support.value for one in history(bench)] == ["full", "contradicted"]


async def test_undo_takes_the_last_label_back_and_returns_to_its_pair(bench, plan):
    second = plan.positions_of("ana")[1]
    async with as_person(bench, "ana") as ana:
        first = await ana.get("/label/1/1")
        assert parsed(first).xpath("//form[contains(@class,'undo')]//button/@disabled") != []
        await press(ana, first, "full")
        page = await ana.get(f"/label/1/{second}")
        action, fields = fields_of(page, "undo")
        sent = await ana.post(action, data=fields)
        assert (sent.status_code, sent.headers["location"]) == (303, "/label/1/1")
        assert (await ana.post(action, data=fields)).status_code == 303
        wrong = await ana.post(action, data=fields | {"label": "999"})
    assert wrong.status_code == 409
    assert [one.withdrawn for one in history(bench)] == [False, True]
    assert own_work(bench, plan, "ana").labelled == {}


async def test_who_has_no_part_in_a_pair_cannot_label_it(bench, plan):
    alone = next(one.position for one in plan.plan.assignments if one.annotators == ("ben",))
    async with as_person(bench, "ana") as ana:
        page = await ana.get(f"/label/1/{alone}")
        assert (page.status_code, "not yours to label" in page.text) == (200, True)
        assert parsed(page).xpath("//form[contains(@class,'give')]") == []
        _, fields = fields_of(await ana.get("/label/1/1"))
        got = await ana.post(f"/label/1/{alone}", data=fields | {"support": "full"})
    assert got.status_code == 403
    async with as_person(bench, "vic") as vic:
        assert (await vic.get("/label")).status_code == 200
        assert (await vic.get("/label/1/1")).status_code == 403
        assert (await vic.get("/api/v1/label/1/1")).status_code == 403
        assert (await vic.get("/label/1/1/texts/1")).status_code == 403
    assert history(bench) == ()


async def test_only_the_lead_sees_how_annotators_agree(bench, plan):
    both = [one.position for one in plan.plan.assignments if len(one.annotators) == 2]
    for name, support in (("ana", "full"), ("ben", "partial")):
        async with as_person(bench, name) as person:
            for place in both:
                # Of the first pair both say the same.
                said = "full" if place == both[0] else support
                await press(person, await person.get(f"/label/1/{place}"), said)
            page, twin = await person.get("/label"), (await person.get("/api/v1/label")).json()
            table = await person.get("/api/v1/label/table.csv")
            assert twin["plans"][0]["lead"] is None
            assert "greement" not in parsed(page).xpath("//main")[0].text_content()
            assert table.text.splitlines()[1].endswith(",,")
            assert (await person.get("/adjudicate")).status_code == 403
    async with as_person(bench, "lead") as lead:
        line = (await lead.get("/api/v1/label")).json()["plans"][0]
        page = await lead.get("/label")
    raw, alpha, ac1 = line["lead"]["agreement"]["lines"]
    # One of four alike.
    assert (raw["name"], raw["value"], raw["subjects"]) == ("raw_agreement", 0.25, 4)
    # Five labels full, three partial: chance disagreement is 2 * 5 * 3 / (8 * 7), observed 3/4.
    assert alpha["value"] == pytest.approx(1 - 0.75 / (30 / 56))
    # Chance agreement of AC1 over two classes: 2 * 5/8 * 3/8.
    assert ac1["value"] == pytest.approx((0.25 - 30 / 64) / (1 - 30 / 64))
    assert line["lead"]["disagreements"] == 3
    assert "3 to adjudicate" in page.text


async def test_programs_label_with_a_token_and_get_the_same_answers(bench, plan):
    shown = token(bench, Role.ANNOTATOR, "ana")
    async with browser(app_of(bench), headers=shown) as program:
        body = {"plan": plan.plan.id, "position": 1, "support": "full", "seconds": 4}
        got = await program.post("/api/v1/labels", json=body)
        again = await program.post("/api/v1/labels", json=body)
        other = await program.post("/api/v1/labels", json=body | {"support": "partial"})
        wanting = await program.post("/api/v1/labels", json=body | {"support": "not_assessable"})
        nowhere = await program.post("/api/v1/labels", json=body | {"position": 999})
        unknown = await program.post("/api/v1/labels", json=body | {"plan": 999})
        wrong = await program.post("/api/v1/labels", json=body | {"support": "perhaps"})
    name = got.json()["annotator"]
    assert (got.status_code, got.json()["next"]) == (200, plan.positions_of("ana")[1])
    assert (again.status_code, again.json()["label"]) == (200, got.json()["label"])
    assert [one.status_code for one in (other, wanting, nowhere, unknown, wrong)] == [
        409, 422, 404, 404, 422,
    ]  # fmt: skip
    assert [(one.annotator, one.seconds) for one in history(bench)] == [(name, 4.0)]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/label/999", 404), ("/label/999/1", 404), ("/label/1/21", 404), ("/label/1/0", 422),
        ("/label/x/1", 422), ("/label/99999999999999999999/1", 422), ("/label?page=7", 404),
        ("/label/1/1/texts/9", 404), ("/label?page=10000000", 422),
    ],
)  # fmt: skip
async def test_addresses_of_nothing_say_so(bench, plan, path, status):
    async with as_person(bench, "ana") as ana:
        got = await ana.get(path)
    assert got.status_code == status, got.text


@pytest.mark.parametrize(
    "fields",
    [{"support": "perhaps"}, {"seen": "-1"}, {"seen": "x"}, {"support": ""}, {"note": "x" * 5000}],
)
async def test_forms_of_nonsense_store_nothing(bench, plan, fields):
    async with as_person(bench, "ana") as ana:
        action, hidden = fields_of(await ana.get("/label/1/1"))
        got = await ana.post(action, data=hidden | {"support": "full"} | fields)
    assert (got.status_code, history(bench)) == (422, ())


def test_the_guideline_is_that_of_its_document():
    rows = re.findall(
        r"^\| `(\w+)` \| (.+) \|$", (ROOT / "docs/labels.md").read_text("utf-8"), re.MULTILINE
    )
    document = {name: when for name, when in rows if name in set(Support)}
    assert document == {one.value: when for one, when in MEANINGS.items()}
