"""Baselines built in the browser: pooled blind, graded, written together, settled and frozen."""

import re
from dataclasses import replace

import pytest

from monitor.domain.drafted import DraftState
from monitor.domain.panel import Prompt
from monitor.pipeline.baseline_files import version_text
from monitor.store import (
    answers_seen,
    audit,
    captures,
    drafts,
    panels,
    pools,
    removals,
    source_labels,
)
from monitor.store.answers_seen import SeenAnswer
from monitor.store.evidence import EvidenceKind
from monitor.web.pages import baseline_settling
from tests.stored import MADE_AT, PANEL, answer, bench_in, keep_answers, keep_page, planned
from tests.web.people import app_of, browser, mark

TREES = replace(
    PANEL, prompts=tuple(Prompt(f"p{n}", f"How do oaks grow, {n}?", "en-GB") for n in range(3))
)
OAKS = [("Oaks", f"https://oaks{n}.example/growth?utm_source=chatgpt.com") for n in range(4)]
D = "/baselines/drafts/1"
LEAKS = ("run:trees", "cited", "origin", "typed", "engine")


@pytest.fixture
def bench(tmp_path, monkeypatch):
    """A store with a run of three answers that cite four pages each; no folder of panels."""
    with bench_in(tmp_path, monkeypatch) as opened:
        part = opened.settings.model_copy(update={"panels": str(tmp_path / "panels")})
        one = replace(opened, settings=part)
        run = planned(one, panel=TREES)
        keep_answers(one, run, *[answer("Oaks grow. " * 4, *OAKS)] * 3)
        for _, url in OAKS:
            plain = url.partition("?")[0]
            keep_page(one, run, plain, f"Text of {plain}.")
        one.write(lambda c: c.exec_driver_sql("update run set state = 'done'"))
        yield one


async def begun(client, bench, *, names="r1\nr2", double="100", **more):
    """A draft as a lead begins it, its pool filled from the run."""
    fields = {"version": "2026-11", "guideline": "2", "annotators": names, "double_percent": double}
    got = await send(client, "/baselines/trees/drafts", **fields | more)
    assert got.status_code == 303, got.text
    got = await send(client, f"{D}/pool", kind="cited", run="run:trees:2026-01", per_prompt="3")
    assert got.status_code == 200, got.text
    assert got.headers["content-type"].startswith("text/html")
    return bench.read(lambda c: drafts.load_draft(c, 1))


async def send(client, path, **fields):
    """Send a form, with the mark that any page's form carries."""
    return await client.post(path, data={"csrf": await mark(client, "/who"), **fields})


async def call(client, name):
    """Tell the application who sits there."""
    assert (await send(client, "/who", name=name)).status_code == 303


async def grade(client, page, grade_, **more):
    """Send the form of a page of the API's twin as it was shown."""
    screen = (await client.get(f"/api/v1{page}")).json()
    source = screen["source"]
    fields = {
        "page": source["page"], "seen": source["seen"] or "", "seconds": "2.5", "grade": grade_,
        "match": "page", "evidence_type": "other", "reason": "as the text says",
    }  # fmt: skip
    where = f"{D}/prompts/{screen['prompt']}"
    return await send(client, f"{where}/grade", **fields | more)


async def go_on(client):
    return (await client.get(f"/api/v1{D}")).json()["go_on"]


async def grade_all(client, name, grades):
    """Grade every own source, the grades in turn; how many there were."""
    await call(client, name)
    done = 0
    while (page := await go_on(client)) is not None:
        got = await grade(client, page, grades[done % len(grades)])
        assert got.status_code == 303, got.text
        done += 1
    return done


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
        got = await grade(client, page, "acceptable", topical_fit="0.5", authoritative="yes")
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
        history = bench.read(lambda c: drafts.load_claim_history(c, 1, "p0", "c1"))
        assert len(history) == 4


