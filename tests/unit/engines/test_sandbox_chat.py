"""The sandbox chat's captures as the browser driver writes them; every payload is synthetic."""

from typing import Any

import pytest

from monitor.domain.engine import EngineSettings, Exchange, Outcome, Retrieval, Role, SpanKind
from monitor.domain.keys import canonical_json
from monitor.domain.panel import Prompt
from monitor.engines.sandbox_chat import ENGINE, parse, request
from monitor.errors import PayloadError

PROMPT = Prompt(id="p", text="Is it fictional?", locale="en-GB")
TEXT = "🚲 In short: yes. It was invented for a test."
A, B, C = "https://a.example/1", "https://b.example/2", "https://c.example/3"


def mark(url: str, **fields: Any) -> dict[str, Any]:
    inline = {"visible": True, "placement": "inline", "text_before": len(TEXT)}
    return {"url": url, "title": "T", **inline, **fields}


def panel(url: str, **fields: Any) -> dict[str, Any]:
    return mark(url, placement="panel", text_before=None, **fields)


def capture(*marks: dict[str, Any], **fields: Any) -> list[Exchange]:
    pills = sum(m["placement"] == "inline" for m in marks)
    payload = {
        "contract": "browser-capture-1",
        "state": "complete",
        "url": "https://chat.sandbox.example/",
        "title": "Sandbox chat",
        "prompt": PROMPT.text,
        "user_turn": PROMPT.text,
        "turn_id": "turn-1",
        "text": TEXT,
        "searched": ["fictional"],
        "model": None,
        "turn_html": '<a class="pill" data-citation="inline" href="#">x</a>' * pills,
        "sources_html": "<aside></aside>",
        "visible_citations": list(marks),
    }
    return [Exchange(canonical_json(payload | fields), 200)]


def test_request_opens_the_chat_page_and_sends_nothing():
    asked = request(PROMPT, EngineSettings(base_url="http://127.0.0.1:9/chat"))
    assert (asked.method, asked.url, asked.json) == ("GET", "http://127.0.0.1:9/chat/", None)
    assert request(PROMPT, EngineSettings()).url == "https://chat.sandbox.example/"


def test_visible_pill_is_displayed_with_the_sentence_before_it():
    # "🚲 In short: yes." is 17 code points; its last sentence part "yes." starts after "short: ".
    reading = parse(capture(mark(A, text_before=17), mark(B)))
    first, second = reading.citations
    assert (first.role, first.marks) == (Role.DISPLAYED, 1)
    assert TEXT[first.spans[0].start : first.spans[0].end] == "yes."
    assert TEXT[second.spans[0].start : second.spans[0].end] == "It was invented for a test."
    assert second.spans[0].kind is SpanKind.CLAIM


def test_two_pills_of_one_url_are_one_citation_with_two_marks():
    (citation,) = parse(capture(mark(A, text_before=17), mark(A))).citations
    assert (citation.marks, len(citation.spans)) == (2, 2)


def test_source_only_in_the_panel_is_listed_and_comes_last():
    reading = parse(capture(mark(A), panel(B), panel(A)))
    assert [(c.url, c.role) for c in reading.citations] == [
        (A, Role.DISPLAYED),
        (B, Role.LISTED),
    ]
    assert reading.citations[1].spans == ()
    assert reading.citations[1].marks == 0


def test_hidden_pill_is_left_out_with_a_warning():
    reading = parse(capture(mark(A), mark(C, visible=False)))
    assert [c.url for c in reading.citations] == [A]
    assert reading.warnings == ("1 citation(s) in the DOM are not shown and not counted",)


def test_hidden_pill_that_the_panel_shows_is_listed():
    (citation,) = parse(capture(mark(C, visible=False), panel(C))).citations
    assert citation.role is Role.LISTED


@pytest.mark.parametrize("before", [None, -1, 0, 9_999, True, "5"])
def test_pill_at_no_known_place_has_no_span_and_says_so(before: object):
    reading = parse(capture(mark(A, text_before=before)))
    assert reading.citations[0].role is Role.DISPLAYED
    assert reading.citations[0].spans == ()
    assert "1 pill(s) stand at no known place of the text" in reading.warnings


def test_pills_that_the_driver_did_not_report_are_a_warning():
    reading = parse(capture(mark(A), turn_html='<a data-citation="inline"></a>' * 3))
    assert "3 pill(s) in turn_html, 1 reported" in reading.warnings


def test_retrieval_is_unknown_where_the_page_does_not_tell():
    assert parse(capture(mark(A))).retrieval is Retrieval.USED
    assert parse(capture(mark(A), searched=None)).retrieval is Retrieval.UNKNOWN


def test_answer_to_another_prompt_is_refused():
    reading = parse(capture(mark(A), user_turn="What was asked before?"))
    assert reading.outcome is Outcome.LAYOUT_UNKNOWN
    assert "not the prompt that was filled in" in reading.warnings[0]


def test_finished_answer_without_text_is_empty():
    reading = parse(capture(text=" \n"))
    assert (reading.outcome, reading.reason) == (Outcome.ERROR, "empty")


@pytest.mark.parametrize(
    ("state", "outcome", "reason"),
    [
        ("timeout", Outcome.TIMEOUT, None),
        ("layout_unknown", Outcome.LAYOUT_UNKNOWN, None),
        ("login_required", Outcome.LOGIN_REQUIRED, None),
        ("consent_required", Outcome.CONSENT_REQUIRED, None),
        ("captcha", Outcome.BLOCKED, "captcha"),
    ],
)
def test_state_of_the_driver_becomes_the_outcome(state: str, outcome: Outcome, reason: str | None):
    reading = parse(capture(state=state, text="", turn_html=None))
    assert (reading.outcome, reading.reason) == (outcome, reason)


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"contract": "browser-capture-9"}, "$.contract"),
        ({"state": "done"}, "$.state"),
        ({"text": None}, "$.text"),
        ({"visible_citations": {}}, "$.visible_citations"),
        ({"visible_citations": [{"url": 5}]}, "$.visible_citations[0].url"),
        ({"visible_citations": [mark(A, visible="yes")]}, "$.visible_citations[0].visible"),
        ({"visible_citations": [mark(A, placement="x")]}, "$.visible_citations[0].placement"),
    ],
)
def test_unknown_shape_is_an_error_with_its_path(fields: dict[str, Any], path: str):
    with pytest.raises(PayloadError) as caught:
        parse(capture(**fields))
    assert caught.value.path == path


def test_no_exchange_is_an_error():
    with pytest.raises(PayloadError):
        parse([])


def test_engine_needs_a_browser_and_no_key():
    assert (ENGINE.name, ENGINE.auth, ENGINE.surface.value) == ("sandbox_chat", None, "browser")
