import json

import pytest

from monitor.domain.engine import (
    EngineSettings,
    Exchange,
    Outcome,
    Reading,
    Request,
    Retrieval,
    Role,
    SpanKind,
)
from monitor.domain.panel import Prompt
from monitor.engines import ENGINES, read
from monitor.errors import ConfigError, PayloadError
from tests.unit.engines.payloads_a import (
    ELM,
    LINK,
    OAK,
    OPENAI,
    as_bytes,
    as_stream,
    changed,
    message,
    output_text,
    responses,
    search,
)

PROMPT = Prompt("p1", "How old do oaks get?", "de-AT")


def parse(payload, status=None) -> Reading:
    body = payload if isinstance(payload, bytes) else as_bytes(payload)
    return ENGINES["openai"].parse([Exchange(body, status)])


def shown(reading: Reading) -> list[str]:
    return [reading.text[s.start : s.end] for c in reading.citations for s in c.spans]


def test_an_annotated_link_is_a_displayed_citation_with_its_marker_span():
    reading = parse(OPENAI)
    (oak,) = reading.citations
    assert (oak.url, oak.role, oak.marks) == (OAK, Role.DISPLAYED, 1)
    assert oak.spans[0].kind is SpanKind.MARKER
    assert shown(reading) == [LINK]


def test_queries_sources_models_and_usage_are_kept():
    request = Request("POST", "https://api.example/v1/responses", json={"model": "made-up-1"})
    reading = ENGINES["openai"].parse([Exchange(as_bytes(OPENAI), 200, (), request)])
    assert reading.queries == ("oaks 2026", "oaks")
    assert [r.url for r in reading.retrieved] == ["https://oak.example/a", ELM]
    assert (reading.requested_model, reading.served_model) == (
        "made-up-1",
        "made-up-1-2026-01-01",
    )
    assert (reading.usage.input_tokens, reading.usage.reasoning_tokens) == (900, 30)
    assert reading.usage.searches == 1


def test_a_cited_page_that_no_source_lists_is_retrieved_too():
    payload = responses(
        search("oaks", sources=(ELM,)), message(output_text(f"x {LINK}", (LINK, OAK)))
    )
    assert [r.url for r in parse(payload).retrieved] == [ELM, OAK]


def test_nothing_is_retrieved_where_sources_are_not_told():
    payload = responses(search("oaks"), message(output_text(f"x {LINK}", (LINK, OAK))))
    assert parse(payload).retrieved == ()


def test_a_feed_without_address_is_no_source():
    payload = changed(
        OPENAI, ("output", 1, "action", "sources"), [{"type": "api", "name": "oai-weather"}]
    )
    reading = parse(payload)
    assert reading.retrieved == ()
    assert reading.retrieval is Retrieval.USED


def test_an_answer_without_search_call_did_not_search():
    reading = parse(responses(message(output_text("Oaks are trees."))))
    assert (reading.outcome, reading.retrieval) == (Outcome.ANSWERED, Retrieval.NOT_USED)


def test_a_searched_answer_without_annotations_still_searched():
    reading = parse(responses(search("oaks"), message(output_text("About 300 years."))))
    assert (reading.citations, reading.retrieval) == ((), Retrieval.USED)


def test_parts_are_joined_without_a_gap_and_offsets_count_from_their_part():
    parts = output_text("Ünf. "), output_text(f"Oaks {LINK}", (LINK, OAK))
    reading = parse(responses(message(*parts)))
    # "Ünf. " has 5 code points, "Oaks " 5 more: the marker starts at 10.
    assert reading.citations[0].spans[0].start == 10
    assert shown(reading) == [LINK]


def test_offsets_shifted_by_astral_characters_find_their_link():
    text = f"🌳🌳🌳 Oaks. {LINK} End."
    part = output_text(text, (LINK, OAK))
    for key in ("start_index", "end_index"):
        part["annotations"][0][key] += 3  # as UTF-16 units would count
    assert shown(parse(responses(message(part)))) == [LINK]


