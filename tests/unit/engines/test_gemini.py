"""Gemini: byte offsets, chunks and supports, both APIs, and what its errors mean."""

from dataclasses import replace

import pytest

from monitor.domain.engine import (
    EngineSettings,
    Outcome,
    Request,
    Retrieval,
    Role,
    Span,
    SpanKind,
    Usage,
)
from monitor.engines import gemini
from monitor.errors import ConfigError, PayloadError
from tests.unit.engines.payloads_b import (
    GEMINI_TEXT,
    INTERACTION,
    INTERACTION_EVENTS,
    PROMPT,
    exchange,
    json_lines,
    segment,
    stream,
)
from tests.unit.engines.payloads_b import gemini as payload


def parse(value, status=200):
    return gemini.parse([exchange(value, status)])


def grounded(*supports):
    chunks = [{"web": {"uri": "https://redirect.example/a", "title": "towers.example"}}]
    return payload(
        groundingMetadata={"groundingChunks": chunks, "groundingSupports": list(supports)}
    )


def support(start, end, words, **more):
    return {
        "segment": {"startIndex": start, "endIndex": end, "text": words, **more},
        "groundingChunkIndices": [0],
    }


def words_at(reading):
    return [reading.text[s.start : s.end] for c in reading.citations for s in c.spans]


def failure(code, status, details=(), message="m"):
    return {"error": {"code": code, "message": message, "status": status, "details": list(details)}}


def test_answer_is_the_visible_text_without_thoughts_and_tools():
    reading = parse(payload())
    assert (reading.outcome, reading.text) == (Outcome.ANSWERED, GEMINI_TEXT)


def test_bytes_become_code_points_after_umlauts_and_an_astral_tower():
    # "Ünïted 🗼 lights: built 1851." has 28 code points (33 bytes), a space follows: 29 to 45.
    reading = parse(payload())
    assert sorted(words_at(reading)) == [
        "It is 42 m high.", "It is 42 m high.", "Ünïted 🗼 lights: built 1851.",
    ]  # fmt: skip
    assert Span(29, 45, SpanKind.CLAIM) in reading.citations[0].spans


def test_citations_come_in_the_order_of_the_supports_with_their_marks():
    reading = parse(payload())
    assert [(c.url[-1], c.role, c.marks) for c in reading.citations] == [
        ("b", Role.DISPLAYED, 1), ("a", Role.DISPLAYED, 2),
    ]  # fmt: skip
    assert reading.citations[1].title == "towers.example"


def test_chunk_without_support_is_retrieved_and_no_citation():
    reading = parse(payload())
    assert [page.url[-1] for page in reading.retrieved] == ["a", "b", "c"]
    assert "https://redirect.example/c" not in [c.url for c in reading.citations]


def test_queries_drop_empty_strings_and_add_those_of_search_calls():
    reading = parse(payload())
    assert reading.queries == ("exampleton lighthouse", "tower age")
    assert reading.retrieval is Retrieval.USED


def test_usage_and_both_models_are_read():
    request = Request("POST", "https://host.example/v1beta/models/gemini-test:generateContent", {})
    reading = gemini.parse([replace(exchange(payload()), request=request)])
    assert (reading.requested_model, reading.served_model) == ("gemini-test", "gemini-test-1")
    assert reading.usage == Usage(9, 20, 4, None)


def test_a_span_one_byte_late_is_anchored_by_its_words():
    right = segment("built 1851")
    late = support(right["startIndex"] + 1, right["endIndex"] + 1, "built 1851")
    assert words_at(parse(grounded(late))) == ["built 1851"]


def test_a_span_inside_a_character_is_anchored_by_its_words():
    assert words_at(parse(grounded(support(1, 9, "Ünïted")))) == ["Ünïted"]


def test_words_that_stand_nowhere_lose_their_span_but_not_their_mark():
    reading = parse(grounded(support(3, 9, "moonbeam")))
    assert (reading.citations[0].marks, reading.citations[0].spans) == (1, ())
    assert "segment not found" in reading.warnings[0]


def test_of_repeated_words_the_nearest_place_is_taken():
    text = "old " * 5
    moved = payload(
        content={"parts": [{"text": text}]},
        groundingMetadata=grounded(support(9, 12, "old"))["candidates"][0]["groundingMetadata"],
    )
    assert parse(moved).citations[0].spans == (Span(8, 11, SpanKind.CLAIM),)