async def test_disagreements_are_settled_and_the_draft_becomes_a_version(bench, monkeypatch):
    monkeypatch.setattr(baseline_settling, "_SOON", 60.0)
    async with browser(app_of(bench)) as client:
        await begun(client, bench)
        where = f"{D}/prompts/p0"
        await call(client, "r1")
        await send(client, f"{where}/claims", claim="c1", text="Oaks grow.",
                   category="core_fact", required="yes")  # fmt: skip
        # Nine sources, all of them graded by both: they differ wherever r2 says optional.
        assert await grade_all(client, "r1", ["acceptable"]) == 9
        assert await grade_all(client, "r2", ["acceptable", "acceptable", "optional"]) == 9
        await call(client, "lead")
        settling = (await client.get(f"/api/v1{D}/adjudicate")).json()
        assert len(settling["open"]) == 3
        raw = next(a for a in settling["agreement"] if a["name"] == "Raw agreement")
        assert (raw["value"], raw["subjects"]) == (pytest.approx(6 / 9), 9)
        mark_ = (await client.get(f"/api/v1{D}/freeze")).json()
        assert (mark_["open"], mark_["may_freeze"]) == (3, False)
        refused = await send(client, f"{D}/freeze", unseen="yes", mark=mark_["mark"])
        assert (refused.status_code, "3 disagreements" in refused.text) == (409, True)
        for one in settling["open"]:
            got = await client.post(f"{D}/adjudicate", data={
                "csrf": await mark(client, f"{D}/adjudicate"), "prompt": one["prompt"],
                "page": one["page"], "grade": "optional", "match": "page", "reason": "thin",
                "labels": [str(said["label"]) for said in one["said"]],
            })  # fmt: skip
            assert got.status_code == 303, got.text
        stale = await send(client, f"{D}/freeze", unseen="yes", mark=mark_["mark"])
        assert (stale.status_code, "since the page was shown" in stale.text) == (409, True)
        now = (await client.get(f"/api/v1{D}/freeze")).json()
        assert (now["may_freeze"], now["not_blind"], now["sources"], now["claims"]) == (
            True, [], 9, 1,
        )  # fmt: skip
        got = await send(client, f"{D}/freeze", unseen="yes", mark=now["mark"])
        assert (got.status_code, got.headers["location"]) == (
            303,
            "/baselines/trees/versions/2026-11",
        )
        frozen = bench.read(lambda c: panels.load_baseline(c, "trees", "2026-11"))
        assert (frozen.drawn_blind, frozen.annotators, frozen.guideline) == (
            True,
            ("r1", "r2"),
            "2",
        )
        assert frozen.bound == {p.id: p.version_key for p in TREES.prompts}
        grades = [one.grade.value for p in frozen.prompts.values() for one in p.sources]
        assert sorted(grades) == ["acceptable"] * 6 + ["optional"] * 3
        said = {one.adjudication for p in frozen.prompts.values() for one in p.sources} - {""}
        assert all(one.startswith("lead: thin [r1: acceptable (page), r2: ") for one in said)
        assert bench.read(lambda c: drafts.load_draft(c, 1)).state is DraftState.FROZEN
        told = (await client.get(f"/api/v1{D}")).json()["origins"]
        assert told[0]["origins"] == "cited in run:trees:2026-01 by openai (1 answers)"
        version = (await client.get("/api/v1/baselines/trees")).json()["versions"][0]
        assert version["follows_answers"] is True
        deeds = bench.read(lambda c: audit.list_deeds(c, limit=50))
        assert {"begin draft", "freeze baseline", "adjudicate source"} <= {d.action for d in deeds}


async def test_who_opened_an_answer_before_is_not_blind_and_the_file_says_why(bench):
    async with browser(app_of(bench)) as client:
        await begun(client, bench, names="r1", double="0")
        one = next(iter(bench.read(lambda c: captures.load_captures(c, 1))))
        seen = SeenAnswer("r1", "trees", "p1", one.id)
        bench.write(lambda c: answers_seen.note_seen(c, seen, at=MADE_AT))
        await grade_all(client, "r1", ["acceptable"])
        labels = bench.read(lambda c: source_labels.load_source_labels(c, 1))
        assert {(each.prompt, each.blind) for each in labels} == {
            ("p0", True), ("p1", False), ("p2", True),
        }  # fmt: skip
        screen = (await client.get(f"/api/v1{D}/freeze")).json()
        why = "r1 graded sources after opening an answer to p1"
        assert screen["not_blind"] == [why]
        got = await send(client, f"{D}/freeze", unseen="yes", mark=screen["mark"])
        assert got.status_code == 303
        frozen = bench.read(lambda c: panels.load_baseline(c, "trees"))
        assert frozen.drawn_blind is False
        assert f'note: "not drawn blind: {why}"' in version_text(bench, "trees", "2026-11")
        assert why in (await client.get("/baselines/trees/versions/2026-11")).text