def test_an_offset_that_shows_no_link_is_dropped_with_a_warning():
    part = output_text("Oaks grow slowly.") | {
        "annotations": [
            {"type": "url_citation", "url": OAK, "title": "t", "start_index": 0, "end_index": 4}
        ]
    }
    reading = parse(responses(message(part)))
    assert (reading.citations[0].spans, reading.citations[0].marks) == ((), 1)
    assert "dropped" in reading.warnings[0]


def test_two_annotations_of_one_address_are_two_marks():
    text = f"A {LINK} b {LINK}"
    part = output_text(text, (LINK, OAK))
    second = text.rindex(LINK)
    part["annotations"].append(
        part["annotations"][0] | {"start_index": second, "end_index": second + len(LINK)}
    )
    (oak,) = parse(responses(message(part))).citations
    assert (oak.marks, len(oak.spans)) == (2, 2)


def test_citations_stand_in_order_of_first_mark():
    elm = f"([elm.example]({ELM}))"
    part = output_text(f"A {elm} b {LINK}", (LINK, OAK), (elm, ELM))
    assert [c.url for c in parse(responses(message(part))).citations] == [ELM, OAK]


def test_links_that_nobody_annotated_are_links_not_citations():
    part = {"type": "output_text", "text": f"See [Elm]({ELM}) and https://fir.example/x."}
    reading = parse(responses(message(part)))
    assert [(c.url, c.role) for c in reading.citations] == [
        (ELM, Role.LINK),
        ("https://fir.example/x", Role.LINK),
    ]
    assert "no annotations key" in reading.warnings[0]


def test_a_plain_link_to_a_cited_page_is_one_more_mark_of_it():
    part = output_text(f"A {LINK} b [oak](https://oak.example/a).", (LINK, OAK))
    (oak,) = parse(responses(message(part))).citations
    assert (oak.url, oak.role, oak.marks) == (OAK, Role.DISPLAYED, 2)


def test_only_the_final_answer_is_kept_where_messages_have_phases():
    first = message(output_text("Let me look."), phase="commentary")
    last = message(output_text("300 years."), phase="final_answer")
    assert parse(responses(first, search("oaks"), last)).text == "300 years."


def test_uncited_chatter_before_the_search_is_not_the_answer():
    first = message(output_text("I will search for that."))
    payload = responses(first, search("oaks"), message(output_text("300 years.")))
    assert parse(payload).text == "300 years."


def test_leaked_tokens_go_entities_keep_their_words_and_spans_stay_right():
    name = '\ue200entity\ue202["tree","Old Oak","a tree"]\ue201'
    text = f"{name} grows\ue200cite\ue202turn0search0\ue201. {LINK}"
    reading = parse(responses(message(output_text(text, (LINK, OAK)))))
    assert reading.text == f"Old Oak grows. {LINK}"
    assert shown(reading) == [LINK]


def test_nul_and_lone_surrogates_are_replaced_one_for_one():
    reading = parse(responses(message(output_text(f"a\x00b\ud83dc {LINK}", (LINK, OAK)))))
    assert reading.text.startswith("a�b�c ")
    assert shown(reading) == [LINK]


@pytest.mark.parametrize(
    ("text", "outcome", "reason"),
    [("Half an ans", Outcome.TRUNCATED, None), ("", Outcome.ERROR, "empty")],
)
def test_an_answer_cut_by_tokens_is_truncated_and_empty_without_text(text, outcome, reason):
    payload = responses(
        message(output_text(text)),
        status="incomplete",
        incomplete_details={"reason": "max_output_tokens"},
    )
    reading = parse(payload)
    assert (reading.outcome, reading.reason) == (outcome, reason)


def test_a_filtered_answer_without_text_is_declined():
    payload = responses(status="incomplete", incomplete_details={"reason": "content_filter"})
    assert parse(payload).reason == "declined"