def test_part_index_counts_from_its_own_part():
    parts = [{"text": "Ä one. "}, {"text": "hm", "thought": True}, {"text": "Ä one. "}]
    stated = support(0, 7, "Ä one.", partIndex=2)
    changed = payload(
        content={"parts": parts},
        groundingMetadata=grounded(stated)["candidates"][0]["groundingMetadata"],
    )
    # The second copy begins after 7 code points, although it is byte 0 of its part.
    assert parse(changed).citations[0].spans == (Span(7, 13, SpanKind.CLAIM),)


def test_offsets_without_part_index_may_mean_the_joined_text():
    parts = [{"text": "hm", "thought": True}, {"text": "One. "}, {"text": "Two."}]
    changed = payload(
        content={"parts": parts},
        groundingMetadata=grounded(support(5, 9, "Two."))["candidates"][0]["groundingMetadata"],
    )
    assert words_at(parse(changed)) == ["Two."]


def test_a_nul_counts_one_byte_and_shows_as_a_replacement():
    changed = payload(
        content={"parts": [{"text": "a\x00b claim"}]},
        groundingMetadata=grounded(support(4, 9, "claim"))["candidates"][0]["groundingMetadata"],
    )
    reading = parse(changed)
    assert reading.text == "a\ufffdb claim"
    assert words_at(reading) == ["claim"]


def test_support_that_points_at_no_chunk_is_warned_of():
    reading = parse(grounded({"segment": segment("built 1851"), "groundingChunkIndices": [4]}))
    assert (reading.citations, reading.outcome) == ((), Outcome.ANSWERED)
    assert "names no page" in reading.warnings[0]


def test_chunk_without_a_url_is_warned_of():
    lost = payload(groundingMetadata={"groundingChunks": [{"web": {"title": "towers.example"}}]})
    assert "without a URL" in parse(lost).warnings[0]


def test_answer_without_grounding_has_unknown_retrieval():
    reading = parse(payload(groundingMetadata={}, content={"parts": [{"text": "Old."}]}))
    assert (reading.outcome, reading.citations) == (Outcome.ANSWERED, ())
    assert reading.retrieval is Retrieval.UNKNOWN


def test_searched_without_chunks_is_still_a_search():
    reading = parse(payload(groundingMetadata={"searchEntryPoint": {"renderedContent": "x"}}))
    assert reading.retrieval is Retrieval.USED


@pytest.mark.parametrize(
    "reason", ["SAFETY", "RECITATION", "PROHIBITED_CONTENT", "SPII", "BLOCKLIST"]
)
def test_a_policy_finish_is_declined(reason):
    reading = parse(payload(finishReason=reason, content={}))
    assert (reading.outcome, reading.reason) == (Outcome.NO_ANSWER, "declined")


def test_a_blocked_prompt_is_declined():
    reading = parse({"promptFeedback": {"blockReason": "SAFETY"}, "modelVersion": "m"})
    assert (reading.outcome, reading.reason, reading.served_model) == (
        Outcome.NO_ANSWER,
        "declined",
        "m",
    )


@pytest.mark.parametrize(
    ("finish", "text", "expected"),
    [
        ("MAX_TOKENS", "The tower is", (Outcome.TRUNCATED, None)),
        ("MAX_TOKENS", "", (Outcome.ERROR, "empty")),
        ("STOP", "", (Outcome.ERROR, "empty")),
        ("OTHER", "The tower", (Outcome.TRUNCATED, None)),
        (None, "The tower", (Outcome.TRUNCATED, None)),
    ],
)
def test_the_finish_decides_between_whole_cut_and_empty(finish, text, expected):
    reading = parse(payload(finishReason=finish, content={"parts": [{"text": text}]}))
    assert (reading.outcome, reading.reason) == expected


@pytest.mark.parametrize(
    ("body", "status", "expected"),
    [
        (
            failure(400, "INVALID_ARGUMENT", [{"reason": "API_KEY_INVALID"}]),
            400,
            (Outcome.ERROR, "auth"),
        ),
        (failure(400, "INVALID_ARGUMENT"), 400, (Outcome.ERROR, "request")),
        (
            failure(
                400,
                "FAILED_PRECONDITION",
                message="User location is not supported for the API use.",
            ),
            400,
            (Outcome.BLOCKED, "geo"),
        ),
        (failure(403, "PERMISSION_DENIED"), 403, (Outcome.ERROR, "auth")),
        (
            failure(
                429,
                "RESOURCE_EXHAUSTED",
                [{"violations": [{"quotaId": "RequestsPerDayPerProject"}]}],
            ),
            429,
            (Outcome.ERROR, "quota"),
        ),
        (
            failure(429, "RESOURCE_EXHAUSTED", [{"violations": [{"quotaId": "TokensPerMinute"}]}]),
            429,
            (Outcome.BLOCKED, "rate_limit"),
        ),
        (failure(503, "UNAVAILABLE"), 503, (Outcome.ERROR, "server")),
        (failure(504, "DEADLINE_EXCEEDED"), None, (Outcome.TIMEOUT, None)),
        ([failure(500, "INTERNAL")], 500, (Outcome.ERROR, "server")),
    ],
)
def test_the_body_decides_what_an_error_is(body, status, expected):
    reading = parse(body, status)
    assert (reading.outcome, reading.reason) == expected


