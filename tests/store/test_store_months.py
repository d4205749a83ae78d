"""Caps of a calendar month hold over all runs, threads and processes, and never by one too many."""

import asyncio
import subprocess
import sys
import threading
from collections import Counter
from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import settings as budget_of_tests
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test
from sqlalchemy import select, update

from monitor.domain.money import Spent
from monitor.errors import BudgetError, RunCancelledError
from monitor.store import Writer, captures, months, open_database, panels, runs, spend, upgrade
from monitor.store.months import Counted
from monitor.store.runs import Caps, RunState
from monitor.store.spend import Ask, RunBudget
from monitor.store.tables import run as run_table
from tests.store.conftest import FixedClock, build_panel, build_plan

LATE = datetime(2026, 11, 30, 23, 59, 59, tzinfo=UTC)
TURN = datetime(2026, 12, 1, tzinfo=UTC)


def capture_of(connection, run):
    return captures.load_captures(connection, run.id)[0].id


def planned(connection, slot, at):
    panel = build_panel()
    panel_id = panels.save_panel(connection, panel, saved_at=at)
    made = runs.plan_run(
        connection, panel_id, slot, build_plan(panel), caps=Caps(), config={}, at=at
    )
    return made, capture_of(connection, made)


def stored_spend(connection, run):
    row = connection.execute(select(run_table).where(run_table.c.id == run.id)).one()
    return row.spent_calls, row.spent_micros


def test_a_month_is_that_of_the_moment_in_utc():
    there = timezone(timedelta(hours=14))
    assert months.month_of(LATE) == "2026-11"
    assert months.month_of(TURN) == "2026-12"
    assert months.month_of(datetime(2026, 12, 1, 13, 59, tzinfo=there)) == "2026-11"


def test_december_is_followed_by_january():
    assert [months.next_month(m) for m in ("2026-11", "2026-12", "2027-01")] == [
        "2026-12", "2027-01", "2027-02"
    ]  # fmt: skip


def test_months_between_two_moments_are_those_of_both_and_all_in_between():
    assert months.months_between(LATE, LATE) == ("2026-11",)
    later = datetime(2027, 1, 1, tzinfo=UTC)
    assert months.months_between(LATE, later) == ("2026-11", "2026-12", "2027-01")


def test_runs_of_one_month_share_its_cap(c, run, at):
    other, theirs = planned(c, "2026-11-other", at)
    ours, cap = capture_of(c, run), Caps(calls=2)
    spend.reserve(c, Ask(run.id, ours, "openai", 5), caps=Caps(), at=at, month=cap)
    spend.reserve(c, Ask(other.id, theirs, "openai", 6), caps=Caps(), at=at, month=cap)
    with pytest.raises(BudgetError, match="budget of the month 2026-11 over all runs: 2 of 2 ca"):
        spend.reserve(c, Ask(run.id, ours, "openai", 5), caps=Caps(), at=at, month=cap)
    assert months.load_month(c, "2026-11") == Counted(2, 11)


def test_the_message_of_a_month_says_what_to_do(c, run, at):
    ask = Ask(run.id, capture_of(c, run), "openai", 700)
    with pytest.raises(BudgetError) as told:
        spend.reserve(c, ask, caps=Caps(), at=at, month=Caps(micros=600))
    assert str(told.value) == (
        "the next call to openai (about 0.0007 USD) would pass the budget of the month 2026-11 "
        "over all runs: 0 of any number of calls and 0.0000 of 0.0006 USD are spent or reserved; raise "
        "budget.month_calls or budget.month_usd in the settings, or wait for 2026-12, and go on "
        "with `monitor resume`"
    )


def test_the_message_of_a_run_says_what_to_do(c, run, at):
    ask = Ask(run.id, capture_of(c, run), "openai", 700)
    with pytest.raises(BudgetError) as told:
        spend.reserve(c, ask, caps=Caps(calls=0), at=at, month=Caps(calls=9))
    assert str(told.value) == (
        "the next call to openai (about 0.0007 USD) would pass the budget of the run: 0 of 0 "
        "calls and 0.0000 of any number of USD are spent or reserved; go on with `monitor resume` "
        "and a higher --budget-calls or --budget-usd"
    )


@pytest.mark.parametrize(
    ("of_run", "of_month"), [(Caps(calls=0), Caps(calls=9)), (Caps(calls=9), Caps(calls=0))]
)
def test_a_refused_call_is_taken_from_neither_cap(c, run, at, of_run, of_month):
    first = capture_of(c, run)
    spend.reserve(c, Ask(run.id, first, "openai", 5), caps=Caps(), at=at)
    with pytest.raises(BudgetError):
        spend.reserve(c, Ask(run.id, first, "openai", 7), caps=of_run, at=at, month=of_month)
    assert months.load_month(c, "2026-11") == Counted(1, 5)
    assert stored_spend(c, run) == (1, 5)


