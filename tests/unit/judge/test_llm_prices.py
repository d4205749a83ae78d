"""What a call of the judge costs, before it is made and after it."""

from datetime import date
from importlib.resources import files

import pytest

from monitor.config.judging import LlmPart
from monitor.domain.engine import Usage
from monitor.judge.llm import TokenPrice, token_price
from monitor.judge.llm.prices import HIGH_INPUT, HIGH_OUTPUT, PRICES

DAY = date(2026, 12, 1)


def price(day=DAY, **part):
    return token_price(LlmPart(**part), day)


def test_a_call_costs_what_it_used_rounded_up():
    # 1,000 * 0.40 + 100 * 1.60 USD a million = 560 micros.
    one = price(model="gpt-4.1-mini")
    assert one.micros(Usage(1000, 100)) == 560
    assert one.micros(Usage(1, 0)) == 1
    assert one.micros(Usage(1000, None)) is None
    assert one.micros(None) is None


def test_thoughts_are_paid_where_they_are_counted_apart():
    # 100 * 1.50 + (10 + 90) * 9.00 USD a million = 1,050 micros.
    assert price(provider="gemini", model="gemini-3.5-flash").micros(Usage(100, 10, 90)) == 1050
    assert price(model="gpt-5-mini").micros(Usage(100, 100, 90)) == 225


@pytest.mark.parametrize(
    ("provider", "model", "given"),
    [
        ("openai", "gpt-4.1", (2_000_000, 8_000_000)),
        ("openai", "gpt-4.1-mini-2025-04-14", (400_000, 1_600_000)),
        ("anthropic", "claude-haiku-4-5-20251001", (1_000_000, 5_000_000)),
        ("anthropic", "claude-haiku-5-5", (100_000, 500_000)),
        ("gemini", "gemini-3.8-flash", (750_000, 3_750_000)),
    ],
)
def test_models_are_found_by_name_with_or_without_a_date(provider, model, given):
    found = price(provider=provider, model=model)
    assert (found.input, found.output, found.basis) == (*given, "table")
    assert "since" in found.note


def test_a_price_holds_from_its_day():
    later = price(date(2027, 1, 1), provider="gemini", model="gemini-3.8-flash")
    assert later.input == 1_500_000


def test_an_unknown_model_costs_a_high_estimate_and_says_so():
    found = price(model="llama-of-mine")
    assert found.basis == "estimate"
    assert (found.input, found.output) == (HIGH_INPUT, HIGH_OUTPUT)
    assert "judge.llm.input_micros" in found.note
    assert max(one.output for one in PRICES) <= HIGH_OUTPUT


def test_the_operators_own_prices_go_first():
    free = price(model="llama-of-mine", input_micros=0, output_micros=0)
    assert (free, free.micros(Usage(10**6, 10**6))) == (TokenPrice(0, 0, note="settings"), 0)
    half = price(model="gpt-4.1", input_micros=1)
    assert (half.input, half.output, half.basis) == (1, 8_000_000, "table")


def test_prompts_are_part_of_the_package():
    names = {one.name for one in (files("monitor.judge.llm") / "prompts").iterdir()}
    assert {"judge_1.txt", "split_1.txt"} <= names
