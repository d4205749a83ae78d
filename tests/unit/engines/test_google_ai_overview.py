"""AI Overview through SerpApi: the tree as text, its places, and the states of an overview."""

import pytest

from monitor.domain.engine import EngineSettings, Outcome, Retrieval, Role, Span, SpanKind
from monitor.domain.panel import Prompt
from monitor.engines import google_ai_overview as aio
from monitor.errors import PayloadError
from tests.unit.engines.payloads_b import OTHER, OVERVIEW, PROMPT, SEARCH, exchange, references

DEFERRED = SEARCH | {"ai_overview": {"page_token": "tok", "serpapi_link": "x"}}
SECOND = {
    "search_metadata": {"status": "Success"},
    "search_parameters": {"engine": "google_ai_overview"},
    "ai_overview": OVERVIEW,
}
TEXT = """Der Turm 🗼 ist alt.
## Height
- Tall: 42 m
- Lit
- since 1851
| Part | Age |
| --- | --- |
| Lamp | 12 |
|  | Old | New |
| --- | --- | --- |
| Colour | red | white |
More
See the harbour office.
```
print(1851)
```"""


def parse(*values, status=200):
    return aio.parse([exchange(value, status) for value in values])


def overview(blocks, count=5):
    return parse(SEARCH | {"ai_overview": {"text_blocks": blocks, "references": references(count)}})


def by_role(reading, role):
    return [c.url.split("//")[1][:6] for c in reading.citations if c.role is role]


def test_blocks_become_readable_lines():
    assert parse(SEARCH | {"ai_overview": OVERVIEW}).text == TEXT


def test_display_order_is_that_of_the_tree_with_a_lists_own_references_first():
    reading = parse(SEARCH | {"ai_overview": OVERVIEW})
    assert by_role(reading, Role.DISPLAYED) == ["page2.", "page0.", "page3.", "page1."]


def test_unindexed_references_are_listed_and_links_are_links():
    reading = parse(SEARCH | {"ai_overview": OVERVIEW})
    assert by_role(reading, Role.LISTED) == ["page4."]
    assert by_role(reading, Role.LINK) == ["office", "news.e"]
    assert reading.citations[-1].marks == 0


def test_the_block_is_the_place_in_code_points():
    reading = parse(SEARCH | {"ai_overview": OVERVIEW})
    second, first = reading.citations[:2]
    # "Der Turm 🗼 ist alt." has 19 code points; "Tall: 42 m" follows "## Height" and "- ".
    assert second.spans == (Span(0, 19, SpanKind.BLOCK),)
    assert [reading.text[s.start : s.end] for s in first.spans] == [
        "Der Turm 🗼 ist alt.",
        "Tall: 42 m",
    ]
    assert (second.marks, first.marks) == (1, 2)


def test_a_lists_reference_covers_all_its_entries():
    reading = parse(SEARCH | {"ai_overview": OVERVIEW})
    (span,) = reading.citations[2].spans
    assert reading.text[span.start : span.end] == "- Tall: 42 m\n- Lit\n- since 1851"


def test_titles_and_excerpts_come_from_the_references():
    first = parse(SEARCH | {"ai_overview": OVERVIEW}).citations[0]
    assert (first.title, first.snippet) == ("Page 2", "excerpt 2")


def test_a_nameless_chip_beside_an_index_is_not_counted_twice():
    block = {
        "type": "paragraph",
        "snippet": "Old.",
        "reference_indexes": [0],
        "snippet_links": [{"link": references(1)[0]["link"]}],
    }
    assert overview([block]).citations[0].marks == 1


def test_without_any_index_everything_is_only_listed():
    block = {
        "type": "paragraph",
        "snippet": "Old.",
        "snippet_links": [{"link": references(1)[0]["link"]}],
    }
    reading = overview([block], 2)
    assert (by_role(reading, Role.LISTED), reading.displayed) == (["page0.", "page1."], ())
    assert reading.citations[0].spans == (Span(0, 4, SpanKind.BLOCK),)


def test_an_index_that_points_nowhere_is_warned_of():
    reading = overview([{"type": "paragraph", "snippet": "Old.", "reference_indexes": [9]}], 1)
    assert "names no page" in reading.warnings[0]


def test_a_reference_without_a_link_names_no_page():
    page = {
        "text_blocks": [{"type": "paragraph", "snippet": "Old.", "reference_indexes": [0]}],
        "references": [{"index": 0}],
    }
    reading = parse(SEARCH | {"ai_overview": page})
    assert reading.citations == ()
    assert "without a link" in reading.warnings[0]


def test_a_block_of_unknown_type_is_read_by_its_text():
    reading = overview([{"type": "poem", "snippet": "Old tower."}])
    assert (reading.text, reading.retrieval) == ("Old tower.", Retrieval.USED)
    assert "'poem'" in reading.warnings[0]