def test_a_price_is_settled_in_the_month_its_call_was_reserved_in(c, run):
    first = capture_of(c, run)
    late = spend.reserve(c, Ask(run.id, first, "openai", 900), caps=Caps(), at=LATE)
    new = spend.reserve(c, Ask(run.id, first, "openai", 900), caps=Caps(), at=TURN)
    spend.settle_all(c, [(late, 100), (new, 1_000)], at=TURN)
    spend.settle(c, late, 100, at=TURN)
    assert months.load_month(c, "2026-11") == Counted(1, 100)
    assert months.load_month(c, "2026-12") == Counted(1, 1_000)
    assert stored_spend(c, run) == (2, 1_100)


async def test_a_run_that_goes_on_into_a_new_month_uses_the_new_months_cap(database, run):
    with database.read() as c:
        first = capture_of(c, run)
    clock = FixedClock(LATE)
    with Writer(database) as writer:
        await writer.do(lambda c: runs.set_caps(c, run.id, Caps()))
        budget = RunBudget(writer, run.id, clock, month=Caps(calls=1))
        await budget.reserve(first, "openai", 5)
        with pytest.raises(BudgetError, match="month 2026-11"):
            await budget.reserve(first, "openai", 5)
        clock.at = TURN
        await budget.reserve(first, "openai", 5)
        with pytest.raises(BudgetError, match="month 2026-12"):
            await budget.reserve(first, "openai", 5)


def test_a_cancelled_run_makes_no_call_and_says_why(c, run, at):
    runs.set_run_state(c, run.id, RunState.CANCELLED, at=at)
    ask = Ask(run.id, capture_of(c, run), "openai", 5)
    with pytest.raises(RunCancelledError, match="was cancelled: no call to openai"):
        spend.reserve(c, ask, caps=Caps(), at=at)
    assert months.load_month(c, "2026-11") == Counted(0, 0)


def test_a_cancelled_run_is_told_apart_from_a_spent_month(c, run, at):
    runs.set_run_state(c, run.id, RunState.CANCELLED, at=at)
    ask = Ask(run.id, capture_of(c, run), "openai", 5)
    with pytest.raises(RunCancelledError):
        spend.reserve(c, ask, caps=Caps(calls=0), at=at, month=Caps(calls=0))


async def test_calls_of_two_runs_at_once_never_pass_the_month(database, run, at):
    with database.write() as c:
        other, theirs = planned(c, "2026-11-other", at)
        ours = capture_of(c, run)
    with Writer(database) as writer:
        clock, cap = FixedClock(at), Caps(calls=30)
        await writer.do(lambda c: runs.set_caps(c, run.id, Caps()))
        await writer.do(lambda c: runs.set_caps(c, other.id, Caps(calls=10)))
        mine = RunBudget(writer, run.id, clock, month=cap)
        yours = RunBudget(writer, other.id, clock, month=cap)
        asked = [mine.reserve(ours, "openai", 10) for _ in range(60)]
        asked += [yours.reserve(theirs, "openai", 10) for _ in range(60)]
        told = await asyncio.gather(*asked, return_exceptions=True)
        held = [one for one in told if isinstance(one, int)]
        await asyncio.gather(*(mine.settle(one, 4) for one in held))
    kinds = Counter(type(one).__name__ for one in told)
    assert kinds == {"int": 30, "BudgetError": 90}
    with database.read() as c:
        assert months.load_month(c, "2026-11") == Counted(30, 120)
        parts = [spend.totals(c, one.id) for one in (run, other)]
        assert sum(part.calls for part in parts) == 30
        assert parts[1].calls <= 10


def test_threads_of_several_runs_reserve_exactly_what_the_month_allows(database, run, at):
    with database.write() as c:
        made = [planned(c, f"2026-11-{n}", at) for n in range(4)]
    outcomes = []

    def ask(one, capture_id):
        for _ in range(8):
            try:
                with database.write() as c:
                    spend.reserve(
                        c, Ask(one.id, capture_id, "openai", 100),
                        caps=Caps(calls=7), at=at, month=Caps(micros=1_999),
                    )  # fmt: skip
                outcomes.append("made")
            except BudgetError:
                outcomes.append("refused")

    threads = [threading.Thread(target=ask, args=one) for one in made]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    # 19 calls of 100 fit under 1,999; no run may have more than 7 of them.
    assert Counter(outcomes) == {"made": 19, "refused": 13}
    with database.read() as c:
        assert months.load_month(c, "2026-11") == Counted(19, 1_900)
        assert sum(spend.totals(c, one.id).calls for one, _ in made) == 19
        assert max(spend.totals(c, one.id).calls for one, _ in made) <= 7


RESERVER = """
import sys
from datetime import UTC, datetime
from monitor.errors import BudgetError
from monitor.store import open_database, spend
from monitor.store.runs import Caps
url, run_id, capture_id = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
database, made = open_database(url), 0
print("ready", flush=True)
sys.stdin.readline()
for _ in range(40):
    try:
        with database.write() as c:
            spend.reserve(c, spend.Ask(run_id, capture_id, "openai", 10), caps=Caps(calls=35),
                          at=datetime(2026, 11, 1, tzinfo=UTC), month=Caps(calls=50))
        made += 1
    except BudgetError:
        pass
print(made)
"""


