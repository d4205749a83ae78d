"""A draft that people settled becomes a version, which says truthfully whether it is blind."""

import pytest

from monitor.domain.drafted import DraftState
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
from monitor.web.pages import agreement
from tests.stored import MADE_AT
from tests.web.drafted import TREES, D, begun, bench_to_draft, call, grade_all, send
from tests.web.labelling import parsed
from tests.web.people import app_of, browser, mark


@pytest.fixture
def bench(bench, tmp_path):
    return bench_to_draft(bench, tmp_path)


async def settled(client, own, one, grade):
    """The answer to a disagreement's form, sent with the mark of a page."""
    return await client.post(f"{D}/adjudicate", data={
        "csrf": own, "prompt": one["prompt"],
        "page": one["page"], "grade": grade, "match": "page", "reason": "thin",
        "labels": [str(said["label"]) for said in one["said"]],
    })  # fmt: skip


async def test_disagreements_are_settled_and_the_draft_becomes_a_version(bench, monkeypatch):
    monkeypatch.setattr(agreement, "_SOON", 60.0)
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
        raw = next(a for a in settling["agreement"]["lines"] if a["name"] == "raw_agreement")
        assert (raw["value"], raw["subjects"]) == (pytest.approx(6 / 9), 9)
        mark_ = (await client.get(f"/api/v1{D}/freeze")).json()
        assert (mark_["open"], mark_["may_freeze"]) == (3, False)
        refused = await send(client, f"{D}/freeze", unseen="yes", mark=mark_["mark"])
        assert (refused.status_code, "3 disagreements" in refused.text) == (409, True)
        own = await mark(client, f"{D}/adjudicate")
        for one in settling["open"]:
            got = await settled(client, own, one, "optional")
            assert got.status_code == 303, got.text
        # Another window that still shows one as open.
        late = await settled(client, own, settling["open"][0], "required")
        assert (late.status_code, "lead settled this source meanwhile" in late.text) == (409, True)
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
        why = "r1 graded sources after seeing what engines cite for p1"
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
        for act in ("check", "store"):
            other = await send(client, "/baselines", text=text.replace("old", "new"), act=act)
            assert (other.status_code, "with other content" in other.text) == (409, True), act
            assert "write a new `version` in the file" in other.text
            assert "Oaks grow new." in other.text
            assert [word for word in ("can be stored", "faster") if word in other.text] == [], act
        again = await send(client, "/baselines", text=text, act="check")
        assert (again.status_code, "is stored already" in again.text) == (200, True)
        unknown = text.replace("panel: trees", "panel: bushes")
        for act in ("check", "store"):
            lost = await send(client, "/baselines", text=unknown, act=act)
            assert (lost.status_code, "can be stored" in lost.text) == (400, False), act
            assert "its panel &#39;bushes&#39; is neither in" in lost.text, act
        await begun(client, bench, names="r1", double="0", starts_from="2026-01")
        (claim,) = bench.read(lambda c: drafts.load_claims(c, 1))
        assert (claim.claim, claim.annotator) == ("c1", "version 2026-01")
        await grade_all(client, "r1", ["acceptable"])
        screen = (await client.get(f"/api/v1{D}/freeze")).json()
        assert screen["not_blind"] == [
            "1 claims are those of version 2026-01, which was not drawn blind"
        ]
        assert (screen["sources"], screen["claims"]) == (10, 1)
        said = {"guideline": "7b", "annotators": "r1\nr2", "starts_from": "2026-01"}
        same = await send(client, "/baselines/trees/drafts", version="2026-01", **said)
        assert (same.status_code, "give the draft another version" in same.text) == (409, True)
        assert "faster" not in same.text
        for odd, told in (("x", "graded twice: got"), ("", "graded twice: got")):
            got = await send(
                client, "/baselines/trees/drafts", version="2027", double_percent=odd, **said
            )
            assert (got.status_code, told in got.text) == (400, True), odd
        none = await send(client, "/baselines/trees/drafts", version="2027", guideline="7b")
        assert (none.status_code, "annotators: expected at least one" in none.text) == (400, True)
        # The form is there again, with what was typed.
        (form,) = parsed(same).xpath("//form[@action='/baselines/trees/drafts']")
        assert form.xpath(".//input[@name='version']/@value") == ["2026-01"]
        assert form.xpath(".//input[@name='guideline']/@value") == ["7b"]
        assert form.xpath(".//textarea[@name='annotators']")[0].text == "r1\nr2"
        assert form.xpath(".//option[@selected]/@value") == ["2026-01"]
        assert form.getparent().get("open") is not None


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
