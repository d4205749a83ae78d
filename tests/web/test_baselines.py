"""Baselines built in the browser: pooled blind, graded, written together, settled and frozen."""

import re

import pytest

from monitor.errors import StoreError
from monitor.store import (
    audit,
    drafts,
    pools,
    source_labels,
)
from tests.web.drafted import TREES, D, begun, bench_to_draft, call, go_on, grade, send
from tests.web.labelling import parsed
from tests.web.people import app_of, browser

LEAKS = ("run:trees", "cited", "origin", "typed", "engine")


@pytest.fixture
def bench(bench, tmp_path):
    return bench_to_draft(bench, tmp_path)


async def test_a_pool_tells_annotators_nothing_of_engines_and_its_order_is_drawn(bench):
    app = app_of(bench)
    async with browser(app) as client:
        draft = await begun(client, bench)
        await call(client, "r1")
        pool = bench.read(lambda c: pools.load_pool(c, 1))
        # Three prompts cite four pages each, and three a prompt were asked for.
        assert [len([s for s in pool if s.prompt == f"p{n}"]) for n in range(3)] == [3, 3, 3]
        assert {one.note.origins[0].engines for one in pool} == {("openai",)}
        assert {one.annotators for one in pool} <= {("r1", "r2"), ("r2", "r1")}
        assert not any("utm_source" in one.url for one in pool)
        page = await go_on(client)
        for address in (D, f"/api/v1{D}", f"/api/v1{D}/table.csv", page, f"/api/v1{page}"):
            told = (await client.get(address)).text.lower()
            assert [engine for engine in ("openai", "chatgpt") if engine in told] == [], address
        for address in (page, f"/api/v1{page}"):
            told = (await client.get(address)).text.lower()
            assert [leak for leak in LEAKS if leak in told] == [], address
        screen = (await client.get(f"/api/v1{page}")).json()
        assert screen["source"]["text"].startswith("Text of https://oaks")
        assert draft.plan.panel == TREES


async def test_a_grade_is_one_row_and_goes_on_and_can_be_taken_back(bench):
    async with browser(app_of(bench)) as client:
        await begun(client, bench)
        await call(client, "r1")
        page = await go_on(client)
        details = {"topical_fit": "0.5", "authoritative": "yes", "note": "A law library."}
        got = await grade(client, page, "acceptable", **details)
        assert got.status_code == 303
        assert got.headers["location"] == await go_on(client) != page
        (one,) = bench.read(lambda c: source_labels.load_source_labels(c, 1))
        assert (one.grade, one.annotator, one.guideline, one.blind, one.seconds) == (
            "acceptable", "r1", "2", True, 2.5,
        )  # fmt: skip
        assert (one.details.relevance.topical_fit, one.details.roles.authoritative) == (0.5, "yes")
        where = f"{D}/prompts/{one.prompt}"
        got = await send(client, f"{where}/undo", page=one.page_hash, seen=str(one.id))
        assert (got.status_code, got.headers["location"]) == (303, page)
        (back,) = bench.read(lambda c: source_labels.load_source_labels(c, 1))
        assert (back.grade, back.id > one.id) == (None, True)
        # What was typed beside the grade is there for the next one, and nothing of ours.
        assert back.details == one.details
        fields = (await client.get(f"/api/v1{page}")).json()["source"]["fields"]
        assert fields["note"] == "A law library."
        assert await go_on(client) == page


async def test_a_refused_grade_keeps_what_was_typed(bench):
    async with browser(app_of(bench)) as client:
        await begun(client, bench)
        await call(client, "r1")
        page = await go_on(client)
        got = await grade(
            client, page, "required", reason="", known_limitation="Only <b>English</b> oaks."
        )
        assert got.status_code == 422
        assert "required takes one in your own words" in got.text
        assert "Only &lt;b&gt;English&lt;/b&gt; oaks." in got.text
        long = await grade(client, page, "optional", note="n" * 5000)
        assert (long.status_code, "5000 characters; at most 2000" in long.text) == (422, True)
        assert bench.read(lambda c: source_labels.load_source_labels(c, 1)) == ()