def test_the_overview_of_a_related_question_is_not_the_overview():
    reading = parse(SEARCH)
    assert (reading.outcome, reading.reason, reading.text) == (Outcome.NO_ANSWER, "absent", "")


@pytest.mark.parametrize(
    ("body", "status", "expected"),
    [
        (
            SEARCH | {"ai_overview": {"error": "Can't generate an AI overview right now."}},
            200,
            (Outcome.NO_ANSWER, "declined"),
        ),
        (SEARCH | {"ai_overview": {}}, 200, (Outcome.NO_ANSWER, "absent")),
        (
            {"generated": False, "text_blocks": [], "references": []},
            None,
            (Outcome.NO_ANSWER, "absent"),
        ),
        (
            SEARCH | {"error": "Google hasn't returned any results for this query."},
            200,
            (Outcome.NO_ANSWER, "absent"),
        ),
        ({"error": "Invalid API key. Your API key should be here."}, 401, (Outcome.ERROR, "auth")),
        ({"error": "Your account has run out of searches."}, 429, (Outcome.ERROR, "quota")),
        (
            {"error": "You are exceeding your hourly throughput limit."},
            429,
            (Outcome.BLOCKED, "rate_limit"),
        ),
        ({"error": "Missing query `q` parameter."}, 400, (Outcome.ERROR, "request")),
        ({"error": "Something broke."}, 503, (Outcome.ERROR, "server")),
        (
            {"search_metadata": {"status": "Error"}, "error": "We could not."},
            200,
            (Outcome.ERROR, "server"),
        ),
        (SEARCH | {"search_metadata": {"status": "Processing"}}, 200, (Outcome.ERROR, "empty")),
        (DEFERRED, 200, (Outcome.ERROR, "empty")),
        (
            DEFERRED | {"search_parameters": {"engine": "google_ai_overview"}},
            200,
            (Outcome.ERROR, "empty"),
        ),
    ],
)
def test_every_state_has_its_outcome(body, status, expected):
    reading = parse(body, status=status)
    assert (reading.outcome, reading.reason) == expected


def test_a_deferred_overview_is_read_from_the_second_call():
    reading = parse(DEFERRED, SECOND)
    assert (reading.outcome, reading.text) == (Outcome.ANSWERED, TEXT)


def test_a_bare_overview_object_is_read():
    assert parse(OVERVIEW | {"generated": True}).text == TEXT


def test_follow_up_sends_only_the_token():
    settings = EngineSettings(base_url="http://127.0.0.1:9")
    asked = aio.follow_up(PROMPT, settings, [exchange(DEFERRED)])
    assert (asked.method, asked.url) == ("GET", "http://127.0.0.1:9/search.json")
    assert asked.query == (("engine", "google_ai_overview"), ("page_token", "tok"))


@pytest.mark.parametrize(
    "exchanges",
    [
        [],
        [SEARCH],
        [DEFERRED, SECOND],
        [{"error": "x"}],
        [DEFERRED, DEFERRED | {"search_parameters": {"engine": "google_ai_overview"}}],
    ],
)
def test_nothing_is_fetched_twice(exchanges):
    assert aio.follow_up(PROMPT, EngineSettings(), [exchange(v) for v in exchanges]) is None


@pytest.mark.parametrize(
    ("locale", "gl", "hl"),
    [
        ("en-GB", "uk", "en"),
        ("pt-BR", "br", "pt-br"),
        ("zh-Hant-TW", "tw", "zh-tw"),
        ("zh-CN", "cn", "zh-cn"),
        ("he-IL", "il", "iw"),
    ],
)
def test_request_is_localised_in_googles_codes(locale, gl, hl):
    asked = dict(aio.request(Prompt("p", "q", locale), EngineSettings()).query)
    assert (asked["gl"], asked["hl"]) == (gl, hl)


def test_request_asks_past_the_cache_and_carries_no_key():
    asked = dict(aio.request(OTHER, EngineSettings(options={"location": "Bonn"})).query)
    assert asked == {
        "engine": "google",
        "q": OTHER.text,
        "hl": "de",
        "location": "Bonn",
        "device": "desktop",
        "no_cache": "true",
    }


@pytest.mark.parametrize(
    "body",
    [
        {"other": 1},
        SEARCH | {"ai_overview": {"paragraphs": []}},
        SEARCH | {"ai_overview": {"text_blocks": [], "references": references(1)}},
    ],
)
def test_a_drifted_shape_is_never_an_empty_answer(body):
    with pytest.raises(PayloadError, match="ai_overview"):
        parse(body)


def test_a_page_of_ai_mode_is_not_taken_for_an_overview():
    with pytest.raises(PayloadError, match="AI Mode"):
        parse(OVERVIEW | {"search_parameters": {"engine": "google_ai_mode"}})
