"""A scored run with a plan of 20 pairs, and people who label it in the browser."""

from contextlib import asynccontextmanager, contextmanager

import lxml.html
import pytest

from monitor.domain.access import Role
from monitor.pipeline.label_desk import load_planned
from monitor.pipeline.label_plans import PlanWish, plan_labels
from monitor.pipeline.tallying import score_run
from monitor.store import label_plans, runs, support_labels
from tests.labelled import JUDGE, TREES, keep_oaks
from tests.stored import MADE_AT, bench_in, planned
from tests.web.people import add, app_of, browser, cheaply, log_in

WISH = PlanWish(("ana", "ben"), "2026-12", 0.2, 20)


def scored(bench):
    """A run of 40 answers of 3 claims that ended, with its scorecards."""
    run = planned(bench, panel=TREES)
    keep_oaks(bench, run)
    score_run(bench, run, JUDGE)
    return bench.write(lambda c: runs.set_run_state(c, run.id, runs.RunState.DONE, at=MADE_AT))


def a_plan(bench, run, **fields):
    """A stored plan with its pairs."""
    plan, _ = plan_labels(bench, run, fields.pop("wish", WISH), made_by="lead")
    return load_planned(bench, plan.id)


def emptied(bench):
    """Take out all labels, plans, draws and decisions."""
    for table in (
        support_labels.label, support_labels.label_draw, support_labels.adjudication,
        label_plans.label_plan,
    ):  # fmt: skip
        bench.write(lambda c, table=table: c.execute(table.delete()))


@contextmanager
def labelled_store(folder):
    """A bench over a store of a scored run and of people, and that run."""
    with pytest.MonkeyPatch.context() as patch, bench_in(folder, patch) as bench:
        cheaply(patch)
        run = scored(bench)
        with_people(bench)
        yield bench, run


def with_people(bench):
    """Accounts of two annotators, one who only looks, and the lead."""
    add(bench, "lead", Role.ADMIN)
    add(bench, "vic", Role.VIEWER)
    for name in ("ana", "ben"):
        add(bench, name, Role.ANNOTATOR)


@asynccontextmanager
async def as_person(bench, name):
    """A browser in which somebody logged in."""
    async with browser(app_of(bench)) as client:
        assert (await log_in(client, name)).status_code == 303
        yield client


def parsed(got):
    """A page as a tree."""
    return lxml.html.document_fromstring(got.content)


def fields_of(got, kind="give"):
    """Hidden fields of the form of a class."""
    form = parsed(got).xpath(f"//form[contains(@class, '{kind}')]")[0]
    hidden = form.xpath(".//input[@type='hidden']")
    return form.get("action"), {one.get("name"): one.get("value", "") for one in hidden}


async def press(client, page, support, note="", **more):
    """Send the form of a page with one of its buttons; the answer, not followed."""
    action, fields = fields_of(page)
    return await client.post(action, data=fields | {"support": support, "note": note} | more)
