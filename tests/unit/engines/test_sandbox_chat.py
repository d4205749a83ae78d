"""The sandbox chat's captures as the browser driver writes them; every payload is synthetic."""

from typing import Any

import pytest

from monitor.domain.engine import EngineSettings, Exchange, Outcome, Retrieval, Role, SpanKind
from monitor.domain.keys import canonical_json
from monitor.domain.panel import Prompt
from monitor.domain.turn import Form
from monitor.engines.sandbox_chat import ENGINE, parse, recognise, request
from monitor.errors import PayloadError

PROMPT = Prompt(id="p", text="Is it fictional?", locale="en-GB")
FIRST, SECOND = "🚲 In short: yes.", "It was invented for a test."
TEXT = f"{FIRST} {SECOND}"
A, B, C = "https://a.example/1", "https://b.example/2", "https://c.example/3"


def pill(url: str, *, hidden: bool = False) -> str:
    mark = ' data-monitor-hidden=""' if hidden else ""
    return f'<a class="pill" data-citation="inline" href="{url}" title="T"{mark}>label</a>'


def page(first: str = "", second: str = "", *, asked: str = PROMPT.text, end: str = "") -> str:
    copy = end or '<button data-testid="copy">Copy</button>'
    return (
        '<body data-monitor-asked=""><main data-testid="scroller"><div data-testid="turns">'
        f'<section data-role="user" data-turn-id="turn-1-user">{asked}</section>'
        '<section data-role="assistant" data-turn-id="turn-1">'
        '<p data-testid="searched">fictional · tests</p>'
        f'<div data-testid="answer">{FIRST}{first} {SECOND}{second}</div>{copy}</section>'
        "</div></main></body>"
    )


def sources(*urls: str) -> dict[str, Any]:
    rows = "".join(f'<li><a data-citation="panel" href="{one}">T</a></li>' for one in urls)
    html = f'<aside data-monitor-asked="" data-testid="sources-panel"><ol>{rows}</ol></aside>'
    return {"name": "sources", "html": html, "anchor": None}


def capture(html: str, /, *panels: dict[str, Any], **fields: Any) -> list[Exchange]:
    payload = {
        "contract": "browser-capture-2",
        "surface": "sandbox_chat",
        "state": "complete",
        "prompt": PROMPT.text,
        "user_turn": PROMPT.text,
        "turn_id": "turn-1",
        "url": "https://chat.sandbox.example/",
        "html": html,
        "searched": ["fictional · tests"],
        "panels": list(panels),
    }
    return [Exchange(canonical_json(payload | fields), 200)]


def test_request_opens_the_chat_page_and_sends_nothing():
    asked = request(PROMPT, EngineSettings(base_url="http://127.0.0.1:9/chat"))
    assert (asked.method, asked.url, asked.json) == ("GET", "http://127.0.0.1:9/chat/", None)
    assert request(PROMPT, EngineSettings()).url == "https://chat.sandbox.example/"


def test_visible_pill_is_displayed_with_the_sentence_before_it():
    # "🚲 In short: yes." is 17 code points; its last sentence part "yes." starts after "short: ".
    reading = parse(capture(page(pill(A), pill(B))))
    first, second = reading.citations
    assert reading.text == TEXT
    assert (first.role, first.marks) == (Role.DISPLAYED, 1)
    assert TEXT[first.spans[0].start : first.spans[0].end] == "yes."
    assert TEXT[second.spans[0].start : second.spans[0].end] == SECOND
    assert second.spans[0].kind is SpanKind.CLAIM


def test_two_pills_of_one_url_are_one_citation_with_two_marks():
    (citation,) = parse(capture(page(pill(A), pill(A)))).citations
    assert (citation.marks, len(citation.spans)) == (2, 2)


def test_source_only_in_the_panel_is_listed_and_comes_last():
    reading = parse(capture(page(pill(A)), sources(B, A)))
    assert [(c.url, c.role) for c in reading.citations] == [
        (A, Role.DISPLAYED),
        (B, Role.LISTED),
    ]
    assert reading.citations[1].spans == ()
    assert reading.citations[1].marks == 0


def test_hidden_pill_is_left_out_with_a_warning():
    reading = parse(capture(page(pill(A), pill(C, hidden=True))))
    assert [c.url for c in reading.citations] == [A]
    assert reading.warnings == ("1 citation(s) in the document are not shown and not counted",)


def test_hidden_pill_that_the_panel_shows_is_listed():
    (citation,) = parse(capture(page(pill(C, hidden=True)), sources(C))).citations
    assert citation.role is Role.LISTED


def test_queries_are_what_the_page_showed():
    reading = parse(capture(page(pill(A))))
    assert reading.queries == ("fictional", "tests")
    assert reading.retrieval is Retrieval.USED


def test_answer_to_another_prompt_is_refused():
    reading = parse(capture(page(pill(A)), user_turn="What was asked before?"))
    assert reading.outcome is Outcome.LAYOUT_UNKNOWN
    assert "not the prompt that was filled in" in reading.warnings[0]


@pytest.mark.parametrize(
    ("state", "reason", "outcome"),
    [
        ("timeout", None, Outcome.TIMEOUT),
        ("layout_unknown", None, Outcome.LAYOUT_UNKNOWN),
        ("login_required", None, Outcome.LOGIN_REQUIRED),
        ("consent_required", None, Outcome.CONSENT_REQUIRED),
        ("blocked", "captcha", Outcome.BLOCKED),
        ("error", "network", Outcome.ERROR),
    ],
)
def test_state_of_the_driver_becomes_the_outcome(state: str, reason: Any, outcome: Outcome):
    reading = parse(capture("", state=state, reason=reason, html=None, detail="seen"))
    assert (reading.outcome, reading.reason, reading.warnings) == (outcome, reason, ("seen",))


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"contract": "browser-capture-1"}, "$.contract"),
        ({"state": "done"}, "$.state"),
        ({"html": None}, "$.html"),
        ({"turn_id": "turn-9"}, "$.turn_id"),
        ({"panels": [{"name": "sources"}]}, "$.panels[0].html"),
    ],
)
def test_unknown_shape_is_an_error_with_its_path(fields: dict[str, Any], path: str):
    with pytest.raises(PayloadError) as caught:
        parse(capture(page(pill(A)), **fields))
    assert caught.value.path == path


def test_no_exchange_is_an_error():
    with pytest.raises(PayloadError):
        parse([])


def test_engine_needs_a_browser_and_no_key():
    assert (ENGINE.name, ENGINE.auth, ENGINE.surface.value) == ("sandbox_chat", None, "browser")


def test_page_of_the_chat_saved_by_hand_is_recognised():
    assert recognise(page().encode()) is Form.DOM
    assert recognise(b"<html><body>another page</body></html>") is None
