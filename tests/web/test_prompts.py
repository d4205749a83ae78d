"""Prompts by engines, and one prompt: values by hand, selections of hundreds, edited wordings."""

import csv
import io
from dataclasses import replace

import lxml.html

from monitor.domain.panel import Prompt
from tests.web.conftest import AFTER, BEFORE, asking
from tests.web.people import app_of
from tests.web.rooms import ELM, LATE, OAK, TREES, scored, told, told_by


def cells(screen):
    return [(line["id"], cell) for line in screen["lines"] for cell in line["cells"]]


async def test_every_cell_has_its_value_or_says_why_not(client):
    found = (await client.get("/api/v1/prompts")).json()
    assert len(found["lines"]) == found["pager"]["total"] == 26
    said = {cell["text"] for _, cell in cells(found)}
    assert "not asked" in said
    for prompt, cell in cells(found):
        if cell["href"] is None:
            assert (cell["text"], cell["shade"], cell["answers"]) == ("not asked", None, 0)
        assert (cell["shade"] is None) == (cell["text"].startswith("not ")), (prompt, cell)
    tree = lxml.html.document_fromstring((await client.get("/prompts")).content)
    shown = [" ".join(td.text_content().split()) for td in tree.xpath("//table//td")]
    assert shown == [" ".join(cell["text"].split()) for _, cell in cells(found)]


async def test_the_rows_behind_a_cell_add_up_to_it(client):
    found = (await client.get("/api/v1/prompts?prompt=speed-limit&prompt=motor-power")).json()
    assert [one["id"] for one in found["lines"]] == ["speed-limit", "motor-power"]
    behind = [cell for _, cell in cells(found) if cell["href"]]
    assert len(behind) == 7
    for cell in behind:
        rows = (await client.get(f"/api/v1{cell['href']}")).json()
        assert (rows["number"]["hits"], rows["captures"]) == (cell["hits"], cell["answers"])


async def test_shades_follow_the_value(client):
    found = (await client.get("/api/v1/prompts?measure=source_precision")).json()
    for prompt, cell in cells(found):
        if cell["value"] is not None and cell["assessed_share"] == 1:
            assert cell["shade"] == min(5, int(cell["value"] * 6)), prompt
    assert found["measure_label"] == "Source precision"


async def test_words_stand_in_id_text_or_segments(bench):
    scored(bench, "2026-01", told(OAK), told(ELM), told(LATE))
    for words, expected in {
        "oaks": ["oaks"], "GROW": ["oaks", "elms"], "pests": ["pests"], "grow elms": ["elms"],
        "palms": [],
    }.items():  # fmt: skip
        found = await told_by(bench, "/prompts", words=words)
        assert [one["id"] for one in found["lines"]] == expected, words
    async with asking(app_of(bench)) as one:
        assert "No prompt of this panel" in (await one.get("/prompts?words=palms")).text


async def test_three_hundred_marked_prompts_are_shown_over_pages_and_stay_marked(bench):
    prompts = tuple(Prompt(f"p{n:03}", f"How do oaks grow, {n}?", "en-GB") for n in range(350))
    panel = replace(TREES, name="many", prompts=prompts)
    scored(bench, "2026-01", *[told(OAK)] * 350, panel=panel)
    marked = [one.id for one in prompts[20:320]]
    first = await told_by(bench, "/prompts", prompt=[*marked, "gone"])
    assert (first["pager"]["total"], len(first["lines"])) == (300, 100)
    assert (len(first["elsewhere"]), first["unknown"]) == (200, ["gone"])
    async with asking(app_of(bench)) as one:
        last = await one.get(first["pager"]["later"].replace("page=2", "page=3"))
        table = await one.get("/api/v1/prompts/table.csv", params={"prompt": marked})
        many = await one.get("/prompts", params={"prompt": [f"x{n}" for n in range(501)]})
        behind = await one.get("/prompts", params={"page": 1_000_000})
        beyond = await one.get("/prompts", params={"page": 10**9})
    tree = lxml.html.document_fromstring(last.content)
    ticked = tree.xpath("//input[@type='checkbox'][@checked]/@value")
    assert ticked == marked[200:]
    assert tree.xpath("//input[@type='hidden'][@name='prompt']/@value") == marked[:200]
    rows = list(csv.DictReader(io.StringIO(table.text)))
    assert [row["prompt"] for row in rows] == marked
    assert (many.status_code, behind.status_code, beyond.status_code) == (422, 404, 422)


