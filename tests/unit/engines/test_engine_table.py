import json

import pytest

from monitor.domain.engine import EngineSettings, Exchange, no_follow_up
from monitor.domain.panel import Prompt
from monitor.engines import ENGINES, PARSE_VERSION, read
from tests.unit.engines.payloads_a import BY_ENGINE, as_bytes

MINE = ("openai", "openai_chat_search", "perplexity", "xai", "mistral", "openrouter")
VARIABLES = {
    "openai": "OPENAI_API_KEY",
    "openai_chat_search": "OPENAI_API_KEY",
    "perplexity": "PERPLEXITY_API_KEY",
    "xai": "XAI_API_KEY",
    "mistral": "MISTRAL_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
}
PROMPT = Prompt("p1", "How old do oaks get?", "en-GB")


@pytest.mark.parametrize("name", MINE)
def test_every_engine_names_its_key_price_and_default_model(name):
    engine = ENGINES[name]
    assert engine.auth.variables == (VARIABLES[name],)
    assert engine.call_micros > 0
    assert engine.default_model


@pytest.mark.parametrize("name", MINE)
def test_a_request_is_json_for_the_default_model_over_https(name):
    request = ENGINES[name].request(PROMPT, EngineSettings())
    assert request.url.startswith("https://")
    assert json.loads(json.dumps(request.json))["model"] == ENGINES[name].default_model
    assert PROMPT.text in json.dumps(request.json)


@pytest.mark.parametrize("name", MINE)
def test_one_call_answers(name):
    engine = ENGINES[name]
    assert (engine.follow_up, engine.max_calls) == (no_follow_up, 1)


@pytest.mark.parametrize("name", sorted(ENGINES))
def test_no_exchange_at_all_is_unreadable(name):
    assert read(name, []).reason == "unreadable"


@pytest.mark.parametrize(("name", "payload"), BY_ENGINE)
def test_spans_lie_inside_the_text_and_texts_of_urls_are_distinct(name, payload):
    reading = read(name, [Exchange(as_bytes(payload))])
    urls = [citation.url for citation in reading.citations]
    spans = [span for citation in reading.citations for span in citation.spans]
    assert len(urls) == len(set(urls))
    assert all(0 <= span.start < span.end <= len(reading.text) for span in spans)


def test_the_parse_version_is_a_number():
    assert PARSE_VERSION >= 1
