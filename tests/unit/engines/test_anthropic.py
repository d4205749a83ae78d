"""Anthropic: blocks as claims, searches as retrieval, paused turns as one answer."""

from dataclasses import replace

import pytest

from monitor.domain.engine import EngineSettings, Outcome, Retrieval, Role, Usage
from monitor.engines import anthropic
from monitor.errors import PayloadError
from tests.unit.engines.payloads_b import (
    CLAUDE,
    CLAUDE_EVENTS,
    OTHER,
    PROMPT,
    exchange,
    found,
    message,
    said,
    searched,
    stream,
)

PAUSED = message(
    searched("tower"), found("towers"), said("So far: "), searched("more"), stop="pause_turn"
)
RESUMED = message(found("heights"), said("42 m", "towers", "heights"), said(" high."))


def parse(*values, status=200):
    return anthropic.parse([exchange(value, status) for value in values])


def words_at(reading):
    return [(c.title, reading.text[s.start : s.end]) for c in reading.citations for s in c.spans]


def error(kind, words="m"):
    return {"type": "error", "error": {"type": kind, "message": words}}


def test_answer_is_the_text_after_the_search_joined_without_separator():
    reading = parse(CLAUDE)
    assert reading.text == "The 🗼 was built in 1851 and is 42 m high."
    assert reading.outcome is Outcome.ANSWERED


def test_the_cited_block_is_the_claim_in_code_points():
    assert words_at(parse(CLAUDE)) == [
        ("towers", "built in 1851"), ("towers", "42 m high"), ("heights", "42 m high"),
    ]  # fmt: skip


def test_every_citation_is_a_mark_and_order_is_that_of_first_mark():
    reading = parse(CLAUDE)
    assert [(c.title, c.role, c.marks) for c in reading.citations] == [
        ("towers", Role.DISPLAYED, 3), ("heights", Role.DISPLAYED, 1),
    ]  # fmt: skip
    assert reading.citations[0].snippet == "towers says so"


def test_results_are_retrieved_once_each_and_counts_are_summed():
    reading = parse(CLAUDE)
    assert [page.title for page in reading.retrieved] == ["towers", "heights"]
    assert (reading.queries, reading.retrieval) == (("tower age",), Retrieval.USED)
    assert reading.usage == Usage(15, 7, 2, 1)


def test_a_finished_message_without_a_search_did_not_search():
    reading = parse(message(said("Which tower?")) | {"usage": {"input_tokens": 1}})
    assert (reading.outcome, reading.retrieval) == (Outcome.ANSWERED, Retrieval.NOT_USED)


def test_cited_text_before_the_last_search_is_kept():
    reading = parse(message(found("a"), said("Old", "a"), said("let me see"), found(), said(".")))
    assert reading.text == "Old."


def test_an_empty_result_list_is_a_search_that_found_nothing():
    reading = parse(message(searched("x"), found(), said("Nothing found.")))
    assert (reading.retrieved, reading.retrieval) == ((), Retrieval.USED)


