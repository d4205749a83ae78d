"""Two servers over one store: of acts that exclude each other one is done, and the other is told."""

import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from monitor.domain.access import Role
from monitor.domain.claim import Support
from monitor.errors import StoreError
from monitor.pipeline.accounts import change_role
from monitor.pipeline.adjudicating import Decision, OtherDecisionError, adjudicate, disagreements
from monitor.pipeline.label_desk import Given, OtherLabelError, give
from monitor.pipeline.label_plans import PlanWish
from monitor.store import accounts, support_labels
from monitor.store.support_labels import SupportLabel
from tests.stored import bench_on
from tests.web.labelling import a_plan, scored
from tests.web.people import HERE, add, cheaply

BOTH = PlanWish(("ana", "ben"), "2026-12", 1.0, 4)


@pytest.fixture
def servers(postgres_url, tmp_path, monkeypatch):
    cheaply(monkeypatch)
    with (
        bench_on(postgres_url, tmp_path / "files", monkeypatch) as one,
        bench_on(postgres_url, tmp_path / "files", monkeypatch) as other,
    ):
        yield one, other


def told_of(servers, act, refusal):
    """Whether each of both servers was refused, asked at the same moment; False first."""
    ready = threading.Barrier(len(servers))

    def ask(number):
        ready.wait(timeout=30)
        try:
            act(servers[number], number)
        except refusal:
            return True
        return False

    with ThreadPoolExecutor(len(servers)) as pool:
        return sorted(pool.map(ask, range(len(servers))))


def test_two_admins_who_demote_each_other_leave_one(servers):
    one, _ = servers
    for name in ("ana", "ben"):
        add(one, name, Role.ADMIN)
    names = ("ben", "ana")
    for _ in range(6):
        got = told_of(
            servers, lambda bench, n: change_role(bench, HERE, names[n], Role.VIEWER), StoreError
        )
        assert got == [False, True]
        assert len(one.read(accounts.enabled_admins)) == 1
        for name in names:
            change_role(one, HERE, name, Role.ADMIN)


def test_of_two_accounts_that_people_would_take_for_one_another_one_is_added(servers):
    one, _ = servers
    for number in range(6):
        names = (f"ana{number}", f"Ana{number}")
        got = told_of(
            servers, lambda bench, n, names=names: add(bench, names[n], Role.ADMIN), StoreError
        )
        assert got == [False, True]
    assert len(one.read(accounts.list_accounts)) == 6


def test_one_label_that_two_imports_bring_is_stored_once(servers):
    one, _ = servers
    plan = a_plan(one, scored(one), wish=BOTH)
    panel = plan.plan.panel
    draw = one.read(lambda c: support_labels.load_draw(c, plan.plan.draw))
    for drawn in draw.pairs:
        label = SupportLabel(
            drawn.pair, drawn.claim, drawn.evidence, Support.FULL, "ana", "2026-12"
        )
        at = one.clock.now()

        def bring(bench, _, label=label, at=at):
            new = bench.write(lambda c: support_labels.save_labels(c, panel, [label], at=at))
            if not new:
                raise StoreError("known")

        assert told_of(servers, bring, StoreError) == [False, True]


def test_of_two_windows_of_an_annotator_one_is_told_of_the_other(servers):
    one, _ = servers
    plan = a_plan(one, scored(one), wish=BOTH)
    supports = (Support.FULL, Support.PARTIAL)
    for position in range(1, 5):
        got = told_of(
            servers,
            lambda bench, n, at=position: give(
                bench, plan, at, Given("ana", supports[n], "", None, 0)
            ),
            OtherLabelError,
        )
        assert got == [False, True]
    assert len(one.read(lambda c: support_labels.load_label_history(c, plan.plan.panel))) == 4


def test_of_two_decisions_over_a_pair_one_is_told_of_the_other(servers):
    one, _ = servers
    plan = a_plan(one, scored(one), wish=BOTH)
    give(one, plan, 1, Given("ana", Support.FULL, "", None, 0))
    give(one, plan, 1, Given("ben", Support.UNSUPPORTED, "", None, 0))
    panel = plan.plan.panel
    (found,) = disagreements(one, panel)
    seen = tuple(label.id for label in found.labels)
    supports = (Support.FULL, Support.PARTIAL)

    def decide(bench, number):
        said = Decision(supports[number], "It says so.", f"lead {number}", seen, 0)
        adjudicate(bench, panel, found.pair, said)

    assert told_of(servers, decide, OtherDecisionError) == [False, True]
