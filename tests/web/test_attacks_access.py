"""Attempts at being somebody else, at keeping others out, and at working blind after a look."""

import pytest
from sqlalchemy import select

from monitor.domain.access import Role, person_name
from monitor.domain.claim import Support
from monitor.pipeline.label_desk import Given, give, take_back
from monitor.pipeline.label_plans import PlanWish
from monitor.store import answers_seen, audit
from monitor.store.tables import login_failure
from tests.web.drafted import D, begun, bench_to_draft, call, go_on, grade, send
from tests.web.labelling import a_plan, as_person, scored, with_people
from tests.web.people import (
    add,
    app_of,
    browser,
    log_in,
    post,
    token,
)

OTHER = "elms grow slowly"


@pytest.fixture
def drafting(bench, tmp_path):
    """A store with a run whose sources can be graded."""
    return bench_to_draft(bench, tmp_path)


@pytest.mark.parametrize(
    ("typed", "spelt"),
    [("\uff41na", "ana"), ("A\uff2e\uff21", "ANA"), ("\ufb01n", "fin"), ("e\u0301va", "\u00e9va")],
)
def test_a_name_in_other_letters_of_the_same_look_is_the_same_name(typed, spelt):
    assert person_name(typed) == spelt


async def test_nobody_gets_an_account_that_looks_like_another(bench):
    add(bench)
    async with browser(app_of(bench)) as client:
        await log_in(client)
        for name in ("Ada", "\uff41da", " ada ", "\uff21DA"):
            fields = {"name": name, "role": "admin", "password": OTHER}
            got = await post(client, "/access/accounts", "/access", **fields)
            assert got.status_code == 409, name
            assert "'ada'" in got.text.replace("&#39;", "'")


async def test_other_spellings_of_a_name_count_together_whether_or_not_somebody_has_it(bench):
    # Else a name that waits in a spelling that never failed would be told to be an account.
    add(bench)
    async with browser(app_of(bench)) as client:
        for name in ("nobody", " nobody ", "\uff4eobody"):
            assert (await log_in(client, name, OTHER)).status_code == 401
    kept = bench.read(lambda c: c.execute(select(login_failure.c.name)).scalars().all())
    assert len(kept) == 3
    assert len(set(kept)) == 1


@pytest.mark.parametrize("header", ["x-real-ip", "x-forwarded", "x-forwarded-server", "cf-ray"])
async def test_who_comes_through_a_proxy_is_nobody_at_the_machine(bench, header):
    async with browser(app_of(bench), headers={header: "203.0.113.7"}) as client:
        assert (await client.get("/access")).status_code == 403
    async with browser(app_of(bench)) as client:
        assert (await client.get("/access")).status_code == 200


async def test_a_draft_takes_each_person_once(drafting):
    async with browser(app_of(drafting)) as client:
        for names in ("ana\nAna", "ana\n\uff21na", "ana\n<b>ben</b>"):
            fields = {"version": "2026-11", "guideline": "2", "annotators": names}
            got = await send(client, "/baselines/trees/drafts", **fields)
            assert got.status_code == 400, names
        fields = {"version": "2026-11", "guideline": "2", "annotators": " ana \nana\n\uff42en"}
        assert (await send(client, "/baselines/trees/drafts", **fields)).status_code == 303
        screen = (await client.get(f"/api/v1{D}")).json()
    assert screen["annotators"] == ["ana", "ben"]


@pytest.mark.parametrize("labels", ["\u00b2", "\u0661", "9" * 400, "-1", "1.5", "\x00"])
async def test_odd_numbers_of_labels_settle_nothing(drafting, labels):
    async with browser(app_of(drafting)) as client:
        await begun(client, drafting)
        await call(client, "lead")
        fields = {"labels": labels, "reason": "x", "prompt": "p0", "page": "x"}
        got = await send(client, f"{D}/adjudicate", **fields, grade="required", match="page")
    assert got.status_code in {400, 409, 422}
    assert got.status_code == 409 or "label" in got.text


async def test_who_looked_without_a_name_does_not_grade_blind_under_one(drafting):
    async with browser(app_of(drafting)) as client:
        await begun(client, drafting)
        assert (await client.get("/captures/1")).status_code == 200
        await call(client, "r1")
        page = await go_on(client)
        assert (await grade(client, page, "required")).status_code == 303
    assert blind(drafting) == [False]


async def test_who_looked_under_another_name_does_not_grade_blind(drafting):
    async with browser(app_of(drafting)) as client:
        await begun(client, drafting)
        await call(client, "somebody")
        await client.get("/captures/1")
        await call(client, "r1")
        await grade(client, await go_on(client), "required")
    assert blind(drafting) == [False]


async def test_who_never_looked_grades_blind_whatever_they_were_called(drafting):
    async with browser(app_of(drafting)) as client:
        await begun(client, drafting)
        await call(client, "somebody")
        await call(client, "r1")
        await grade(client, await go_on(client), "required")
    assert blind(drafting) == [True]


@pytest.mark.parametrize("path", ["sources/1", "exchanges/1", "files/{sha}"])
async def test_parts_of_an_answer_are_a_look_at_it(drafting, path):
    sha = drafting.read(lambda c: c.exec_driver_sql("select sha256 from payload").scalars().first())
    async with browser(app_of(drafting)) as client:
        await call(client, "r1")
        got = await client.get(f"/captures/1/{path.format(sha=sha)}")
        assert got.status_code == 200, got.text
    assert list(drafting.read(lambda c: answers_seen.prompts_seen(c, "trees"))) == [("r1", "p0")]


