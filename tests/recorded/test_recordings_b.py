"""Real payloads of Gemini, Anthropic, SerpApi and DataForSEO, read in place against outside truth."""

import json
from pathlib import Path
from typing import Any

import pytest

from monitor.domain.engine import Exchange, Outcome, Reading, Request, SpanKind
from monitor.engines import ENGINES
from tests.corpora import corpora, corpora_root

pytestmark = pytest.mark.corpora

FOLDERS = {
    "gemini": "gemini",
    "anthropic": "anthropic",
    "serpapi_ai_overview": "google_ai_overview",
    "serpapi_ai_overview/series": "google_ai_overview",
    "serpapi_ai_mode": "google_ai_mode",
}
FILES = {
    "dataforseo/geoprompt_aio_live_advanced.json": "google_ai_overview_dataforseo",
    "dataforseo/docs_ai_mode_live_advanced.json": "google_ai_mode_dataforseo",
}
DIFFERENCES: dict[str, str] = {}
"""Payload -> why our displayed URLs differ from the outside extractor's; none does."""

NOT_ANSWERED = {
    "gemini/pai_3flash_largest_city_function.json": (Outcome.ERROR, "empty"),
    "gemini/pai_max_tokens_empty_thinking.json": (Outcome.ERROR, "empty"),
    "gemini/pai_max_tokens_truncated.json": (Outcome.TRUNCATED, None),
    "gemini/rubyllm_gemini_429.json": (Outcome.BLOCKED, "rate_limit"),
    "anthropic/rubyllm_anthropic_401.json": (Outcome.ERROR, "auth"),
    "serpapi_ai_overview/series/scamtracker_2026-08-09_1122_6028dcf1.json": (
        Outcome.NO_ANSWER,
        "absent",
    ),
}
"""Payloads whose outcome is not `answered`."""

ROOT = corpora_root() / "engines" / "recordings"


def _names() -> list[tuple[str, str]]:
    listed = [
        (path.relative_to(ROOT).as_posix(), engine)
        for folder, engine in FOLDERS.items()
        for path in sorted((ROOT / folder).glob("*.*"))
        if not path.name.endswith(".meta.json")
    ]
    return [*listed, *FILES.items()]


def _exchange(name: str) -> Exchange:
    path: Path = corpora(f"engines/recordings/{name}")
    beside = path.with_name(f"{path.stem}.meta.json")
    meta: dict[str, Any] = json.loads(beside.read_text()) if beside.exists() else {}
    request = Request(meta.get("method", "POST"), meta.get("uri", ""), meta.get("request_body"))
    return Exchange(path.read_bytes(), meta.get("status"), (), request)


def _read(name: str, engine: str) -> Reading:
    return ENGINES[engine].parse([_exchange(name)])


def _expected() -> dict[str, Any]:
    return json.loads(corpora("engines/recordings/EXPECTED.json").read_text())


every_payload = pytest.mark.parametrize(("name", "engine"), _names())


def test_there_are_payloads_to_read():
    corpora("engines/recordings/EXPECTED.json")
    assert len(_names()) >= 60


@every_payload
def test_displayed_urls_are_those_of_the_outside_extractor_in_order(name, engine):
    want = _expected()[name]["cited_urls_in_display_order"] or []
    got = [citation.url for citation in _read(name, engine).displayed]
    assert (got == list(dict.fromkeys(want))) is (name not in DIFFERENCES)


@every_payload
def test_marks_retrieved_pages_and_model_are_those_of_the_outside_extractor(name, engine):
    want, reading = _expected()[name], _read(name, engine)
    assert sum(c.marks for c in reading.displayed) == (want["citation_marks"] or 0)
    assert [page.url for page in reading.retrieved] == (want["retrieved_urls"] or [])
    assert reading.served_model == want["model"]


@every_payload
def test_every_payload_has_the_outcome_it_deserves(name, engine):
    reading = _read(name, engine)
    assert (reading.outcome, reading.reason) == NOT_ANSWERED.get(name, (Outcome.ANSWERED, None))


@every_payload
def test_every_span_lies_inside_the_text(name, engine):
    reading = _read(name, engine)
    spans = [span for citation in reading.citations for span in citation.spans]
    assert all(0 <= span.start < span.end <= len(reading.text) for span in spans)


def _segments(node: Any) -> list[str]:
    if isinstance(node, dict):
        own = [s["segment"]["text"] for s in node.get("groundingSupports") or []]
        return own + [text for value in node.values() for text in _segments(value)]
    return [text for value in node for text in _segments(value)] if isinstance(node, list) else []


def _documents(name: str) -> list[Any]:
    text = corpora(f"engines/recordings/{name}").read_text()
    if not text.startswith("data:"):
        return (
            [json.loads(line) for line in text.splitlines()]
            if ".sse" in name
            else [json.loads(text)]
        )
    return [json.loads(line[5:]) for line in text.splitlines() if line.startswith("data:")]


@pytest.mark.parametrize("name", [n for n, engine in _names() if engine == "gemini"])
def test_claims_of_gemini_are_the_words_of_its_segments(name):
    reading = _read(name, "gemini")
    spans = {span for c in reading.citations for span in c.spans if span.kind is SpanKind.CLAIM}
    words = {reading.text[span.start : span.end] for span in spans}
    stated = set(_segments(_documents(name)))
    assert words == stated or "interactions" in name
    assert not any("dropped" in warning for warning in reading.warnings)


def test_a_paused_answer_is_whole_with_the_pages_of_both_calls():
    name = "anthropic/pai_pause_turn_2.json"
    second = _exchange(name)
    asked = second.request.json["messages"][1]["content"]
    paused = {"type": "message", "content": asked, "stop_reason": "pause_turn", "usage": {}}
    reading = ENGINES["anthropic"].parse([Exchange(json.dumps(paused).encode(), 200), second])
    cited = {citation.url for citation in reading.displayed}
    # 9 of 15 cited pages are results of the earlier call.
    assert (reading.outcome, len(cited)) == (Outcome.ANSWERED, 15)
    assert cited <= {page.url for page in reading.retrieved}
    assert len(cited - {page.url for page in _read(name, "anthropic").retrieved}) == 9


def test_requested_models_are_told_where_the_request_is_known():
    told = [_read(n, e).requested_model for n, e in _names() if e in {"gemini", "anthropic"}]
    assert sum(model is not None for model in told) >= 30
