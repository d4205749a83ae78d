"""The ledger of a paid judge over the store: threads, caps of its own, runs that were cancelled."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from monitor.errors import BudgetError
from monitor.pipeline.judge_ledger import RunJudgeLedger
from monitor.store import months, runs, spend
from monitor.store.runs import Caps
from tests.stored import bench_in, planned


def test_caps_hold_whoever_asks_at_once(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        run = planned(bench, caps=Caps(calls=7))
        ledger = RunJudgeLedger(bench, "paid@1", run_id=run.id)

        def ask(_):
            try:
                ledger.settle(ledger.reserve(10), 5)
            except BudgetError:
                return 0
            return 1

        with ThreadPoolExecutor(8) as pool:
            assert sum(pool.map(ask, range(20))) == 7
        assert bench.read(lambda c: spend.totals(c, run.id)).micros == 35
        assert ledger.spent == Caps(7, 35)


def test_calls_of_no_run_have_a_cap_of_their_own(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        ledger = RunJudgeLedger(bench, "paid@1", run_id=None, caps=Caps(micros=25))
        ledger.settle(ledger.reserve(20), 5)
        ledger.reserve(20)
        with pytest.raises(BudgetError, match="judge's own budget: 2 of any number of calls"):
            ledger.reserve(1)
        month = months.month_of(bench.clock.now())
        assert bench.read(lambda c: months.load_month(c, month)).micros == 25


def test_a_cancelled_run_ends_the_calls_like_a_cap(tmp_path, monkeypatch):
    with bench_in(tmp_path, monkeypatch) as bench:
        run = planned(bench)
        at = bench.clock.now()
        bench.write(lambda c: runs.set_run_state(c, run.id, runs.RunState.CANCELLED, at=at))
        with pytest.raises(BudgetError, match="was cancelled"):
            RunJudgeLedger(bench, "paid@1", run_id=run.id).reserve(1)