async def test_a_form_that_saw_an_older_own_label_stores_nothing(bench):
    async with browser(app_of(bench)) as client:
        await begun(client, bench)
        await call(client, "r1")
        page = await go_on(client)
        assert (await grade(client, page, "acceptable")).status_code == 303
        got = await grade(client, page, "optional", seen="", note="typed meanwhile")
        assert got.status_code == 409
        assert "graded this source as acceptable" in got.text
        assert "typed meanwhile" in got.text
        (one,) = bench.read(lambda c: source_labels.load_source_labels(c, 1))
        assert one.grade == "acceptable"
        seen = re.search(r'name="seen" value="(\d+)"><input type="hidden" name="seconds"', got.text)
        assert int(seen[1]) == one.id
        assert (await grade(client, page, "optional")).status_code == 303


async def test_a_claim_that_somebody_else_saved_meanwhile_is_not_overwritten(bench):
    app = app_of(bench)
    where = f"{D}/prompts/p0"
    words = {"claim": "c1", "category": "core_fact", "required": "yes"}
    async with browser(app) as one, browser(app) as other:
        await begun(one, bench)
        await call(one, "r1")
        await call(other, "r2")
        assert (await send(one, f"{where}/claims", text="Oaks grow.", **words)).status_code == 303
        (row,) = bench.read(lambda c: drafts.load_claims(c, 1))
        seen = {**words, "row": str(row.id)}
        assert (
            await send(one, f"{where}/claims", text="Oaks grow slowly.", **seen)
        ).status_code == 303
        got = await send(other, f"{where}/claims", text="Oaks never grow.", **seen)
        assert got.status_code == 409
        assert "r1 saved claim c1 meanwhile" in got.text
        assert "Oaks grow slowly." in got.text
        assert "Oaks never grow.</textarea>" in got.text
        # Over the own text stands the own name, over the other text the other's.
        (summary,) = parsed(got).xpath("//details[@open][contains(@class, 'claim')]/summary")
        assert "Oaks never grow." in summary.text_content()
        assert summary.text_content().endswith("; r2")
        assert "c1 as r1 left it" in got.text
        (kept,) = bench.read(lambda c: drafts.load_claims(c, 1))
        assert kept.words.text == "Oaks grow slowly."
        # The form of the refusal names the row it showed, so that saving again is meant.
        fresh = re.search(rf'name="row" value="({kept.id})"', got.text)[1]
        again = await send(
            other, f"{where}/claims", text="Oaks never grow.", **seen | {"row": fresh}
        )
        assert again.status_code == 303
        (kept,) = bench.read(lambda c: drafts.load_claims(c, 1))
        assert (kept.words.text, kept.annotator) == ("Oaks never grow.", "r2")
        gone = await send(one, f"{where}/claims", **words, row=str(kept.id), act="remove")
        assert gone.status_code == 303
        (kept,) = bench.read(lambda c: drafts.load_claims(c, 1))
        assert kept.words is None
        assert len(bench.read(lambda c: c.execute(drafts.draft_claim.select()).all())) == 4


async def test_typed_sources_go_through_the_guard_and_what_is_blocked_is_told(bench):
    async with browser(app_of(bench)) as client:
        await begun(client, bench)
        lines = "http://127.0.0.1:80/\nhttp://[::1]/\noaks.example\njavascript:alert(1)\nx y"
        got = await send(client, f"{D}/pool", kind="typed", prompt="p1", sources=lines)
        assert got.status_code == 200
        assert "http://127.0.0.1/: not taken: private address, not fetched" in got.text
        assert "private address" in got.text.partition("[::1]")[2][:60]
        assert "&#39;javascript:alert(1)&#39;: no web address and no family" in got.text
        added = [one for one in bench.read(lambda c: pools.load_pool(c, 1)) if not one.is_page]
        assert [(one.prompt, one.url, one.only_match) for one in added] == [
            ("p1", "oaks.example", "family")
        ]
        twice = await send(client, f"{D}/pool", kind="typed", prompt="p1", sources="oaks.example")
        assert "0 sources added, 1 in the pool already" in twice.text
        many = await send(client, f"{D}/pool", kind="typed", prompt="", sources="a.example\n" * 3
                          + "\n".join(f"a{n}.example" for n in range(60)))  # fmt: skip
        assert (many.status_code, "at most 50 at once" in many.text) == (400, True)


NOWHERE = {
    "/baselines/nothing": 404,
    "/baselines/drafts/99": 404,
    "/baselines/drafts/99999999999999999999": 422,
    "/baselines/drafts/x": 422,
    "/baselines/trees/versions/9": 404,
    "/baselines/trees/differences": 422,
    "/baselines/trees/differences?before=1&after=2": 404,
    "/baselines/trees/versions/9/file": 404,
    f"{D}/prompts/p9": 404,
    f"{D}/prompts/p0?source=1": 404,
    f"{D}/prompts/p0?source=99999999999": 422,
}


