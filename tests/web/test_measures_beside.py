"""Measures that stand on no scorecard: overlap, visible citation recall, agreement, by example."""

import csv
import io
import re

import pytest

from monitor.domain.claim import Support
from monitor.pipeline.judges import shown_judge
from monitor.pipeline.reporting import build_report
from monitor.report.numbers import index
from monitor.store import runs
from monitor.store.support_labels import SupportLabel, save_labels
from tests.stored import MADE_AT
from tests.web.answered import plain, told, twin, visiting
from tests.web.conftest import AFTER
from tests.web.labelling import a_plan, as_person, emptied, labelled_store


@pytest.fixture(scope="module")
def report(demo_bench):
    """The report of the later month."""
    run = demo_bench.read(lambda c: runs.one_run(c, AFTER))
    return build_report(demo_bench, run, shown_judge(demo_bench, run))


async def measure(client, name, run=AFTER):
    """What the page of a measure tells, when all of it is counted."""
    for _ in range(100):
        got = (await client.get(twin(f"/measures/{name}?run={run}"))).json()["measure"]
        if "being counted" not in got["without"]:
            return got
    raise AssertionError(f"{name} is still being counted")


def counted(examples):
    """Those of which there is something to count."""
    return [one for one in examples if one["counted"]]


async def test_overlap_has_the_means_of_the_report(client, report):
    shown = counted((await measure(client, "overlap"))["examples"])
    means = {
        one["engine"]: re.search(r"([0-9.]+) over (\d+) prompts$", one["counted"]) for one in shown
    }
    # An engine that is asked once has no repeats to hold against each other.
    now = [one for one in report.overlaps if one.kind != "months" and one.mean is not None]
    assert {name: found.groups() for name, found in means.items()} == {
        one.a if one.kind == "repeats" else f"{one.a},{one.b}": (index(one.mean), str(one.prompts))
        for one in now
    }
    assert len(now) == 6


async def test_overlap_fills_two_answers_into_the_formula(client, report):
    shown = counted((await measure(client, "overlap"))["examples"])
    captures = {
        (one.engine, one.prompt_id, one.repeat): report.tallies[one.id].cited_families
        for one in report.captures
        if one.slot == "2026-10"
    }
    pattern = (
        r"(\S+), answers (\d) and (\d): (\d+) families that both answers cite / "
        r"(\d+) families that either cites = ([0-9.]+); "
    )
    assert len(shown) == 6
    for one in shown:
        prompt, first, second, both, either, value = re.match(pattern, one["counted"]).groups()
        a, _, b = one["engine"].partition(",")
        left = captures[a, prompt, int(first)]
        right = captures[b or a, prompt, int(second)]
        assert (int(both), int(either)) == (len(left & right), len(left | right))
        assert value == index(len(left & right) / len(left | right))


async def test_recall_has_the_bounds_of_the_report(client, report):
    shown = {
        one["engine"]: one["counted"]
        for one in (await measure(client, "visible_citation_recall"))["examples"]
    }
    assert set(shown) == {one.engine for one in report.bounded}
    bounded = [one for one in report.bounded if one.bounds is not None]
    assert {"anthropic", "openai", "perplexity"} <= {one.engine for one in bounded}
    for one in bounded:
        told = shown[one.engine]
        assert re.findall(r"= ([0-9.]+)", told) == [index(one.bounds.low), index(one.bounds.high)]
        own, again, elsewhere, theirs, third, unjudged, fourth, fifth, sixth = map(
            int, re.findall(r"(?<![.\d])\d+(?![.\d])(?! %)", told)
        )
        assert (own, own, own, unjudged, elsewhere) == (again, third, fourth, fifth, sixth)
        assert index(own / (own + elsewhere + theirs)) == index(one.bounds.low)
        most = (own + unjudged) / (own + unjudged + elsewhere)
        assert index(most) == index(one.bounds.high)


