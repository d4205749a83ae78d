"""Two people label by keys alone, a third decides where they differ, and the numbers follow."""

import time

import pytest

from monitor.domain.access import Role, Visitor, Way
from monitor.domain.claim import Support
from monitor.domain.trust import NEEDED
from monitor.pipeline import accounts
from monitor.pipeline.labelling import draw_pairs
from monitor.store import support_labels
from monitor.store.support_labels import SupportLabel
from tests.browsed import chromium, looking, served
from tests.enriched import newest
from tests.web.conftest import AFTER, copied, demo_of_all, over

pytestmark = [pytest.mark.e2e, pytest.mark.browser]

PASSWORD = "oaks grow slowly"
PEOPLE = {"lead": Role.ADMIN, "ana": Role.ANNOTATOR, "ben": Role.ANNOTATOR}
ENGINE = "perplexity"
PAIRS, APART = 20, 4


@pytest.fixture(scope="module")
def at(tmp_path_factory, worker_id):
    """A demo with accounts, served."""
    config = copied(demo_of_all(tmp_path_factory, worker_id), tmp_path_factory.mktemp("labelled"))
    here = Visitor(None, Role.ADMIN, Way.COMMAND)
    with over(config) as (bench, _):
        for name, role in PEOPLE.items():
            accounts.add_account(bench, here, name, role=role, password=PASSWORD)
        _label_before(bench)
    with served(config) as address:
        yield address, config


def numbers_apart(config):
    """Numbers of pairs of the plan to differ about: of those that nobody labelled before."""
    with over(config) as (bench, _):
        panel = newest(bench).panel
        draws = bench.read(lambda c: support_labels.load_draws(c, panel))
        labelled = {one.pair for one in bench.read(lambda c: support_labels.load_labels(c, panel))}
    fresh = [n for n, one in enumerate(draws[-1].pairs, 1) if one.pair not in labelled]
    return fresh[::2][:APART]


def _label_before(bench):
    """One label less of one engine than it takes to correct its rates."""
    run = newest(bench)
    drawn = draw_pairs(bench, run, engine=ENGINE, pairs=NEEDED - 1, seed=7)
    for one in drawn.draw.pairs:
        label = SupportLabel(one.pair, one.claim, one.evidence, Support.FULL, "old", "1")
        bench.write(
            lambda c, label=label: support_labels.save_label(
                c, run.panel, label, at=bench.clock.now()
            )
        )


@pytest.fixture(scope="module")
def browser():
    with chromium() as one:
        yield one


def log_in(page, name):
    page.goto("/login")
    page.fill("input[name=name]", name)
    page.fill("input[name=password]", PASSWORD)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def strike(page, key):
    """Press a key that leads to another page."""
    with page.expect_navigation():
        page.keyboard.press(key)


def label_all(page, key_of):
    """Label every pair of one's own by keys; how many there were."""
    page.goto("/label")
    page.locator("a.go").first.press("Enter")
    page.wait_for_selector("form.give")
    for number in range(1, PAIRS + 1):
        assert page.locator("h1").inner_text() == f"Pair {number} of {PAIRS}"
        strike(page, key_of(number))
    page.wait_for_url("**/label")


def told(page):
    """The plan as JSON tells the lead."""
    return page.request.get("/api/v1/label").json()["plans"][0]["lead"]


def agreement(page):
    """Coefficients as JSON tells the lead, once they are counted."""
    deadline = time.monotonic() + 60
    while (found := told(page)["agreement"])["counting"]:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    return found["lines"]


def trust(page):
    """What is known of the run's judge, once it was counted: labels, and an engine's rate."""
    deadline = time.monotonic() + 60
    while (found := page.request.get(f"/api/v1/runs/{AFTER}/trust").json())["counting"]:
        assert time.monotonic() < deadline
        time.sleep(0.1)
    (rate,) = [
        one
        for one in found["corrected"]
        if (one["engine"], one["measure"]) == (ENGINE, "claim_citation_precision")
    ]
    return found, rate


def test_labels_by_keys_are_compared_decided_and_counted(at, browser):
    address, config = at
    with (
        looking(browser, address) as (lead, seen),
        looking(browser, address) as (ana, _),
        looking(browser, address) as (ben, _),
    ):
        for page, name in ((lead, "lead"), (ana, "ana"), (ben, "ben")):
            log_in(page, name)
        lead.goto("/label")
        lead.select_option("#plan-run", AFTER)
        for field, text in {
            "pairs": PAIRS,
            "who": "ana, ben",
            "double": 100,
            "guideline": "1",
        }.items():
            lead.fill(f"#plan-{field}", str(text))
        strike(lead, "Enter")
        before, rate = trust(lead)
        assert (before["labelled"], rate["labels"], rate["value"]) == (NEEDED - 1, NEEDED - 1, None)

        apart = numbers_apart(config)

        # Ana takes her first label back before she gives it again.
        ana.goto("/label")
        ana.locator("a.go").first.press("Enter")
        ana.wait_for_selector("form.give")
        strike(ana, "3")
        strike(ana, "z")
        label_all(ana, lambda _: "1")
        label_all(ben, lambda number: "3" if number in apart else "1")

        # 16 of 20 pairs alike.
        lead.goto("/label")
        assert told(lead)["disagreements"] == APART
        assert trust(lead)[0]["disputed"] == APART
        raw = next(one for one in agreement(lead) if one["name"] == "raw_agreement")
        assert (raw["value"], raw["subjects"]) == (pytest.approx(0.8), PAIRS)
        assert raw["low"] < 0.8 < raw["high"]
        assert "agreement" not in ana.request.get("/api/v1/label").json()["plans"][0]

        lead.get_by_role("link", name="4 to adjudicate").press("Enter")
        for _ in range(APART):
            lead.wait_for_selector("form.give")
            lead.keyboard.press("2")
            lead.keyboard.type("Half of it stands there.")
            strike(lead, "Enter")
        lead.goto("/label")
        assert told(lead)["disagreements"] == 0
        after, rate = trust(lead)
        assert after["disputed"] == 0
        assert NEEDED - 1 < after["labelled"] <= NEEDED - 1 + PAIRS  # some were labelled before
        assert rate["labels"] >= NEEDED
        assert rate["low"] < rate["value"] < rate["high"]
        assert seen.complaints == []