async def test_addresses_of_nothing_say_so(bench):
    async with browser(app_of(bench)) as client:
        await begun(client, bench)
        await call(client, "r1")
        for way in ("", "/api/v1"):
            got = {path: (await client.get(way + path)).status_code for path in NOWHERE}
            assert got == NOWHERE


async def test_who_is_no_annotator_of_a_draft_grades_nothing(bench):
    async with browser(app_of(bench)) as client:
        await begun(client, bench)
        first = bench.read(lambda c: pools.load_pool(c, 1))[0]
        await call(client, "eve")
        page = f"{D}/prompts/{first.prompt}"
        screen = (await client.get(f"/api/v1{page}")).json()
        assert (screen["is_asked"], screen["places"], screen["source"]) == (False, [], None)
        got = await send(client, f"{page}/grade", page=first.page_hash, grade="optional")
        assert got.status_code == 404


UNSOUND = [
    ("version", "a b", "version: got"),
    ("guideline", "", "guideline"),
    ("annotators", "\n \n", "annotators"),
    ("double_percent", "-1", "per cent"),
    ("double_percent", "nan", "per cent"),
    ("seed", "x", "seed"),
    ("starts_from", "nope", "to start from"),
]


async def test_a_draft_that_cannot_begin_says_why(bench):
    sound = {"version": "1", "guideline": "1", "annotators": "r1", "double_percent": "20"}
    async with browser(app_of(bench)) as client:
        for field, value, told in UNSOUND:
            got = await send(client, "/baselines/trees/drafts", **sound | {field: value})
            assert (got.status_code in {400, 409}, told in got.text) == (True, True), field
        assert bench.read(drafts.list_drafts) == ()


async def test_a_closed_draft_takes_nothing(bench):
    async with browser(app_of(bench)) as client:
        await begun(client, bench, names="r1", double="0")
        await call(client, "r1")
        page = await go_on(client)
        await call(client, "nobody asked")
        where = f"{D}/prompts/p0"
        assert "is yours to grade. You can write claims." in (await client.get(where)).text
        await call(client, "r1")
        assert (await send(client, f"{D}/discard")).status_code == 303
        await call(client, "nobody asked")
        assert "You can write claims" not in (await client.get(where)).text
        await call(client, "r1")
        got = await grade(client, page, "optional")
        assert (got.status_code, "discarded" in got.text) == (409, True)
        where = f"{D}/prompts/p0"
        late = await send(client, f"{where}/claims", claim="c1", text="Oaks.", category="other")
        assert late.status_code in {403, 409}
        assert bench.read(lambda c: drafts.load_claims(c, 1)) == ()


async def test_a_graded_source_shows_its_form_as_it_was_left(bench):
    async with browser(app_of(bench)) as client:
        await begun(client, bench)
        await call(client, "r1")
        page = await go_on(client)
        left = {"reason": "see version 2.0", "freshness": "0.5", "authority": "1", "current": "no"}
        await grade(client, page, "required", **left, published="2024-03-01")
        source = (await client.get(f"/api/v1{page}")).json()["source"]
        shown = {name: source["fields"][name] for name in (*left, "published")}
        assert (source["grade"], shown) == ("required", left | {"published": "2024-03-01"})


async def test_what_cannot_be_noted_is_not_done(bench, monkeypatch):
    def refuse(*_, **__):
        raise StoreError("the note is refused")

    begin = {"version": "1", "guideline": "1", "annotators": "r1", "double_percent": "0"}
    pool = {"kind": "typed", "prompt": "p0", "sources": "elms.example"}
    async with browser(app_of(bench)) as client:
        await begun(client, bench, names="r1", double="0")
        before = bench.read(lambda c: (drafts.list_drafts(c), pools.load_pool(c, 1)))
        monkeypatch.setattr(audit, "note", refuse)
        for path, fields in (("/baselines/trees/drafts", begin), (f"{D}/pool", pool)):
            got = await send(client, path, **fields)
            assert (got.status_code, "the note is refused" in got.text) == (409, True)
        after = bench.read(lambda c: (drafts.list_drafts(c), pools.load_pool(c, 1)))
        assert after == before