def test_a_refusal_part_is_declined_and_keeps_its_words():
    reading = parse(responses(message({"type": "refusal", "refusal": "I won't."})))
    assert (reading.outcome, reading.reason, reading.text) == (
        Outcome.NO_ANSWER,
        "declined",
        "I won't.",
    )


def test_a_stock_refusal_as_text_is_declined():
    reading = parse(responses(message(output_text("I'm sorry, but I can't assist with that."))))
    assert reading.reason == "declined"


def test_a_completed_response_without_message_is_empty():
    reading = parse(responses(search("oaks")))
    assert (reading.outcome, reading.reason) == (Outcome.ERROR, "empty")


@pytest.mark.parametrize(
    ("status", "outcome"), [("queued", Outcome.TIMEOUT), ("in_progress", Outcome.TIMEOUT)]
)
def test_a_response_that_never_finished_is_a_timeout(status, outcome):
    assert parse(responses(status=status)).outcome is outcome


@pytest.mark.parametrize(
    ("code", "status", "outcome", "reason"),
    [
        ("invalid_api_key", 401, Outcome.ERROR, "auth"),
        ("insufficient_quota", 429, Outcome.ERROR, "quota"),
        ("rate_limit_exceeded", 429, Outcome.BLOCKED, "rate_limit"),
        ("context_length_exceeded", 400, Outcome.ERROR, "request"),
        ("unsupported_country_region_territory", 403, Outcome.BLOCKED, "geo"),
        ("server_error", 500, Outcome.ERROR, "server"),
        ("invalid_prompt", 400, Outcome.NO_ANSWER, "declined"),
        ("model_not_found", 404, Outcome.ERROR, "request"),
    ],
)
def test_error_bodies_say_what_failed(code, status, outcome, reason):
    reading = parse({"error": {"message": "made up", "type": "t", "code": code}}, status)
    assert (reading.outcome, reading.reason) == (outcome, reason)


def test_a_failure_inside_http_200_is_read_from_its_code():
    payload = responses(status="failed", error={"code": "rate_limit_exceeded", "message": "slow"})
    reading = parse(payload, 200)
    assert (reading.outcome, reading.reason) == (Outcome.BLOCKED, "rate_limit")


def test_a_failure_after_some_text_is_truncated():
    payload = responses(
        message(output_text("Half an")),
        status="failed",
        error={"code": "server_error", "message": "broke"},
    )
    reading = parse(payload)
    assert (reading.outcome, reading.text) == (Outcome.TRUNCATED, "Half an")


def test_keys_in_error_messages_are_blotted_out():
    error = {"code": "invalid_api_key", "message": "Incorrect API key provided: sk-abcDEF123456."}
    assert "abcDEF" not in parse({"error": error}, 401).warnings[0]


@pytest.mark.parametrize(
    ("body", "status", "outcome"),
    [
        (b"", 503, Outcome.ERROR),
        (b"upstream connect error", 502, Outcome.ERROR),
        (b"<html>Just a moment...</html>", 403, Outcome.BLOCKED),
        (b"slow down", 429, Outcome.BLOCKED),
        (b"[]", 504, Outcome.TIMEOUT),
    ],
)
def test_bodies_that_hold_no_json_count_by_their_status(body, status, outcome):
    assert parse(body, status).outcome is outcome


@pytest.mark.parametrize(
    ("payload", "path"),
    [
        ({"id": "x", "model": "m"}, "$.output"),
        (changed(OPENAI, ("output", 2, "content", 0, "type"), "rich_text"), "content[0].type"),
        (changed(OPENAI, ("output", 2, "type"), "answer"), "$.output"),
        (changed(OPENAI, ("status",), "finished"), "$.status"),
        (changed(OPENAI, ("output", 2, "content", 0, "annotations"), {}), "annotations"),
        (
            changed(OPENAI, ("output", 2, "content", 0, "annotations", 0, "type"), "web_source"),
            "annotations[0].type",
        ),
    ],
)
def test_a_drifted_shape_is_refused_with_its_path(payload, path):
    with pytest.raises(PayloadError) as caught:
        parse(payload)
    assert path in caught.value.path


