"""Google's two answers through DataForSEO: Markdown, markers, tray, and task codes."""

import pytest

from monitor.domain.engine import Cost, EngineSettings, Outcome, Role, SpanKind
from monitor.domain.panel import Prompt
from monitor.engines import google_ai_mode_dataforseo as mode
from monitor.engines import google_ai_overview_dataforseo as aio
from monitor.errors import ConfigError, PayloadError
from tests.unit.engines.payloads_b import (
    ANSWER,
    OTHER,
    PROMPT,
    chip,
    envelope,
    exchange,
    numbered,
    tray,
)


def parse(value, status=200):
    return aio.parse([exchange(value, status)])


def answered(**changes):
    return parse(envelope(ANSWER | changes))


def by_role(reading, role):
    return [c.url.split("//")[1].split(".")[0] for c in reading.citations if c.role is role]


def test_text_is_the_markdown_once_without_pictures():
    text = answered().text
    assert text.startswith("Der **Turm** 🗼 ist alt.[](https://towers.example/) [[1]]")
    assert text.endswith("0:55[A film\nFilms](https://film.example/watch?v=1)")
    assert text.count("Turm") == 1


def test_markers_and_chips_are_displayed_and_brackets_in_urls_survive():
    reading = answered()
    assert [(c.url, c.marks) for c in reading.displayed] == [
        ("https://towers.example/", 2), ("https://heights_(uk).example/", 1),
    ]  # fmt: skip


def test_a_marker_is_its_own_span_in_code_points():
    reading = answered()
    spans = reading.displayed[0].spans
    assert [reading.text[s.start : s.end] for s in spans] == [chip("towers"), numbered(1, "towers")]
    # "Der **Turm** 🗼 ist alt." has 23 code points.
    assert (spans[0].start, spans[0].kind) == (23, SpanKind.MARKER)


def test_links_with_words_and_cards_are_links_placed_by_their_line():
    reading = answered()
    assert by_role(reading, Role.LINK) == ["office", "film", "film"]
    office = next(c for c in reading.citations if "office" in c.url)
    (span,) = office.spans
    assert reading.text[span.start : span.end] == "- Ask [the office](https://office.example/)"
    assert span.kind is SpanKind.BLOCK


def test_a_linked_picture_is_a_link_and_no_source_chip():
    text = f"Old. [![thumb](https://img.example/1)](https://shop.example/) {chip('towers')}"
    reading = answered(markdown=text, items=None, references=None)
    assert reading.text == f"Old. {chip('towers')}"
    assert [by_role(reading, role) for role in (Role.DISPLAYED, Role.LINK)] == [
        ["towers"],
        ["shop"],
    ]


def test_references_without_a_marker_are_listed_last():
    reading = answered()
    assert by_role(reading, Role.LISTED) == ["viewer", "quiet"]
    assert [c.marks for c in reading.citations[-2:]] == [0, 0]


def test_titles_and_excerpts_come_from_the_references():
    first = answered().citations[0]
    assert (first.title, first.snippet) == ("towers", "towers excerpt")


def test_money_is_reported_in_millionths():
    assert answered().cost == Cost(2000, "USD", "reported")


def test_without_the_whole_markdown_the_elements_are_joined():
    elements = [
        {"type": "ai_overview_element", "title": "Age", "markdown": f"Old. {chip('towers')}"},
        {"type": "ai_overview_video_element", "title": "Film", "url": "https://film.example/"},
        {
            "type": "ai_overview_expanded_element",
            "text": "More",
            "components": [{"markdown": "- inner"}],
        },
    ]
    reading = answered(markdown=None, items=elements, references=None)
    assert reading.text == f"## Age\n\nOld. {chip('towers')}\n\nMore\n\n- inner"
    assert by_role(reading, Role.DISPLAYED) == ["towers"]


def test_a_page_without_an_overview_is_absent():
    reading = parse(envelope({"type": "organic"}))
    assert (reading.outcome, reading.reason) == (Outcome.NO_ANSWER, "absent")


def test_a_late_overview_that_was_not_loaded_was_not_heard():
    reading = answered(asynchronous_ai_overview=True, markdown=None, items=None, references=None)
    assert (reading.outcome, reading.reason) == (Outcome.ERROR, "empty")


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        (40100, (Outcome.ERROR, "auth")),
        (40104, (Outcome.ERROR, "auth")),
        (40200, (Outcome.ERROR, "quota")),
        (40210, (Outcome.ERROR, "quota")),
        (40202, (Outcome.BLOCKED, "rate_limit")),
        (40209, (Outcome.BLOCKED, "rate_limit")),
        (40501, (Outcome.ERROR, "request")),
        (40102, (Outcome.NO_ANSWER, "absent")),
        (40101, (Outcome.ERROR, "server")),
        (40602, (Outcome.ERROR, "empty")),
        (50000, (Outcome.ERROR, "server")),
        (50401, (Outcome.TIMEOUT, None)),
    ],
)
def test_the_code_of_the_task_decides_inside_a_200(code, expected):
    reading = parse(envelope(code=code))
    assert (reading.outcome, reading.reason) == expected
    assert reading.warnings == (f"{code} It failed.",)


def test_a_wrong_login_is_an_envelope_without_tasks():
    reading = parse(
        {"status_code": 40100, "status_message": "You are not authorized.", "tasks": None}, 401
    )
    assert (reading.outcome, reading.reason) == (Outcome.ERROR, "auth")


def test_ai_mode_uses_the_same_item_and_says_when_the_page_is_another():
    assert mode.parse([exchange(envelope(ANSWER, kind="ai_mode"))]).warnings == ()
    assert mode.parse([exchange(envelope(ANSWER))]).warnings == ("a page of type 'organic'",)


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"tasks": []}, "status_code"),
        ({"status_code": 20000, "tasks": []}, "tasks"),
        (envelope({"type": "ai_overview", "references": tray("towers")}), "items"),
    ],
)
def test_a_drifted_shape_is_never_an_empty_answer(body, path):
    with pytest.raises(PayloadError, match=path):
        parse(body)


def test_request_names_the_place_by_number_and_loads_late_overviews():
    asked = aio.request(PROMPT, EngineSettings(base_url="http://127.0.0.1:9"))
    assert asked.url == "http://127.0.0.1:9/v3/serp/google/organic/live/advanced"
    assert asked.json == [
        {"keyword": PROMPT.text, "location_code": 2826, "language_code": "en", "device": "desktop",
         "load_async_ai_overview": True, "expand_ai_overview": True}
    ]  # fmt: skip


def test_request_takes_a_named_place_before_the_locale():
    settings = EngineSettings(options={"location_name": "Leeds,England,United Kingdom"})
    (task,) = mode.request(Prompt("p", "q", "zh-TW"), settings).json
    assert task == {
        "keyword": "q",
        "location_name": "Leeds,England,United Kingdom",
        "language_code": "zh-TW",
        "device": "desktop",
    }


def test_request_without_any_place_says_what_to_do():
    with pytest.raises(ConfigError, match="location_name"):
        aio.request(OTHER, EngineSettings())
