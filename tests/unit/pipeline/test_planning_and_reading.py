"""Plans before anything is asked, and readings that never raise."""

from datetime import date
from unittest.mock import patch

import pytest

from monitor.config.parts import EnginePart
from monitor.config.settings import Settings
from monitor.domain.engine import Cost, Exchange, Outcome, Reading, Request
from monitor.domain.panel import EnginePlan, Panel, Prompt
from monitor.engines import ENGINES
from monitor.errors import ConfigError
from monitor.pipeline.planning import (
    engine_settings,
    make_plan,
    refused_requests,
    request_key,
    secrets_of,
    skip_reason,
)
from monitor.pipeline.reading import read_exchanges

PROMPTS = tuple(Prompt(f"p{n}", f"Question {n}?", "en-GB") for n in range(4))
PANEL = Panel(
    name="tea",
    version=1,
    repeats=3,
    locale="en-GB",
    engines=("openai", "gemini", "sandbox_chat"),
    prompts=PROMPTS,
    engine_plans=(EnginePlan("gemini", ("p1", "p2"), 5),),
)


@pytest.fixture(autouse=True)
def keys(monkeypatch):
    for engine in ENGINES.values():
        for variable in engine.auth.variables if engine.auth else ():
            monkeypatch.delenv(variable, raising=False)
            monkeypatch.delenv(f"{variable}_FILE", raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-made-up-one")
    monkeypatch.setenv("GEMINI_API_KEY", "made-up-two")
    return monkeypatch


def settings(**parts):
    return Settings.model_construct(**parts)


def test_a_plan_counts_captures_by_engine_and_prices_them():
    plan = make_plan(
        PANEL, settings(engines={"openai": EnginePart(call_micros=100)}), on=date(2026, 11, 30)
    )
    # openai: 4 prompts x 3 repeats; gemini: its own 2 prompts x 5 repeats.
    assert [(e.engine, e.captures) for e in plan.estimate] == [("openai", 12), ("gemini", 10)]
    assert plan.captures == 22
    # Gemini by the table: 600 x 1.5 + (300 + 1,000) x 9 + 3 x 14,000 = 54,600 a call.
    assert plan.micros == 12 * 100 + 10 * 54_600
    assert [e.price.basis for e in plan.estimate] == ["settings", "table"]


def test_calls_before_any_known_price_cost_the_estimate_of_the_engine():
    plan = make_plan(PANEL, settings(), only=("gemini",), on=date(2020, 1, 1))
    assert plan.micros == 10 * ENGINES["gemini"].call_micros
    assert plan.estimate[0].price.note == "estimate"


def test_a_limit_keeps_the_first_prompts_and_only_some_engines():
    plan = make_plan(PANEL, settings(), only=("gemini",), limit=1)
    assert [(p.engine, [q.id for q in p.prompts]) for p in plan.engines] == [("gemini", ["p1"])]


def test_an_engine_without_its_key_is_skipped_with_the_variable_to_set(keys):
    keys.delenv("GEMINI_API_KEY")
    plan = make_plan(PANEL, settings())
    reasons = {s.engine: s.reason for s in plan.skipped}
    assert reasons["gemini"] == "no key: set GEMINI_API_KEY (or GEMINI_API_KEY_FILE)"
    assert [p.engine for p in plan.engines] == ["openai"]


def test_a_blank_key_is_no_key(keys):
    keys.setenv("GEMINI_API_KEY", " \n")
    assert "GEMINI_API_KEY" in skip_reason(ENGINES["gemini"], settings(), no_browser=False)


def test_a_login_needs_both_its_variables(keys):
    engine = ENGINES["google_ai_mode_dataforseo"]
    keys.setenv("DATAFORSEO_LOGIN", "login")
    assert "DATAFORSEO_PASSWORD" in skip_reason(engine, settings(), no_browser=False)
    keys.setenv("DATAFORSEO_PASSWORD", "word")
    assert skip_reason(engine, settings(), no_browser=False) is None
    assert secrets_of(engine) == ("login", "word")


def test_a_browser_surface_is_off_until_it_is_configured():
    chat = ENGINES["sandbox_chat"]
    on = settings(engines={"sandbox_chat": EnginePart()})
    assert "until engines.sandbox_chat" in skip_reason(chat, settings(), no_browser=False)
    assert skip_reason(chat, on, no_browser=False) is None
    assert skip_reason(chat, on, no_browser=True) == "left out by --no-browser"


def test_a_plan_with_questions_that_cannot_be_asked_is_refused_whole():
    wrong = settings(engines={"openai": EnginePart(options={"serch": 1})})
    with pytest.raises(ConfigError) as caught:
        make_plan(PANEL, wrong)
    assert str(caught.value).count("unknown option 'serch'") == 1


def test_an_option_of_the_wrong_kind_is_told_not_thrown():
    engine = ENGINES["openai"]
    odd = engine_settings(engine, EnginePart(options={"allowed_domains": 5, "tool_choice": {}}))
    told = refused_requests("openai", odd, PROMPTS[:1])
    assert all("openai" in one.message for one in told)


def test_every_engine_can_be_asked_with_its_defaults():
    for name, engine in ENGINES.items():
        assert refused_requests(name, engine_settings(engine, EnginePart()), PROMPTS) == ()


def test_the_model_and_the_address_are_no_part_of_the_request_key():
    engine = ENGINES["openai"]
    one = engine_settings(engine, EnginePart(model="a", base_url="https://x.example"))
    two = engine_settings(engine, EnginePart(model="b"))
    other = engine_settings(engine, EnginePart(country="GB"))
    assert request_key(one) == request_key(two) != request_key(other)


SENT = Request("POST", "https://api.example", {"model": "m"})


@pytest.mark.parametrize(
    ("exchange", "outcome", "reason"),
    [
        (Exchange(b"", failure="timeout", request=SENT), Outcome.TIMEOUT, None),
        (Exchange(b"", failure="network", request=SENT), Outcome.ERROR, "network"),
        (Exchange(b"", 200, failure="too_large", request=SENT), Outcome.ERROR, "unreadable"),
        (Exchange(b"", 200, request=SENT), Outcome.ERROR, "unreadable"),
        (Exchange(b"{", 200, request=SENT), Outcome.ERROR, "unreadable"),
        (Exchange(b"", 503, request=SENT), Outcome.ERROR, "server"),
    ],
)
def test_a_call_without_an_answer_is_an_outcome(exchange, outcome, reason):
    reading = read_exchanges(ENGINES["openai"], (exchange,))
    assert (reading.outcome, reading.reason) == (outcome, reason)


def test_no_exchange_at_all_is_a_network_error():
    assert read_exchanges(ENGINES["openai"], ()).reason == "network"


def test_money_in_another_currency_is_told_in_a_warning():
    paid = Reading(Outcome.ANSWERED, text="Yes.", cost=Cost(4_000, "EUR"))
    with patch("monitor.engines.read", return_value=paid):
        (told,) = read_exchanges(ENGINES["perplexity"], (Exchange(b"", 200),)).warnings
    assert told.startswith("the vendor reports a cost of 0.004000 EUR: it is not added up as USD")


def test_money_in_usd_needs_no_warning():
    paid = Reading(Outcome.ANSWERED, text="Yes.", cost=Cost(4_000))
    with patch("monitor.engines.read", return_value=paid):
        assert read_exchanges(ENGINES["perplexity"], (Exchange(b"", 200),)).warnings == ()


def test_a_plan_that_leaves_out_engines_or_prompts_on_purpose_is_a_trial(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "made-up")
    assert make_plan(PANEL, settings()).partial is False
    assert make_plan(PANEL, settings(), limit=len(PANEL.prompts)).partial is False
    assert make_plan(PANEL, settings(), no_browser=True).partial is False
    assert make_plan(PANEL, settings(), limit=1).partial is True
    assert make_plan(PANEL, settings(), only=("gemini",)).partial is True