def test_a_failed_search_inside_an_answer_is_a_warning():
    failed = {
        "type": "web_search_tool_result",
        "content": {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"},
    }
    reading = parse(message(failed, said("From memory: old.")))
    assert (reading.outcome, reading.warnings) == (
        Outcome.ANSWERED,
        ("a search failed: max_uses_exceeded",),
    )


@pytest.mark.parametrize(
    ("stop", "text", "expected"),
    [
        ("end_turn", "Old.", (Outcome.ANSWERED, None)),
        ("stop_sequence", "Old.", (Outcome.ANSWERED, None)),
        ("max_tokens", "Old", (Outcome.TRUNCATED, None)),
        ("max_tokens", "", (Outcome.ERROR, "empty")),
        ("end_turn", " ", (Outcome.ERROR, "empty")),
        ("pause_turn", "So far", (Outcome.TRUNCATED, None)),
        ("refusal", "", (Outcome.NO_ANSWER, "declined")),
        ("new_reason", "Old", (Outcome.TRUNCATED, None)),
        (None, "Old", (Outcome.TRUNCATED, None)),
    ],
)
def test_the_stop_reason_decides_the_outcome(stop, text, expected):
    reading = parse(message(said(text), stop=stop))
    assert (reading.outcome, reading.reason) == expected


@pytest.mark.parametrize(
    ("body", "status", "expected"),
    [
        (error("authentication_error"), 401, (Outcome.ERROR, "auth")),
        (error("permission_error"), None, (Outcome.ERROR, "auth")),
        (error("rate_limit_error"), 429, (Outcome.BLOCKED, "rate_limit")),
        (error("overloaded_error"), 529, (Outcome.ERROR, "server")),
        (error("invalid_request_error"), 400, (Outcome.ERROR, "request")),
        (
            error("invalid_request_error", "Your credit balance is too low"),
            400,
            (Outcome.ERROR, "quota"),
        ),
        (error("unheard_of"), 413, (Outcome.ERROR, "request")),
    ],
)
def test_the_body_decides_what_an_error_is(body, status, expected):
    reading = parse(body, status=status)
    assert (reading.outcome, reading.reason) == expected


def test_a_stream_reads_like_a_message():
    reading = anthropic.parse([stream(CLAUDE_EVENTS)])
    assert (reading.outcome, reading.text) == (Outcome.ANSWERED, "Built 1851.")
    assert words_at(reading) == [("towers", "Built 1851.")]
    assert (reading.queries, reading.usage) == (("tower age",), Usage(3, 4, None, None))


def test_a_stream_that_broke_off_is_truncated():
    assert anthropic.parse([stream(CLAUDE_EVENTS[:-2])]).outcome is Outcome.TRUNCATED


def test_an_error_event_in_a_stream_is_the_outcome():
    reading = anthropic.parse([stream([*CLAUDE_EVENTS[:3], error("overloaded_error")])])
    assert (reading.outcome, reading.reason) == (Outcome.ERROR, "server")


def test_paused_turns_are_one_answer_with_the_results_of_both():
    reading = parse(PAUSED, RESUMED)
    assert (reading.outcome, reading.text) == (Outcome.ANSWERED, "42 m high.")
    assert [page.title for page in reading.retrieved] == ["towers", "heights"]
    assert reading.usage.searches == 2


def test_a_continuation_alone_is_read():
    assert [c.title for c in parse(RESUMED).citations] == ["towers", "heights"]


def test_a_turn_still_paused_at_the_end_is_truncated():
    paused = message(found("towers"), said("So far: old."), stop="pause_turn")
    assert parse(paused).outcome is Outcome.TRUNCATED


def test_a_pause_with_no_words_but_announcements_is_truncated_and_silent():
    reading = parse(PAUSED)
    assert (reading.outcome, reading.text) == (Outcome.TRUNCATED, "")


def test_a_failed_continuation_leaves_a_truncated_answer():
    paused = message(found("towers"), said("So far: old."), stop="pause_turn")
    reading = parse(paused, error("overloaded_error"))
    assert reading.outcome is Outcome.TRUNCATED
    assert any("continuation failed: error/server" in warning for warning in reading.warnings)


def test_a_failed_continuation_of_no_words_is_the_failure():
    paused = message(said("Let me search."), found("towers"), stop="pause_turn")
    reading = parse(paused, error("rate_limit_error"))
    assert (reading.outcome, reading.reason) == (Outcome.BLOCKED, "rate_limit")


def test_a_retried_failure_does_not_count():
    assert parse(error("overloaded_error"), CLAUDE).text == parse(CLAUDE).text


def test_follow_up_appends_what_was_said_unchanged_and_forces_nothing():
    settings = EngineSettings(options={"force_search": True})
    asked = anthropic.follow_up(PROMPT, settings, [exchange(PAUSED)])
    assert asked.json["messages"][1] == {"role": "assistant", "content": PAUSED["content"]}
    assert "tool_choice" not in asked.json
    assert "tool_choice" in anthropic.request(PROMPT, settings).json


def test_follow_up_of_a_second_pause_says_everything_so_far():
    asked = anthropic.follow_up(PROMPT, EngineSettings(), [exchange(PAUSED), exchange(PAUSED)])
    assert asked.json["messages"][1]["content"] == PAUSED["content"] * 2


@pytest.mark.parametrize("exchanges", [[], [CLAUDE], [PAUSED] * 4, [PAUSED, error("api_error")]])
def test_nothing_is_continued_that_ended_failed_or_took_too_many_calls(exchanges):
    sent = [exchange(value) for value in exchanges]
    assert anthropic.follow_up(PROMPT, EngineSettings(), sent) is None


def test_request_says_where_it_asks_from():
    settings = EngineSettings(options={"city": "Leeds"}, base_url="http://127.0.0.1:9")
    asked = anthropic.request(PROMPT, settings)
    assert asked.url == "http://127.0.0.1:9/v1/messages"
    assert asked.json["tools"][0]["user_location"] == {
        "type": "approximate",
        "city": "Leeds",
        "country": "GB",
    }
    assert asked.headers == (("anthropic-version", "2023-06-01"),)


def test_request_without_a_country_says_no_place():
    assert "user_location" not in anthropic.request(OTHER, EngineSettings()).json["tools"][0]


def test_both_models_are_told():
    asked = anthropic.request(PROMPT, EngineSettings("claude-test"))
    reading = anthropic.parse([replace(exchange(CLAUDE), request=asked)])
    assert (reading.requested_model, reading.served_model) == ("claude-test", "claude-test-1")


def test_unknown_blocks_are_left_out_with_a_warning():
    reading = parse(message(said("Old."), {"type": "hologram"}))
    assert reading.warnings == ("content of type 'hologram' left out",)


def test_a_drifted_shape_names_path_and_keys():
    with pytest.raises(PayloadError, match=r"\$\.content: no such key.*'output'"):
        parse({"type": "message", "output": []})


def test_an_empty_502_takes_the_outcome_of_its_status():
    reading = anthropic.parse([replace(exchange({}), body=b"", status=502)])
    assert (reading.outcome, reading.reason) == (Outcome.ERROR, "server")
