"""What a capture was counted at: who told it, or what it was priced by."""

from datetime import UTC, datetime

import pytest

from monitor.domain.engine import Cost, Outcome, Reading, Usage
from monitor.domain.money import Spent
from monitor.pipeline.costs import counted_cost
from monitor.report.costs import cost_words

AT = datetime(2026, 10, 1, 6, tzinfo=UTC)
# gpt-5.2 at list price: 1.75 USD a million tokens in, 14 USD out, 0.01 USD a search.
# 1,000 in and 100 out: 1,750 + 1,400 = 3,150; one search: 10,000; together 13,150.
USED = Usage(1_000, 100, searches=1)


def reading(told=None, currency="USD", usage=USED):
    cost = None if told is None else Cost(told, currency)
    return Reading(Outcome.ANSWERED, text="Yes.", served_model="gpt-5.2", usage=usage, cost=cost)


@pytest.mark.parametrize(
    ("spent", "read", "words"),
    [
        (None, reading(), "nothing was counted"),
        (None, reading(5_043), "nothing was counted; the engine tells 0.005043 USD"),
        (Spent(1, 5_043, 0), reading(5_043), "0.005043 USD, told by the engine"),
        (Spent(2, 5_043, 0), reading(5_043), "0.005043 USD, told by the engine"),
        (Spent(1, 13_150, 0), reading(), "0.013150 USD, by list price"),
        (Spent(1, 13_150, 0), reading(9, "EUR"), "0.013150 USD, by list price"),
        (Spent(1, 20_000, 0), reading(), "0.020000 USD, by list price or estimate"),
        (Spent(1, 20_000, 0), reading(usage=None), "0.020000 USD, by list price or estimate"),
        (Spent(2, 51_093, 0), reading(5_043), "0.051093 USD, told by the engine in part"),
        (Spent(1, 46_050, 1), reading(), "0.046050 USD, in part by estimate: not settled yet"),
        (Spent(1, 0, 0), reading(), "0.000000 USD, no call was charged"),
    ],
)
def test_a_cost_is_told_with_its_basis(spent, read, words):
    told = read.cost.micros if read.cost and read.cost.currency == "USD" else None
    assert cost_words(counted_cost(spent, "openai", read, AT), told) == words


def test_a_capture_of_unknown_day_is_priced_by_no_list():
    counted = counted_cost(Spent(1, 13_150, 0), "openai", reading(), None)
    assert cost_words(counted, None) == "0.013150 USD, by list price or estimate"