def test_a_stream_reads_like_the_whole_answer():
    words = [GEMINI_TEXT[:9], GEMINI_TEXT[9:]]
    events = [{"candidates": [{"content": {"parts": [{"text": w}]}}]} for w in words]
    last = payload(content={"parts": [{"text": ""}]})
    reading = gemini.parse([stream([*events, last])])
    assert reading.text == GEMINI_TEXT
    assert reading.citations == parse(payload()).citations


def test_a_stream_that_broke_off_is_truncated():
    reading = gemini.parse([stream([{"candidates": [{"content": {"parts": [{"text": "Old"}]}}]}])])
    assert reading.outcome is Outcome.TRUNCATED
    assert reading.warnings == ("ended without a finishReason",)


def test_a_drifted_shape_names_path_and_keys():
    with pytest.raises(PayloadError, match=r"\$\.candidates: no such key.*'answers'"):
        parse({"answers": []})


def test_interactions_answer_has_its_claims_and_queries():
    reading = parse(INTERACTION)
    assert (reading.outcome, reading.text) == (Outcome.ANSWERED, "Built 1851. High.")
    assert words_at(reading) == ["Built 1851.", "High."]
    assert (reading.queries, reading.retrieval) == (("tower age",), Retrieval.USED)
    assert reading.usage == Usage(5, 6, 7, None)


def test_interactions_without_a_search_step_did_not_search():
    reading = parse(INTERACTION | {"steps": INTERACTION["steps"][3:]})
    assert reading.retrieval is Retrieval.NOT_USED


@pytest.mark.parametrize("build", [stream, json_lines])
def test_interactions_stream_is_read_as_events_or_json_lines(build):
    reading = gemini.parse([build(INTERACTION_EVENTS)])
    assert (reading.outcome, reading.text) == (Outcome.ANSWERED, "Built 1851.")
    assert words_at(reading) == ["Built 1851."]
    assert (reading.queries, reading.served_model) == (("tower age",), "gemini-test-1")


def test_interactions_stream_without_its_end_is_truncated():
    assert gemini.parse([stream(INTERACTION_EVENTS[:-1])]).outcome is Outcome.TRUNCATED


@pytest.mark.parametrize(
    ("status", "expected"), [("incomplete", Outcome.TRUNCATED), ("failed", Outcome.ERROR)]
)
def test_interactions_status_decides_the_outcome(status, expected):
    assert parse(INTERACTION | {"status": status}).outcome is expected


def test_interactions_offsets_after_other_letters_are_read_as_bytes_and_said_so():
    part = {"type": "text", "text": "Ö: old.", "annotations": [
        {"type": "url_citation", "start_index": 4, "end_index": 8, "url": "https://a.example/"}]}  # fmt: skip
    reading = parse(INTERACTION | {"steps": [{"type": "model_output", "content": [part]}]})
    assert words_at(reading) == ["old."]
    assert "UTF-8 bytes" in reading.warnings[0]


def test_request_offers_search_and_names_no_key_and_no_country():
    asked = gemini.request(PROMPT, EngineSettings(base_url="http://127.0.0.1:9/"))
    assert asked.url == "http://127.0.0.1:9/v1beta/models/gemini-3.5-flash:generateContent"
    assert asked.json == {
        "contents": [{"role": "user", "parts": [{"text": PROMPT.text}]}],
        "tools": [{"googleSearch": {}}],
    }


def test_request_can_ask_the_interactions_api():
    asked = gemini.request(PROMPT, EngineSettings("m", options={"api": "interactions"}))
    assert asked.url.endswith("/v1beta/interactions")
    assert asked.json == {"model": "m", "input": PROMPT.text, "tools": [{"type": "google_search"}]}


def test_unknown_option_is_named_with_the_nearest():
    with pytest.raises(ConfigError, match="generation_config"):
        gemini.request(PROMPT, EngineSettings(options={"generation_confg": {}}))