async def test_an_empty_store_and_unknown_names(bench, client):
    async with asking(app_of(bench)) as one:
        assert "monitor run" in (await one.get("/prompts")).text
        assert (await one.get("/api/v1/prompts/table.csv")).text.count("\r\n") == 1
        assert (await one.get("/prompts/oaks")).status_code == 404
    for path in ("/prompts/nope", f"/prompts/nope?run={AFTER}", "/prompts?measure=nope"):
        assert (await client.get(path)).status_code == 404, path
    for path in (f"/prompts?words={'x' * 5_000}", f"/prompts/{'x' * 5_000}"):
        assert (await client.get(path)).status_code == 422, path


async def test_one_prompt_has_its_baseline_numbers_answers_and_past(client):
    found = (await client.get("/api/v1/prompts/speed-limit")).json()
    assert found["text"] == "How fast may a pedal-assist e-bike go in Velmora?"
    assert found["baseline"]["version"] == "sandbox@2026-08"
    assert [one["id"] for one in found["baseline"]["claims"]] == ["c1", "c2", "c3"]
    # Three repeats of three engines, one of the surface.
    assert len(found["answers"]) == 10
    assert found["answers"][0]["queries"] != []
    heat = (await client.get("/api/v1/prompts?prompt=speed-limit")).json()
    recall = next(one for one in found["measures"] if one["name"] == "required_source_recall")
    hits = [(one["hits"], one["total"]) for one in recall["numbers"]]
    assert hits == [(cell["hits"], cell["total"]) for _, cell in cells(heat)]
    leading = found["history"][0]
    assert leading["measure"] == "required_source_recall"
    last = [one["points"][-1]["number"] for one in leading["series"]]
    assert [(one["hits"], one["total"]) for one in last] == hits


async def test_a_past_value_is_that_of_the_run_it_names(client):
    now = (await client.get("/api/v1/prompts/speed-limit")).json()
    then = (await client.get(f"/api/v1/prompts/speed-limit?run={BEFORE}")).json()
    recall = next(one for one in then["measures"] if one["name"] == "required_source_recall")
    first = [one["points"][0]["number"] for one in now["history"][0]["series"]]
    assert [one["hits"] for one in first] == [one["hits"] for one in recall["numbers"]]
    assert then["history"] == []


async def test_answers_stay_with_the_wording_they_were_asked_under(bench):
    scored(bench, "2026-01", told(OAK), told(ELM), told(LATE))
    scored(bench, "2026-02", told(OAK), told(ELM), told(LATE))
    edited = replace(TREES.prompts[0], text="How fast do oaks grow?")
    panel = replace(TREES, version=2, prompts=(edited, *TREES.prompts[1:]))
    scored(bench, "2026-03", told(OAK), told(ELM), told(LATE), panel=panel)
    found = await told_by(bench, "/prompts/oaks")
    assert [(one["text"], one["runs"], one["is_shown"]) for one in found["wordings"]] == [
        ("How do oaks grow?", ["2026-01", "2026-02"], False),
        ("How fast do oaks grow?", ["2026-03"], True),
    ]
    earlier = await told_by(bench, "/prompts/oaks", run="run:trees:2026-01")
    assert earlier["text"] == "How do oaks grow?"
    other = await told_by(bench, "/prompts/elms")
    assert len(other["wordings"]) == 1


async def test_a_prompt_of_an_earlier_panel_is_found_in_the_run_that_asked_it_last(bench):
    scored(bench, "2026-01", told(OAK), told(ELM), told(LATE))
    panel = replace(TREES, version=2, prompts=TREES.prompts[:2])
    scored(bench, "2026-02", told(OAK), told(ELM), panel=panel)
    found = await told_by(bench, "/prompts/pests")
    assert found["run"] == "run:trees:2026-01"
    assert found["baseline"]["undefined"] == "no baseline for it"
    async with asking(app_of(bench)) as one:
        assert (await one.get("/prompts/pests?run=run:trees:2026-02")).status_code == 404


async def test_marked_prompts_that_are_shown_are_counted_and_the_unknown_named(client):
    page = (await client.get("/prompts?prompt=helmet&prompt=zzz")).text
    assert "1 marked prompt is shown." in page
    assert "Not in this panel: zzz." in page
