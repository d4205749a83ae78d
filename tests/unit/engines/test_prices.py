"""Every sum is worked out by hand; list prices are per million tokens, in millionths of a USD."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from monitor.domain.engine import Access, Cost, Outcome, Reading, Usage
from monitor.engines import ENGINES, prices
from monitor.engines.prices import PRICES, CallPrice, Price, call_price, cost_of, price_at

DAY = date(2026, 11, 30)
FLAT = CallPrice(99, "estimate")


def answered(model, usage, **more):
    return Reading(Outcome.ANSWERED, text="Yes.", served_model=model, usage=usage, **more)


USED = [
    # 10,000 x 1.75 + 1,000 x 14 = 17,500 + 14,000; two searches of 10,000.
    ("openai", "gpt-5.2-2025-12-11", Usage(10_000, 1_000, 400, 2), 51_500),
    # 200 x 1.25 + 500 x 10 = 250 + 5,000; one search fee of 10,000 a call.
    ("openai_chat_search", "gpt-5-search-api", Usage(200, 500), 15_250),
    # 8 + 346 tokens at 1 each; 5,000 a request.
    ("perplexity", "sonar", Usage(8, 346), 5_354),
    # 1,000 x 1.25 + 2,000 x 2.5 = 1,250 + 5,000; two searches of 5,000.
    ("xai", "grok-4.3", Usage(1_000, 2_000, 50, 2), 16_250),
    # 2,000 x 1.5 + 400 x 7.5 = 3,000 + 3,000; one search of 30,000.
    ("mistral", "mistral-medium-latest", Usage(2_000, 400, searches=1), 36_000),
    # 568 x 1.5 + (305 + 1,027) x 9 = 852 + 11,988; no search.
    ("gemini", "gemini-3.5-flash", Usage(568, 305, 1_027), 12_840),
    # 15,000 x 2 + 1,000 x 10 = 30,000 + 10,000; thinking is in the output; 2 x 10,000.
    ("anthropic", "claude-sonnet-5", Usage(15_000, 1_000, 300, 2), 60_000),
    # 11,642 + 5 x 141 = 11,642 + 705; one search.
    ("anthropic", "claude-haiku-4-5-20251001", Usage(11_642, 141, searches=1), 22_347),
]


@pytest.mark.parametrize(("engine", "model", "usage", "micros"), USED)
def test_a_call_costs_what_it_used_at_the_list_price(engine, model, usage, micros):
    reading = answered(model, usage)
    assert cost_of(ENGINES[engine], reading, DAY, estimate=FLAT) == Cost(micros, basis="priced")


def test_every_engine_that_reports_usage_is_in_that_test_or_reports_its_cost():
    reports_money = {"openrouter"}
    priced_by_call = {one.engine for one in PRICES if not one.by_usage}
    free = {name for name, one in ENGINES.items() if one.access is Access.BROWSER}
    assert {row[0] for row in USED} | reports_money | priced_by_call | free == set(ENGINES)


def test_queries_count_as_searches_where_the_vendor_counts_none():
    # 100 x 1.5 + 100 x 9 = 1,050; three queries of 14,000.
    reading = answered("gemini-3.5-flash", Usage(100, 100), queries=("a", "b", "c"))
    assert cost_of(ENGINES["gemini"], reading, DAY, estimate=FLAT).micros == 43_050


def test_the_vendors_own_figure_goes_before_the_table_and_the_settings():
    reading = answered("sonar", Usage(8, 346), cost=Cost(5_190))
    own = CallPrice(7, "settings")
    assert cost_of(ENGINES["perplexity"], reading, DAY, estimate=own) == Cost(5_190)


def test_the_operators_figure_goes_before_the_table():
    own = CallPrice(7, "settings")
    reading = answered("sonar", Usage(8, 346))
    found = cost_of(ENGINES["perplexity"], reading, DAY, estimate=own)
    assert found == Cost(7, basis="estimate")


def test_money_in_another_currency_is_never_taken_for_usd():
    reading = answered("sonar", Usage(8, 346), cost=Cost(4_000, "EUR"))
    found = cost_of(ENGINES["perplexity"], reading, DAY, estimate=FLAT)
    assert found == Cost(5_354, basis="priced")


@pytest.mark.parametrize("usage", [None, Usage(), Usage(100, None), Usage(None, 100)])
def test_without_counts_of_tokens_the_estimate_stands(usage):
    reading = answered("gpt-5.2", usage)
    assert cost_of(ENGINES["openai"], reading, DAY, estimate=FLAT) == Cost(99, basis="estimate")


def test_a_price_by_the_call_needs_no_usage():
    found = cost_of(ENGINES["google_ai_mode"], answered(None, None), DAY, estimate=FLAT)
    assert found == Cost(15_000, basis="priced")


def test_a_model_is_priced_by_its_own_name_with_a_date_after_it_and_no_other_word():
    assert price_at("openai", "gpt-5.2", DAY).model == "gpt-5.2"
    assert price_at("openai", "gpt-5.2-2025-12-11", DAY).model == "gpt-5.2"
    assert price_at("openai", "gpt-5-mini-2025-08-07", DAY).model == "gpt-5-mini"
    assert price_at("anthropic", "claude-haiku-4-5-20251001", DAY).model == "claude-haiku-4-5"
    for other in ("gpt-5.2-pro", "gpt-5-nano", "gpt-5.9", "o3", "", None):
        assert price_at("openai", other, DAY) is None
    assert price_at("anthropic", "claude-sonnet-5-5", DAY) is None


def test_the_row_of_the_calls_own_day_is_taken(monkeypatch):
    old = Price("openai", "gpt-5.2", date(2026, 1, 1), DAY, "made up", call=1)
    new = replace(old, since=date(2027, 1, 1), call=2)
    monkeypatch.setattr(prices, "PRICES", (new, old))
    assert price_at("openai", "gpt-5.2", date(2025, 12, 31)) is None
    assert price_at("openai", "gpt-5.2", date(2026, 12, 31)).call == 1
    assert price_at("openai", "gpt-5.2", date(2027, 1, 1)).call == 2


def test_a_model_that_nobody_priced_costs_the_estimate_and_says_so():
    price = call_price(ENGINES["openai"], "gpt-77", DAY)
    assert (price.micros, price.note) == (ENGINES["openai"].call_micros, "estimate")
    assert cost_of(ENGINES["openai"], answered("gpt-77", Usage(1, 1)), DAY, estimate=price) == Cost(
        price.micros, basis="estimate"
    )


def test_an_estimate_is_the_price_of_typical_usage():
    # 15,000 x 1.75 + 700 x 14 + one search = 26,250 + 9,800 + 10,000.
    price = call_price(ENGINES["openai"], None, DAY)
    assert (price.micros, price.basis) == (46_050, "table")
    assert price.note == "table, gpt-5.2 since 2025-12-11 (looked up 2026-11-30)"
    assert call_price(ENGINES["openai"], None, DAY, own=5).note == "settings"


def test_a_price_without_typical_usage_leaves_the_estimate_and_names_the_row():
    price = call_price(ENGINES["mistral"], None, DAY)
    assert price.micros == ENGINES["mistral"].call_micros
    assert price.note.startswith("estimate, mistral-medium since 2026-04-29")


def test_half_a_millionth_is_rounded_up_and_less_down():
    price = Price("openai", "", DAY, DAY, "made up", input=500_000, output=1)
    assert prices.used_micros(price, Usage(1, 0)) == 1
    assert prices.used_micros(replace(price, input=499_999), Usage(1, 0)) == 0


def test_the_table_names_known_engines_plausible_days_and_sources():
    for one in PRICES:
        assert one.engine in ENGINES
        assert one.since <= one.looked_up < DAY + timedelta(days=1)
        assert one.source
        assert one.call or one.by_usage
    keys = [(one.engine, one.model, one.since) for one in PRICES]
    assert len(keys) == len(set(keys))


def test_every_default_model_with_a_key_has_a_row_or_a_cost_of_its_own():
    priced = {e for e, engine in ENGINES.items() if price_at(e, engine.default_model, DAY)}
    free = {name for name, one in ENGINES.items() if one.access is Access.BROWSER}
    assert set(ENGINES) - priced == {"openrouter", *free}
