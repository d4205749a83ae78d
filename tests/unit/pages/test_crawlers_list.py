"""The list of crawlers: which decide for which engine, and that no engine is forgotten."""

import pytest

from monitor.engines import ENGINES
from monitor.pages.eligibility_crawlers import load_crawlers

SURFACES = (
    "chatgpt_web", "perplexity_web", "google_ai_overview_web", "google_ai_mode_web", "copilot_web",
    "gemini_app",
)  # fmt: skip


@pytest.mark.parametrize(
    ("engine", "tokens"),
    [
        ("openai", ["OAI-SearchBot"]),
        ("chatgpt_web", ["OAI-SearchBot"]),
        ("perplexity", ["PerplexityBot"]),
        ("perplexity_web", ["PerplexityBot"]),
        ("anthropic", ["Claude-SearchBot"]),
        ("google_ai_overview", ["Googlebot"]),
        ("google_ai_mode_web", ["Googlebot"]),
        ("gemini", ["Googlebot", "Google-Extended"]),
        ("gemini_app", ["Googlebot", "Google-Extended"]),
        ("copilot_web", ["Bingbot"]),
        ("xai", []),
    ],
)
def test_the_deciding_crawlers(engine, tokens):
    assert [one.token for one in load_crawlers().deciding(engine)] == tokens


def test_every_engine_has_a_crawler_or_a_reason_for_having_none():
    crawlers = load_crawlers()
    known = {*crawlers.engines, *crawlers.without}
    assert {*ENGINES, *SURFACES} - known == set()
    assert set(crawlers.engines).isdisjoint(crawlers.without)
    assert all(len(why.split()) >= 3 for why in crawlers.without.values())


def test_training_and_user_crawlers_are_shown_and_decide_nothing():
    shown = {one.token for one in load_crawlers().every if not one.engines}
    assert {"GPTBot", "ChatGPT-User", "ClaudeBot", "Claude-User", "Perplexity-User", "CCBot",
            "Applebot-Extended", "Bytespider", "Meta-ExternalAgent", "Amazonbot"} <= shown  # fmt: skip


def test_every_fact_names_its_source_and_tokens_are_told_once():
    every = load_crawlers().every
    assert len({one.token.lower() for one in every}) == len(every)
    assert all(one.source.startswith("https://") and one.vendor and one.purpose for one in every)
    silent = [one.token for one in every if not one.requests]
    assert silent == ["Google-Extended", "Applebot-Extended"]