async def test_an_engine_alone_and_a_panel_without_baseline_have_no_recall(bench):
    run, _ = told(bench, plain(("Oaks grow.", "https://oaks.example/growth")))
    async with visiting(bench) as client:
        got = await measure(client, "visible_citation_recall", run.public_id)
        once = await measure(client, "overlap", run.public_id)
    assert (got["examples"], got["without"]) == (
        [],
        "no prompt of the run has a baseline and an answer",
    )
    assert [one["counted"] for one in once["examples"]] == [""]


async def test_examples_stand_on_the_page_of_all_measures_and_in_its_csv(client):
    for name in ("overlap", "visible_citation_recall"):
        await measure(client, name)
    page = (await client.get(f"/measures?run={AFTER}")).text
    assert "families that both answers cite / " in page
    assert "pages of comparisons and labels" not in page
    rows = list(
        csv.DictReader(
            io.StringIO((await client.get(twin(f"/measures/table.csv?run={AFTER}"))).text)
        )
    )
    assert {"openai", "openai,perplexity"} <= {
        one["engine"] for one in rows if one["measure"] == "overlap"
    }


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with a scored run, and people."""
    with labelled_store(tmp_path_factory.mktemp("agreement")) as made:
        yield made


@pytest.fixture
def planned_run(store):
    """Its bench, its run and a plan whose first four pairs are labelled twice; 3 alike."""
    bench, run = store
    emptied(bench)
    plan = a_plan(bench, run)
    yield bench, run, plan
    emptied(bench)


def label_all(bench, plan, differing):
    """Labels of every annotator on every pair; those of so many double pairs differ."""
    doubled = [one.position for one in plan.plan.assignments if len(one.annotators) > 1]
    given = []
    for one in plan.plan.assignments:
        for at, who in enumerate(one.annotators):
            differs = at and one.position in doubled[:differing]
            pair = plan.pair(one.position)
            given.append(
                SupportLabel(
                    pair.pair, pair.claim, pair.evidence,
                    Support.UNSUPPORTED if differs else Support.FULL, who, "2026-12",
                )
            )  # fmt: skip
    bench.write(lambda c: save_labels(c, plan.plan.panel, given, at=MADE_AT))
    return len(doubled)


async def test_agreement_is_that_of_the_newest_plan(planned_run):
    bench, run, plan = planned_run
    doubled = label_all(bench, plan, differing=1)
    async with as_person(bench, "lead") as client:
        (one,) = (await measure(client, "agreement", run.public_id))["examples"]
    assert doubled == 4
    # 20 pairs, 20 % of them twice: 4, of which one differs.
    assert one["counted"].startswith(
        "3 pairs of labels that agree / 4 pairs of labels of the same subject = 0.750; "
    )
    assert "Krippendorff's alpha" in one["counted"]
    assert one["label"] == f"ana and ben, plan {plan.plan.id}"


async def test_agreement_says_that_nobody_labelled_twice_yet(planned_run):
    bench, run, _ = planned_run
    async with as_person(bench, "lead") as client:
        got = await measure(client, "agreement", run.public_id)
    assert (got["examples"], got["without"]) == ([], "nobody labelled twice yet")


@pytest.mark.parametrize("name", ["ana", "vic"])
async def test_agreement_is_told_to_the_lead_alone(planned_run, name):
    bench, run, plan = planned_run
    label_all(bench, plan, differing=1)
    async with as_person(bench, name) as client:
        got = await measure(client, "agreement", run.public_id)
        page = (await client.get(f"/measures?run={run.public_id}")).text
    assert got["examples"] == []
    assert got["without"] == "how far people agree is told to an admin alone, here and under /label"
    assert "0.750" not in page


async def test_a_panel_without_a_plan_has_nothing_to_agree_on(store):
    bench, run = store
    emptied(bench)
    async with as_person(bench, "lead") as client:
        got = await measure(client, "agreement", run.public_id)
    assert (got["examples"], got["without"]) == ([], "no labelling is planned for this panel")