async def test_a_program_that_may_grade_looks_as_people_do(drafting):
    add(drafting)
    app = app_of(drafting)
    for role in (Role.VIEWER, Role.ANNOTATOR):
        async with browser(app, headers=token(drafting, role, f"{role.value} r1")) as client:
            assert (await client.get("/api/v1/captures/1")).status_code == 200
    seen = drafting.read(lambda c: answers_seen.prompts_seen(c, "trees"))
    assert list(seen) == [("annotator r1", "p0")]


def blind(bench):
    """Whether each stored grade was given blind."""
    return [
        bool(one)
        for one in bench.read(
            lambda c: c.exec_driver_sql("select blind from source_label").scalars().all()
        )
    ]


async def test_plans_and_decisions_are_noted_with_who_made_them(bench):
    run = scored(bench)
    with_people(bench)
    app = app_of(bench)
    async with browser(app) as lead, browser(app) as ana, browser(app) as ben:
        for client, name in ((lead, "lead"), (ana, "ana"), (ben, "ben")):
            assert (await log_in(client, name)).status_code == 303
        fields = {"run": run.public_id, "annotators": "ana,ben", "guideline": "1", "double": "100"}
        for _ in range(2):
            got = await post(lead, "/label/plans", "/label", **fields, pairs="5")
            assert got.status_code == 303, got.text
        for client, support in ((ana, "full"), (ben, "partial")):
            got = await post(client, "/label/1/1", "/who", support=support, seen="0")
            assert got.status_code == 303, got.text
        pair = (await lead.get("/api/v1/adjudicate")).json()["pair"]
        where = f"/adjudicate/trees/{pair}"
        for note in ("", "as the text says"):
            said = {"support": "full", "labels": "1,2", "seen": "0", "note": note}
            await post(lead, where, "/who", **said)
    noted = [
        (one.actor, one.action, one.subject)
        for one in bench.read(lambda c: audit.list_deeds(c, limit=50))
        if one.action not in {"add account", "log in"}
    ]
    assert noted == [
        ("lead", "adjudicate pair", f"trees/{pair}"),
        ("lead", "plan labels", "trees, plan 1"),
    ]


async def test_who_has_pairs_to_label_is_not_told_where_others_disagree(bench):
    run = scored(bench)
    plan = a_plan(bench, run, wish=PlanWish(("ana", "ben"), "1", 1.0, 4))
    with_people(bench)
    for position in (1, 2, 3, 4):
        give(bench, plan, position, Given("ana", Support.FULL, None, None, 0))
    give(bench, plan, 1, Given("ben", Support.CONTRADICTED, None, None, 0))
    where = f"/api/v1/runs/{run.public_id}"
    told = {}
    for name in ("ana", "ben", "vic", "lead"):
        async with as_person(bench, name) as client:
            told[name] = (await client.get(f"{where}/trust")).json()
            first = (await client.get(where)).json()["trust"]
            assert first["counting"] or first["disputed"] == told[name]["disputed"]
            page = (await client.get(f"/runs/{run.public_id}/trust")).text
            assert ("disputed" in page, "while you have pairs" in page) == (
                name != "ben",
                name == "ben",
            )
    # ben labelled one of four; ana all of hers, and the others have none to label.
    assert {name: one["disputed"] for name, one in told.items()} == {
        "ana": 1, "ben": 0, "vic": 1, "lead": 1,
    }  # fmt: skip
    assert (told["ben"]["labelled"], told["ben"]["corrected"], told["ben"]["signatures"]) == (
        0, [], [],
    )  # fmt: skip
    for position in (2, 3, 4):
        give(bench, plan, position, Given("ben", Support.FULL, None, None, 0))
    async with as_person(bench, "ben") as client:
        assert (await client.get(f"{where}/trust")).json()["disputed"] == 1


async def test_an_answer_tells_no_label_of_a_pair_that_somebody_has_to_label_still(bench):
    run = scored(bench)
    plan = a_plan(bench, run, wish=PlanWish(("ana", "ben"), "1", 1.0, 4))
    with_people(bench)
    claim = plan.pair(1).claim
    give(bench, plan, 1, Given("ana", Support.PARTIAL, "half of it", None, 0))
    captures = bench.read(lambda c: c.exec_driver_sql("select id from capture").scalars().all())
    async with as_person(bench, "ben") as client:
        assert await people_of(client, captures) == set()
        give(bench, plan, 1, Given("ben", Support.FULL, None, None, 0))
        assert await people_of(client, captures) == {("ana", claim), ("ben", claim)}
        take_back(bench, plan, "ben", 2)
        assert await people_of(client, captures) == set()


async def people_of(client, captures):
    """Who labelled which claim, by the pages of answers."""
    found = set()
    for one in captures:
        got = await client.get(f"/api/v1/captures/{one}?statement=1")
        for each in got.json()["statement"]["people"]:
            found.add((each["who"], each["claim"]))
    return found


async def test_no_page_repeats_a_password(bench):
    add(bench)
    long = "SECRET" * 2000
    async with browser(app_of(bench)) as client:
        await log_in(client)
        for fields in ({"role": "admin", "password": long}, {"role": "x", "password": "SECRET"}):
            got = await post(client, "/access/accounts", "/access", name="bo", **fields)
            assert (got.status_code, "SECRET" in got.text) == (422, False)
        fields = {"current": long, "password": long, "again": long}
        got = await post(client, "/who/password", "/who", **fields)
        assert (got.status_code, "SECRET" in got.text) == (422, False)
        got = await log_in(client, password=long)
        assert (got.status_code, "SECRET" in got.text) == (422, False)