async def test_without_the_leads_word_a_baseline_is_not_called_blind(bench):
    async with browser(app_of(bench)) as client:
        await begun(client, bench, names="r1", double="0")
        await grade_all(client, "r1", ["acceptable"])
        screen = (await client.get(f"/api/v1{D}/freeze")).json()
        unsaid = await send(client, f"{D}/freeze", mark=screen["mark"])
        assert unsaid.status_code == 400
        await send(client, f"{D}/freeze", unseen="no", mark=screen["mark"])
        assert bench.read(lambda c: panels.load_baseline(c, "trees")).drawn_blind is False


async def test_typed_sources_go_through_the_guard_and_what_is_blocked_is_told(bench):
    async with browser(app_of(bench)) as client:
        await begun(client, bench)
        lines = "http://127.0.0.1:80/\nhttp://[::1]/\noaks.example\njavascript:alert(1)\nx y"
        got = await send(client, f"{D}/pool", kind="typed", prompt="p1", sources=lines)
        assert got.status_code == 200
        assert "http://127.0.0.1/: blocked_address, not taken" in got.text
        assert "blocked_address" in got.text.partition("[::1]")[2][:60]
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


async def test_a_draft_that_starts_from_a_version_has_its_claims_and_sources_ungraded(bench):
    text = (
        "panel: trees\nversion: 2026-01\nannotators: [r0]\ndrawn_blind: false\n"
        "frozen_at: 2026-01-01T00:00:00Z\nguideline: 1\nprompts:\n  p0:\n    sources:\n"
        "      - {family: old.example, grade: required, supports: [c1]}\n    claims:\n"
        '      - {id: c1, text: "Oaks grow old.", category: core_fact}\n'
    )
    async with browser(app_of(bench)) as client:
        bad = await send(client, "/baselines", text=text.replace("p0:", "p77:"), act="store")
        assert (bad.status_code, "text:8: unknown prompt" in bad.text) == (422, True)
        looked = await send(client, "/baselines", text=text, act="check")
        assert (looked.status_code, "can be stored" in looked.text) == (200, True)
        assert bench.read(lambda c: panels.load_baseline(c, "trees")) is None
        # Browsers send lines of a form with CRLF; the file is as it was typed.
        sent = await send(client, "/baselines", text=text.replace("\n", "\r\n"), act="store")
        assert sent.status_code == 303, sent.text
        file = await client.get("/baselines/trees/versions/2026-01/file")
        assert (file.text, file.headers["content-disposition"]) == (
            text, 'attachment; filename="trees-2026-01.baseline.yaml"',
        )  # fmt: skip
        other = await send(client, "/baselines", text=text.replace("old", "new"), act="store")
        assert (other.status_code, "with other content" in other.text) == (409, True)
        await begun(client, bench, names="r1", double="0", starts_from="2026-01")
        (claim,) = bench.read(lambda c: drafts.load_claims(c, 1))
        assert (claim.claim, claim.annotator) == ("c1", "version 2026-01")
        await grade_all(client, "r1", ["acceptable"])
        screen = (await client.get(f"/api/v1{D}/freeze")).json()
        assert screen["not_blind"] == [
            "1 claims are those of version 2026-01, which was not drawn blind"
        ]
        assert (screen["sources"], screen["claims"]) == (10, 1)
        same = await send(client, "/baselines/trees/drafts", version="2026-01",
                          guideline="1", annotators="r1")  # fmt: skip
        assert same.status_code == 409


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
        assert (await send(client, f"{D}/discard")).status_code == 303
        got = await grade(client, page, "optional")
        assert (got.status_code, "discarded" in got.text) == (409, True)
        where = f"{D}/prompts/p0"
        late = await send(client, f"{where}/claims", claim="c1", text="Oaks.", category="other")
        assert late.status_code in {403, 409}
        assert bench.read(lambda c: drafts.load_claims(c, 1)) == ()


async def test_texts_of_a_pool_outlive_the_runs_they_came_from(bench):
    async with browser(app_of(bench)) as client:
        await begun(client, bench)
    kept = {one.text_sha256 for one in bench.read(lambda c: pools.load_pool(c, 1))} - {None}
    assert kept
    limits = {kind: bench.clock.now() for kind in EvidenceKind}
    bench.write(lambda c: c.exec_driver_sql("update run set finished_at = created_at"))
    gone = bench.read(lambda c: removals.removable(c, EvidenceKind.TEXT, limits))
    assert not kept & set(gone)
    assert kept <= bench.read(removals.referenced)
