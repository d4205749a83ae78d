"""No wrong value anywhere in a payload makes a reader fail otherwise than by PayloadError."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from monitor.domain.engine import EngineSettings, Exchange, Reading, Request
from monitor.engines import ENGINES
from monitor.errors import PayloadError
from tests.unit.engines.payloads_b import (
    AI_MODE,
    ANSWER,
    CLAUDE,
    CLAUDE_EVENTS,
    INTERACTION,
    INTERACTION_EVENTS,
    OVERVIEW,
    PROMPT,
    SEARCH,
    envelope,
    exchange,
    gemini,
    mutants,
    stream,
)

DEFERRED = SEARCH | {"ai_overview": {"page_token": "t", "serpapi_link": "l"}}
GOOGLE_ERROR = {
    "error": {
        "code": 429, "message": "m", "status": "RESOURCE_EXHAUSTED",
        "details": [{"violations": [{"quotaId": "PerDay"}]}],
    }
}  # fmt: skip
GEMINI_EVENTS = [
    {"candidates": [{"content": {"parts": [{"text": "Built 1851."}]}}]},
    gemini(content={"parts": [{"text": ""}]}),
]

CASES: list[tuple[str, Any, Callable[[Any], Exchange]]] = [
    ("gemini", gemini(), exchange),
    ("gemini", {"promptFeedback": {"blockReason": "SAFETY"}}, exchange),
    ("gemini", GEMINI_EVENTS, stream),
    ("gemini", GOOGLE_ERROR, exchange),
    ("gemini", INTERACTION, exchange),
    ("gemini", INTERACTION_EVENTS, stream),
    ("anthropic", CLAUDE, exchange),
    ("anthropic", CLAUDE_EVENTS, stream),
    ("anthropic", {"type": "error", "error": {"type": "api_error", "message": "m"}}, exchange),
    ("google_ai_overview", SEARCH | {"ai_overview": OVERVIEW}, exchange),
    ("google_ai_overview", DEFERRED, exchange),
    ("google_ai_overview", {"error": "Invalid API key."}, exchange),
    ("google_ai_mode", AI_MODE, exchange),
    ("google_ai_overview_dataforseo", envelope(ANSWER), exchange),
    ("google_ai_mode_dataforseo", envelope(ANSWER | {"markdown": None}, kind="ai_mode"), exchange),
    ("google_ai_mode_dataforseo", envelope(code=40501), exchange),
]


def readings(name: str, document: Any, build: Callable[[Any], Exchange]) -> list[Any]:
    """What became of every mutant: a Reading or a PayloadError; anything else escapes."""
    outcomes: list[Any] = []
    for sent in sent_mutants(document, build):
        try:
            outcomes.append(ENGINES[name].parse([sent]))
        except PayloadError as error:
            outcomes.append(error)
    return outcomes


def sent_mutants(document: Any, build: Callable[[Any], Exchange]) -> list[Exchange]:
    return [build(m) for m in mutants(document) if build is exchange or isinstance(m, list)]


@pytest.mark.parametrize(("name", "document", "build"), CASES)
def test_a_wrong_value_anywhere_is_read_or_refused_by_path(name, document, build):
    outcomes = readings(name, document, build)
    assert {type(o) for o in outcomes} == {Reading, PayloadError}
    assert all(o.path for o in outcomes if isinstance(o, PayloadError))


@pytest.mark.parametrize(("name", "document", "build"), CASES)
def test_asking_for_a_continuation_never_fails_on_a_broken_payload(name, document, build):
    asked = [
        ENGINES[name].follow_up(PROMPT, EngineSettings(), [sent])
        for sent in sent_mutants(document, build)
    ]
    assert {type(request) for request in asked} <= {Request, type(None)}


@pytest.mark.parametrize(("name", "document", "build"), CASES)
def test_hostile_characters_come_out_as_storable_text(name, document, build):
    hostile = json.loads(
        json.dumps(document).replace("Turm", "T\\u0000\\ud800m").replace("uilt", "\\udfff\\u0000lt")
    )
    reading = ENGINES[name].parse([build(hostile)])
    shown = repr(reading.text) + "".join(f"{c.title}{c.snippet}{c.url}" for c in reading.citations)
    assert "\x00" not in shown
    assert shown.encode("utf-8")


@pytest.mark.parametrize("name", sorted({case[0] for case in CASES}))
@pytest.mark.parametrize(
    "body", [b"[" * 100_000, b"9" * 10_000, b"\xff\xfe", b"", b"null", b"[]", b"{}"]
)
def test_bytes_that_are_no_payload_are_refused(name, body):
    with pytest.raises(PayloadError):
        ENGINES[name].parse([Exchange(body, 200)])


@pytest.mark.parametrize("name", sorted({case[0] for case in CASES}))
def test_no_exchange_at_all_is_refused(name):
    with pytest.raises(PayloadError, match="no exchange"):
        ENGINES[name].parse([])


@pytest.mark.parametrize("name", ["google_ai_overview", "google_ai_mode"])
def test_endless_nesting_is_refused_not_followed(name):
    block: dict[str, Any] = {"type": "paragraph", "snippet": "deep"}
    for _ in range(60):
        block = {"type": "expandable", "text_blocks": [block]}
    page = AI_MODE | {"text_blocks": [block], "search_parameters": {"engine": "google"}}
    with pytest.raises(PayloadError, match="nested"):
        ENGINES[name].parse([exchange(page)])
