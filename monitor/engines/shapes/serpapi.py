"""SerpApi's envelope: what every Google call of it shares, and what its errors mean.

A failed call is one object with the single key `error`, whose words decide: spent searches and too
many searches an hour are both HTTP 429. A search without hits is HTTP 200 with an `error` beside
the usual keys. Repeats within an hour come from a cache and would pass for fresh answers, so
`no_cache=true` is sent unless an operator says otherwise.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from monitor.domain.engine import Auth, EngineSettings, Exchange, Outcome, Reading, Request
from monitor.domain.panel import Prompt
from monitor.engines.shapes.address import country, endpoint, known_options
from monitor.engines.shapes.payload import by_status, mapping_at, open_body, optional_string

AUTH = Auth(("SERPAPI_API_KEY",), header=None, scheme="", query="api_key")
SEARCH_MICROS = 15_000
"""Estimate of 2026-08: 75 USD for 5,000 searches; only successful ones are billed."""

_BASE = "https://serpapi.com"
_OPTIONS = {"location", "device", "google_domain", "no_cache"}
_LANGUAGES = {"he": "iw", "nb": "no", "nn": "no", "fil": "tl"}
_REGIONAL = {("zh", "TW"): "zh-tw", ("zh", "HK"): "zh-tw", ("pt", "BR"): "pt-br"}

_BY_WORDS: tuple[tuple[str, Reading], ...] = (
    ("run out of searches", Reading(Outcome.ERROR, "quota")),
    ("hourly", Reading(Outcome.BLOCKED, "rate_limit")),
    ("throughput", Reading(Outcome.BLOCKED, "rate_limit")),
    ("too many", Reading(Outcome.BLOCKED, "rate_limit")),
    ("invalid api key", Reading(Outcome.ERROR, "auth")),
    ("api key should be", Reading(Outcome.ERROR, "auth")),
    ("hasn't returned any results", Reading(Outcome.NO_ANSWER, "absent")),
    ("timed out", Reading(Outcome.TIMEOUT)),
    ("missing query", Reading(Outcome.ERROR, "request")),
    ("unsupported", Reading(Outcome.ERROR, "request")),
    ("expired", Reading(Outcome.ERROR, "request")),
)


def search(engine: str, prompt: Prompt, settings: EngineSettings, google: str) -> Request:
    """One search of SerpApi's engine `google`, localised by gl and hl; the key is added later."""
    options = known_options(engine, settings, _OPTIONS)
    asked = {"engine": google, "q": prompt.text, "hl": _language(prompt)}
    if code := country(prompt, settings):
        asked["gl"] = "uk" if code.upper() == "GB" else code.lower()
    asked |= {k: str(options[k]) for k in ("location", "google_domain") if options.get(k)}
    asked["device"] = str(options.get("device", "desktop"))
    if options.get("no_cache", True):
        asked["no_cache"] = "true"
    return call(asked, settings)


def call(asked: Mapping[str, str], settings: EngineSettings) -> Request:
    """A GET of the search endpoint with these parameters."""
    url = endpoint(_BASE, "/search.json", settings.base_url)
    return Request("GET", url, query=tuple(asked.items()))


def _language(prompt: Prompt) -> str:
    """Google's code for the prompt's language; Chinese without a region is the mainland's."""
    language, region = prompt.language, prompt.country or ""
    if language == "zh":
        return _REGIONAL.get((language, region), "zh-cn")
    return _REGIONAL.get((language, region), _LANGUAGES.get(language, language))


def read_search(engine: str, exchange: Exchange) -> Mapping[str, Any] | Reading:
    """Body of a search, or the outcome of one that failed or found nothing."""
    body = open_body(engine, exchange)
    if isinstance(body, Reading):
        return body
    node = mapping_at(engine, body.value, "$")
    status = _status(node)
    if node.get("error") is not None and not _has_answer(node):
        return by_words(node["error"], exchange.status)
    if status in {"Error", "Processing", "Queued"}:
        reason = "server" if status == "Error" else "empty"
        return Reading(Outcome.ERROR, reason, warnings=(f"search_metadata.status {status}",))
    return by_status(exchange.status) or node


def _has_answer(node: Mapping[str, Any]) -> bool:
    return bool(node.get("ai_overview") or node.get("text_blocks"))


def _status(node: Mapping[str, Any]) -> str | None:
    metadata = node.get("search_metadata")
    return optional_string(metadata.get("status")) if isinstance(metadata, Mapping) else None


def by_words(error: Any, status: int | None) -> Reading:
    """Outcome of an error text; unknown words leave it to the HTTP status, else the server."""
    said = optional_string(error) or str(type(error).__name__)
    words = said.lower().replace("’", "'")
    known = next((reading for key, reading in _BY_WORDS if key in words), None)
    reading = known or by_status(status) or Reading(Outcome.ERROR, "server")
    return replace(reading, warnings=(said[:300],))
