"""Caps hold whoever asks at once; every call is reserved before and settled once after."""

import asyncio
import threading

import pytest

from monitor.domain.money import Spent
from monitor.errors import BudgetError, StoreError
from monitor.store import Writer, captures, runs, spend
from monitor.store.runs import Caps
from monitor.store.spend import Ask, RunBudget
from tests.store.conftest import FixedClock


@pytest.fixture
def first(database, run):
    with database.read() as connection:
        return captures.load_captures(connection, run.id)[0].id


def test_settled_price_replaces_the_estimate(c, run, first, at):
    held = spend.reserve(c, Ask(run.id, first, "openai", 900), caps=Caps(), at=at)
    assert spend.totals(c, run.id) == Spent(1, 900, 1)
    spend.settle(c, held, 400, at=at)
    spend.settle(c, held, 400, at=at)
    assert spend.totals(c, run.id) == Spent(1, 400, 0)


def test_call_that_was_not_charged_still_counts_as_a_call(c, run, first, at):
    held = spend.reserve(c, Ask(run.id, first, "openai", 900), caps=Caps(), at=at)
    spend.settle(c, held, 0, at=at)
    assert spend.totals(c, run.id) == Spent(1, 0, 0)


def test_settling_twice_at_another_price_is_refused(c, run, first, at):
    held = spend.reserve(c, Ask(run.id, first, "openai", 900), caps=Caps(), at=at)
    spend.settle(c, held, 400, at=at)
    with pytest.raises(StoreError, match="settled at 400 micro-USD, refused 500"):
        spend.settle(c, held, 500, at=at)


def test_calls_reserved_together_all_fit_or_none_is_reserved(c, run, first, at):
    asks = [Ask(run.id, first, "openai", 10), Ask(run.id, first + 1, "openai", 20)]
    with pytest.raises(BudgetError):
        spend.reserve_all(c, asks, caps=Caps(micros=29), at=at)
    held = spend.reserve_all(c, asks, caps=Caps(micros=30), at=at)
    assert len(set(held)) == 2
    assert spend.totals(c, run.id) == Spent(2, 30, 2)


def test_prices_settled_together_are_each_taken_once(c, run, first, at):
    asks = [Ask(run.id, first, "openai", 10), Ask(run.id, first, "openai", 20)]
    one, two = spend.reserve_all(c, asks, caps=Caps(), at=at)
    spend.settle_all(c, [(one, 4), (two, 20), (one, 4)], at=at)
    spend.settle_all(c, [(one, 4), (two, 20)], at=at)
    assert spend.totals(c, run.id) == Spent(2, 24, 0)
    with pytest.raises(StoreError, match="settled at 4 micro-USD, refused 5"):
        spend.settle_all(c, [(two, 20), (one, 5)], at=at)


def test_cap_on_calls_names_what_is_spent(c, run, first, at):
    caps = Caps(calls=1)
    spend.reserve(c, Ask(run.id, first, "openai", 5), caps=caps, at=at)
    with pytest.raises(BudgetError, match=r"1 of 1 calls and 0\.0000 of any number of USD"):
        spend.reserve(c, Ask(run.id, first, "openai", 5), caps=caps, at=at)


def test_cap_on_money_frees_what_a_cheaper_call_left(c, run, first, at):
    caps = Caps(micros=1000)
    held = spend.reserve(c, Ask(run.id, first, "openai", 800), caps=caps, at=at)
    with pytest.raises(BudgetError):
        spend.reserve(c, Ask(run.id, first, "openai", 300), caps=caps, at=at)
    spend.settle(c, held, 700, at=at)
    spend.reserve(c, Ask(run.id, first, "openai", 300), caps=caps, at=at)
    assert spend.totals(c, run.id) == Spent(2, 1000, 1)


def test_totals_are_split_by_engine(c, run, first, at):
    for engine, micros in (("openai", 5), ("openai", 6), ("xai", 7)):
        spend.reserve(c, Ask(run.id, first, engine, micros), caps=Caps(), at=at)
    assert spend.totals_by_engine(c, run.id) == {"openai": Spent(2, 11, 2), "xai": Spent(1, 7, 1)}
    assert spend.totals(c, run.id + 1) == Spent(0, 0, 0)


def test_threads_with_connections_of_their_own_never_pass_a_cap(database, run, first, at):
    outcomes = []

    def ask():
        try:
            with database.write() as c:
                spend.reserve(c, Ask(run.id, first, "openai", 100), caps=Caps(micros=700), at=at)
            outcomes.append("made")
        except BudgetError:
            outcomes.append("refused")

    threads = [threading.Thread(target=ask) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["made"] * 7 + ["refused"] * 13


async def test_budget_of_a_run_holds_under_concurrent_calls(database, run, first, at):
    with Writer(database) as writer:
        await writer.do(lambda c: runs.set_caps(c, run.id, Caps(calls=30)))
        budget = RunBudget(writer, run.id, FixedClock(at))
        asked = [budget.reserve(first, "openai", 10) for _ in range(100)]
        told = await asyncio.gather(*asked, return_exceptions=True)
        held = [one for one in told if isinstance(one, int)]
        await asyncio.gather(*(budget.settle(one, 4) for one in held))
    assert len(held) == len(set(held)) == 30
    assert sum(isinstance(one, BudgetError) for one in told) == 70
    with database.read() as c:
        assert spend.totals(c, run.id) == Spent(30, 120, 0)


def test_unknown_reservation_is_named(c, at):
    with pytest.raises(StoreError, match="no reservation with id 5"):
        spend.settle(c, 5, 1, at=at)
