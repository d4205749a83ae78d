"""Calls of a paid judge: under the caps of the run, of the month and of the judge itself."""

import pytest

from monitor.domain.money import Spent
from monitor.errors import BudgetError, RunCancelledError
from monitor.store import captures, judge_spend, months, runs, spend
from monitor.store.judge_spend import JudgeAsk
from monitor.store.runs import Caps

NONE = Caps()
JUDGE = "llm/openai/small@1"


def reserve(c, run_id, micros, at, *, own=NONE, month=NONE):
    ask = JudgeAsk(run_id, JUDGE, micros)
    return judge_spend.reserve_judging(c, ask, own=own, month=month, at=at)


def test_calls_of_the_judge_count_in_the_run_and_stand_apart(c, run, at):
    first = captures.load_captures(c, run.id)[0].id
    spend.reserve(c, spend.Ask(run.id, first, "openai", 900), caps=Caps(), at=at)
    held = reserve(c, run.id, 50, at)
    spend.settle(c, held, 20, at=at)
    assert spend.totals(c, run.id) == Spent(2, 920, 1)
    assert spend.totals_of_judge(c, run.id) == {JUDGE: Spent(1, 20, 0)}
    found = runs.load_run_by_id(c, run.id)
    assert (found.spent_micros, found.judge_micros) == (920, 20)


def test_caps_of_the_run_hold_for_captures_and_judge_together(c, run, at):
    runs.set_caps(c, run.id, Caps(calls=2, micros=100))
    reserve(c, run.id, 60, at)
    with pytest.raises(BudgetError, match="would pass the budget of the run: 1 of 2 calls"):
        reserve(c, run.id, 60, at)
    reserve(c, run.id, 40, at)
    with pytest.raises(BudgetError, match="2 of 2 calls"):
        reserve(c, run.id, 0, at)
    assert months.load_month(c, months.month_of(at)).calls == 2


@pytest.mark.parametrize(("own", "said"), [(Caps(calls=1), "1 of 1 calls"),
                                           (Caps(micros=70), "0.0001 of 0.0001 USD")])  # fmt: skip
def test_caps_of_the_judge_hold_within_those_of_the_run(c, run, at, own, said):
    runs.set_caps(c, run.id, Caps(calls=10, micros=1000))
    reserve(c, run.id, 60, at, own=own)
    with pytest.raises(BudgetError, match=f"judge's own budget: .*{said}.*judge.calls"):
        reserve(c, run.id, 60, at, own=own)


def test_caps_of_the_month_hold_over_calls_with_and_without_a_run(c, run, at):
    month = Caps(micros=100)
    alone = reserve(c, None, 60, at, month=month)
    with pytest.raises(BudgetError, match="budget of the month"):
        reserve(c, run.id, 60, at, month=month)
    spend.settle(c, alone, 10, at=at)
    reserve(c, run.id, 60, at, month=month)
    assert months.load_month(c, months.month_of(at)).micros == 70
    since, until = months.bounds(months.month_of(at))
    assert spend.totals_between(c, since, until) == {
        (None, JUDGE): Spent(1, 10, 0), (run.public_id, JUDGE): Spent(1, 60, 1)}  # fmt: skip


def test_no_call_is_made_for_a_cancelled_run(c, run, at):
    runs.set_run_state(c, run.id, runs.RunState.CANCELLED, at=at)
    with pytest.raises(RunCancelledError, match=r"no call to llm/openai/small@1"):
        reserve(c, run.id, 1, at)
    assert months.load_month(c, months.month_of(at)).calls == 0
