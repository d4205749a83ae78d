import pytest

from monitor.domain.engine import (
    EngineSettings,
    Exchange,
    Outcome,
    Reading,
    Retrieval,
    Role,
    SpanKind,
)
from monitor.domain.panel import Prompt
from monitor.engines import ENGINES
from monitor.errors import PayloadError
from tests.unit.engines.payloads_a import (
    ELM,
    MISTRAL,
    OAK,
    XAI,
    XAI_FAST,
    as_bytes,
    changed,
    message,
    output_text,
    responses,
)

PROMPT = Prompt("p1", "How old do oaks get?", "en-GB", persona="A forester")


def parse(engine, payload, status=None) -> Reading:
    return ENGINES[engine].parse([Exchange(as_bytes(payload), status)])


def test_a_numbered_link_of_grok_is_the_marker_and_its_number_no_title():
    reading = parse("xai", XAI)
    (elm,) = reading.citations
    assert (elm.url, elm.title, elm.role, elm.marks) == (ELM, None, Role.DISPLAYED, 1)
    assert reading.text[elm.spans[0].start : elm.spans[0].end] == f"[[1]]({ELM})"


def test_ticks_are_money():
    # 161,508,500 ticks / 10,000,000,000 = 0.01615085 USD = 16,151 micro-USD
    assert parse("xai", XAI).cost.micros == 16_151


def test_annotations_without_offsets_are_displayed_in_payload_order():
    reading = parse("xai", XAI_FAST)
    assert [(c.url, c.role, c.spans) for c in reading.citations] == [
        (ELM, Role.DISPLAYED, ()),
        (OAK, Role.DISPLAYED, ()),
    ]


def test_json_arguments_of_a_search_call_hold_the_query():
    reading = parse("xai", XAI_FAST)
    assert (reading.queries, reading.retrieval) == (("what is an oak",), Retrieval.USED)


def test_a_search_of_x_is_a_search():
    call = {"type": "custom_tool_call", "name": "x_keyword_search", "input": '{"query": "oak"}'}
    reading = parse("xai", responses(call, message(output_text("Trees."))))
    assert (reading.retrieval, reading.queries) == (Retrieval.USED, ("oak",))


def test_a_wrong_key_is_auth_though_its_status_is_400():
    body = {"code": "invalid-argument", "error": "Incorrect API key provided: xai-abcdefgh."}
    reading = parse("xai", body, 400)
    assert (reading.outcome, reading.reason) == (Outcome.ERROR, "auth")
    assert "abcdefgh" not in reading.warnings[0]


def test_the_grok_request_carries_persona_filters_and_x_search():
    settings = EngineSettings(options={"x_search": True, "allowed_domains": ["oak.example"]})
    request = ENGINES["xai"].request(PROMPT, settings)
    assert request.url == "https://api.x.ai/v1/responses"
    assert request.json["input"][0] == {"role": "system", "content": "A forester"}
    assert [tool["type"] for tool in request.json["tools"]] == ["web_search", "x_search"]


def test_mistral_references_support_the_chunk_before_them():
    reading = parse("mistral", MISTRAL)
    assert reading.text == "Oaks live long. Elms do not."
    spans = {
        c.url: [(reading.text[s.start : s.end], s.kind) for s in c.spans] for c in reading.citations
    }
    assert spans == {
        OAK: [("Oaks live long", SpanKind.BLOCK)],
        ELM: [("Oaks live long", SpanKind.BLOCK), ("Elms do not", SpanKind.BLOCK)],
    }
    assert [c.marks for c in reading.citations] == [1, 2]


def test_mistral_tells_query_usage_and_model():
    reading = parse("mistral", MISTRAL)
    assert (reading.queries, reading.served_model) == (("oak age",), "mistral-made-up")
    assert (reading.usage.input_tokens, reading.usage.searches) == (50, 1)
    assert reading.citations[0].snippet == "on oaks"


def test_mistral_content_may_be_one_string_and_no_search():
    payload = {"outputs": [{"type": "message.output", "content": "Oaks are trees."}]}
    reading = parse("mistral", payload)
    assert (reading.outcome, reading.retrieval) == (Outcome.ANSWERED, Retrieval.NOT_USED)


def test_mistral_chatter_before_the_search_is_not_the_answer():
    outputs = [{"type": "message.output", "content": "Let me see."}, *MISTRAL["outputs"]]
    reading = parse("mistral", changed(MISTRAL, ("outputs",), outputs))
    assert reading.text == "Oaks live long. Elms do not."


def test_a_mistral_reference_without_url_cites_nothing():
    payload = changed(MISTRAL, ("outputs", 1, "content", 1, "url"), None)
    reading = parse("mistral", payload)
    assert [c.url for c in reading.citations] == [ELM]
    assert "without a url" in reading.warnings[0]


@pytest.mark.parametrize(
    ("body", "status", "reason"),
    [
        ({"detail": "Invalid API Key"}, 401, "auth"),
        ({"detail": [{"loc": ["body"], "msg": "missing"}]}, 422, "request"),
        ({"object": "error", "message": "Service unavailable", "code": 3505}, 503, "server"),
        ({"message": "Unauthorized"}, None, "auth"),
    ],
)
def test_mistral_errors_say_what_failed(body, status, reason):
    reading = parse("mistral", body, status)
    assert (reading.outcome, reading.reason) == (Outcome.ERROR, reason)


def test_a_link_inside_a_supported_chunk_is_still_a_link():
    payload = changed(MISTRAL, ("outputs", 1, "content", 0, "text"), "See https://fir.example/x")
    roles = {c.url: c.role for c in parse("mistral", payload).citations}
    assert roles["https://fir.example/x"] is Role.LINK


def test_an_empty_mistral_message_is_empty():
    reading = parse("mistral", {"outputs": [{"type": "message.output", "content": ""}]})
    assert reading.reason == "empty"


@pytest.mark.parametrize(
    ("payload", "path"),
    [
        ({"results": []}, "$.outputs"),
        ({"outputs": [{"type": "message.new", "content": "x"}]}, "$.outputs"),
        (changed(MISTRAL, ("outputs", 1, "content", 0, "type"), "prose"), "content[0].type"),
    ],
)
def test_a_drifted_mistral_shape_is_refused_with_its_path(payload, path):
    with pytest.raises(PayloadError) as caught:
        parse("mistral", payload)
    assert path in caught.value.path


def test_the_mistral_request_can_ask_for_the_premium_connector():
    request = ENGINES["mistral"].request(PROMPT, EngineSettings(options={"premium": True}))
    assert request.url == "https://api.mistral.ai/v1/conversations"
    assert request.json["tools"] == [{"type": "web_search_premium"}]
    assert request.json["instructions"] == "A forester"