def test_unreadable_bytes_become_an_error_reading_with_path_and_keys():
    reading = read("openai", [Exchange(as_bytes({"odd": 1}))])
    assert (reading.outcome, reading.reason) == (Outcome.ERROR, "unreadable")
    assert "$.output" in reading.warnings[0]
    assert "odd" in reading.warnings[0]


def stream_events():
    delta = {"type": "response.output_text.delta", "output_index": 0, "content_index": 0}
    return [
        {"type": "response.created", "response": responses(status="in_progress")},
        delta | {"delta": "Oaks "},
        delta | {"delta": f"grow. {LINK}"},
        {
            "type": "response.output_text.annotation.added",
            "output_index": 0,
            "annotation": {"type": "url_citation", "url": OAK, "title": "t",
                           "start_index": 11, "end_index": 11 + len(LINK)},
        },
    ]  # fmt: skip


def test_a_stream_gives_the_object_of_its_final_event():
    final = {"type": "response.completed", "response": OPENAI}
    assert parse(as_stream(*stream_events(), final)) == parse(OPENAI)


def test_a_stream_stored_as_json_lines_reads_the_same():
    final = {"type": "response.completed", "response": OPENAI}
    lines = "\n".join(json.dumps(event) for event in [*stream_events(), final])
    assert parse(lines.encode()) == parse(OPENAI)


def test_a_stream_cut_before_its_final_event_is_truncated_and_says_so():
    reading = parse(as_stream(*stream_events()))
    assert (reading.outcome, reading.text) == (Outcome.TRUNCATED, f"Oaks grow. {LINK}")
    assert shown(reading) == [LINK]
    assert "stream ended" in reading.warnings[0]


def test_a_stream_cut_before_any_text_is_empty():
    reading = parse(as_stream(*stream_events()[:1]))
    assert (reading.outcome, reading.reason) == (Outcome.ERROR, "empty")


def test_a_stream_that_only_brings_an_error_is_that_error():
    event = {"type": "error", "code": "rate_limit_exceeded", "message": "slow down"}
    assert parse(as_stream(event)).reason == "rate_limit"


def test_a_stream_of_another_make_is_refused():
    with pytest.raises(PayloadError, match="without response events"):
        parse(as_stream({"type": "ping"}))


def test_the_request_asks_for_sources_and_the_country_of_the_locale():
    request = ENGINES["openai"].request(PROMPT, EngineSettings())
    (tool,) = request.json["tools"]
    assert request.url == "https://api.openai.com/v1/responses"
    assert request.json["include"] == ["web_search_call.action.sources"]
    assert tool["user_location"] == {"type": "approximate", "country": "AT"}


def test_settings_move_country_model_options_and_address():
    settings = EngineSettings(
        model="m2",
        base_url="http://127.0.0.1:9/openai/v1/",
        country="CH",
        options={"search_context_size": "low", "allowed_domains": ["oak.example"]},
    )
    request = ENGINES["openai"].request(PROMPT, settings)
    (tool,) = request.json["tools"]
    assert (request.url, request.json["model"]) == (
        "http://127.0.0.1:9/openai/v1/responses",
        "m2",
    )
    assert tool["user_location"]["country"] == "CH"
    assert tool["search_context_size"] == "low"
    assert tool["filters"] == {"allowed_domains": ["oak.example"]}


def test_a_base_url_without_path_keeps_the_vendors_prefix():
    request = ENGINES["openai"].request(PROMPT, EngineSettings(base_url="http://127.0.0.1:9"))
    assert request.url == "http://127.0.0.1:9/v1/responses"


def test_an_unknown_option_names_the_nearest_known_one():
    settings = EngineSettings(options={"search_context": "low"})
    with pytest.raises(ConfigError, match="did you mean 'search_context_size'"):
        ENGINES["openai"].request(PROMPT, settings)
