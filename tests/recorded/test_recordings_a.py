"""Real payloads of six engines, read in place and compared with an independent extractor."""

import json
from pathlib import Path

import pytest

from monitor.domain.engine import Exchange, Outcome, Reading, Request, Role
from monitor.engines import read
from tests.corpora import corpora, corpora_root

pytestmark = pytest.mark.corpora

FOLDERS = {
    "openai_responses": "openai",
    "openai_chat_search": "openai_chat_search",
    "perplexity": "perplexity",
    "perplexity_via_openrouter": "openrouter",
    "openrouter": "openrouter",
    "xai": "xai",
    "mistral": "mistral",
}

CITED_DIFFERENTLY: dict[str, str] = {}
"""Recording -> why our displayed URLs differ from EXPECTED.json; empty while none does."""

RETRIEVED_DIFFERENTLY = {
    "openai_responses/pai_gpt5_weather_sf_sources.json": "oai-weather is a feed, not an address",
    "openai_responses/pai_gpt5_weather_sf_stream_sources.sse": "oai-weather is a feed again",
    "perplexity/rubyllm_sonarpro_docx.json": "search_results holds one URL that citations lacks",
}
QUERIES_DIFFERENTLY = {
    "xai/vercel_web_search.json": "grok-4-fast keeps its query in the JSON text of `arguments`",
}


def recordings() -> list[str]:
    """Recordings of our folders by name; none where the material is absent."""
    root = corpora_root() / "engines" / "recordings"
    paths = (path for folder in FOLDERS for path in sorted((root / folder).glob("*")))
    return [f"{p.parent.name}/{p.name}" for p in paths if not p.name.endswith(".meta.json")]


def exchange(path: Path) -> Exchange:
    """A recording with the status and the request that were kept beside it."""
    meta = path.with_suffix(".meta.json")
    kept = json.loads(meta.read_text()) if meta.exists() else {}
    request = Request("POST", kept.get("uri", ""), json=kept.get("request_body"))
    return Exchange(path.read_bytes(), kept.get("status"), (), request if kept else None)


def reading(name: str) -> Reading:
    path = corpora(f"engines/recordings/{name}")
    return read(FOLDERS[path.parent.name], [exchange(path)])


def expected(name: str) -> dict:
    return json.loads(corpora("engines/recordings/EXPECTED.json").read_text())[name]


def distinct(values: list[str] | None) -> list[str]:
    return list(dict.fromkeys(values or []))


NAMES = recordings() or [pytest.param("none", marks=pytest.mark.skip("no recordings here"))]


@pytest.mark.parametrize("name", NAMES)
def test_a_recording_is_readable(name):
    assert reading(name).reason != "unreadable"


@pytest.mark.parametrize("name", NAMES)
def test_displayed_urls_are_the_expected_ones_in_order(name):
    wanted = distinct(expected(name)["cited_urls_in_display_order"])
    same = [citation.url for citation in reading(name).displayed] == wanted
    assert same is (name not in CITED_DIFFERENTLY)


@pytest.mark.parametrize("name", NAMES)
def test_length_model_sources_and_queries_are_the_expected_ones(name):
    got, wanted = reading(name), expected(name)
    sources = {source.url for source in got.retrieved} == set(wanted["retrieved_urls"] or [])
    queries = list(got.queries) == distinct(wanted["search_queries"])
    assert got.served_model == wanted["model"]
    assert len(got.text) == (wanted["answer_chars"] or 0)
    assert sources is (name not in RETRIEVED_DIFFERENTLY)
    assert queries is (name not in QUERIES_DIFFERENTLY)


@pytest.mark.parametrize("name", NAMES)
def test_an_error_recording_is_an_error_and_nothing_else_is(name):
    assert (reading(name).outcome is Outcome.ERROR) is bool(expected(name)["error"])


@pytest.mark.parametrize("name", [n for n in NAMES if str(n).startswith(("openai", "xai"))])
def test_every_span_shows_its_url(name):
    got = reading(name)
    slices = [(got.text[s.start : s.end], c.url) for c in got.citations for s in c.spans]
    assert all(url in shown for shown, url in slices)
    assert all(shown[0] in "([h" and shown[-1] not in " (" for shown, _ in slices)


@pytest.mark.parametrize("name", [n for n in NAMES if str(n).startswith("perplexity")])
def test_every_sonar_span_is_a_marker_and_every_marker_has_one(name):
    got = reading(name)
    shown = [got.text[s.start : s.end] for c in got.displayed for s in c.spans]
    assert len(shown) == sum(got.text.count(f"[{n}]") for n in range(1, 100))
    assert all(mark.startswith("[") and mark[1:-1].isdecimal() for mark in shown)


def test_every_citation_of_openai_has_a_span_and_none_is_dropped():
    corpora("engines/recordings/EXPECTED.json")
    readings = [reading(name) for name in recordings() if name.startswith("openai")]
    lost = [
        c for r in readings for c in r.citations if c.role is not Role.RETRIEVED and not c.spans
    ]
    assert lost == []
    assert not any("dropped" in warning for r in readings for warning in r.warnings)


def test_the_one_truncated_recording_is_truncated():
    corpora("engines/recordings/EXPECTED.json")
    cut = [name for name in recordings() if reading(name).outcome is Outcome.TRUNCATED]
    assert cut == ["openai_responses/ddtrace_incomplete_stream.sse"]