def test_two_processes_reserve_exactly_what_the_month_allows(database, store_url, run, at):
    with database.write() as c:
        other, theirs = planned(c, "2026-11-other", at)
        ours = capture_of(c, run)
    asked = [(run.id, ours), (other.id, theirs)]
    workers = [
        subprocess.Popen(
            [sys.executable, "-c", RESERVER, store_url, str(run_id), str(capture_id)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        )
        for run_id, capture_id in asked
    ]  # fmt: skip
    assert [worker.stdout.readline() for worker in workers] == ["ready\n"] * 2
    for worker in workers:
        worker.stdin.write("go\n")
        worker.stdin.flush()
    made = [int(worker.communicate(timeout=60)[0]) for worker in workers]
    assert sum(made) == 50
    assert max(made) <= 35
    with database.read() as c:
        assert months.load_month(c, "2026-11") == Counted(50, 500)
        assert [spend.totals(c, run_id).calls for run_id, _ in asked] == made


RUNS, MONTHS = (0, 1), ("2026-11", "2026-12")
CAP = st.none() | st.integers(0, 12)


class Money(RuleBasedStateMachine):
    """Reservations and prices in any order, against sums kept by hand."""

    url = ""

    def __init__(self):
        super().__init__()
        self.database = open_database(self.url)
        with self.database.write() as c:
            for table in (spend.spend, months.month_spend):
                c.execute(table.delete())
            self.runs = [planned(c, f"slot-{n}", LATE) for n in RUNS]
            fresh = {"spent_calls": 0, "spent_micros": 0, "state": "planned"}
            c.execute(update(run_table).values(**fresh))
        self.rows = []
        self.cancelled = set()

    def teardown(self):
        self.database.close()

    def spent(self, key, value):
        rows = [row for row in self.rows if row[key] == value]
        return len(rows), sum(row["micros"] for row in rows)

    def fits(self, key, value, caps, asked):
        """Whether calls at these prices fit; the same sums as the store, in plain words."""
        calls, micros = self.spent(key, value)
        return (caps.calls is None or calls + len(asked) <= caps.calls) and (
            caps.micros is None or micros + sum(asked) <= caps.micros
        )

    @rule(
        run=st.sampled_from(RUNS), month=st.sampled_from(MONTHS), caps=st.tuples(CAP, CAP, CAP, CAP),
        asked=st.lists(st.integers(0, 5), min_size=1, max_size=4),
    )  # fmt: skip
    def reserve(self, run, month, caps, asked):
        made, capture_id = self.runs[run]
        of_run, of_month = Caps(*caps[:2]), Caps(*caps[2:])
        fits = self.fits("run", run, of_run, asked) and self.fits("month", month, of_month, asked)
        expected = RunCancelledError if run in self.cancelled else None if fits else BudgetError
        asks = [Ask(made.id, capture_id, "openai", micros) for micros in asked]
        at = LATE if month == MONTHS[0] else TURN
        ids, refused = (), None
        with self.database.write() as c:
            try:
                ids = spend.reserve_all(c, asks, caps=of_run, at=at, month=of_month)
            except (BudgetError, RunCancelledError) as error:
                refused = type(error)
        assert refused is expected
        self.rows += [
            {"id": one, "run": run, "month": month, "micros": micros, "paid": False}
            for one, micros in zip(ids, asked, strict=not refused)
        ]

    @rule(micros=st.integers(0, 9), which=st.integers(0, 50))
    def settle(self, micros, which):
        for row in [row for row in self.rows if not row["paid"]][which : which + 1]:
            with self.database.write() as c:
                spend.settle(c, row["id"], micros, at=TURN)
            row["micros"], row["paid"] = micros, True

    @rule(run=st.sampled_from(RUNS))
    def cancel(self, run):
        with self.database.write() as c:
            runs.set_run_state(c, self.runs[run][0].id, RunState.CANCELLED, at=TURN)
        self.cancelled.add(run)

    @invariant()
    def sums_agree(self):
        with self.database.read() as c:
            for run, (made, _) in enumerate(self.runs):
                assert stored_spend(c, made) == self.spent("run", run)
                calls, micros = self.spent("run", run)
                open_ = sum(not row["paid"] for row in self.rows if row["run"] == run)
                assert spend.totals(c, made.id) == Spent(calls, micros, open_)
            for month in MONTHS:
                assert months.load_month(c, month) == Counted(*self.spent("month", month))


def test_sums_and_refusals_are_right_in_any_order_of_calls(tmp_path):
    Money.url = f"sqlite:///{tmp_path}/money.db"
    fresh = open_database(Money.url)
    upgrade(fresh)
    fresh.close()
    run_state_machine_as_test(
        Money, settings=budget_of_tests(max_examples=30, stateful_step_count=25, deadline=None)
    )
