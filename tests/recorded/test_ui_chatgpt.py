"""Real documents of ChatGPT, Copilot and Gemini, read in place; counts are those made by hand."""

import json

import pytest

from monitor.domain.engine import Exchange, Outcome, Reach, Retrieval, Role
from monitor.domain.turn import Document, Form
from monitor.engines import READERS, read
from monitor.engines.surfaces.chatgpt_share import shared_conversation
from monitor.urls import identify
from tests.corpora import corpora

pytestmark = pytest.mark.corpora

SHARE = "ui/samples/chatgpt/chatgpt-share-modern.html"
DECODED = "ui/samples/chatgpt/chatgpt_share_modern.decoded.json"
DOM = "ui/samples/chatgpt/chatgpt_dom_2turns_2pills_2026-03.html"
COPILOT = "ui/samples/copilot/copilot_dom_2025-08.html"
GEMINI = "ui/samples/gemini/gemini_dom_2025-08.html"
COPIED = "ui/samples/gemini/gemini_copy_text_2026-07-27.md"


def turns(surface: str, name: str, form: Form):
    body = corpora(name).read_bytes()
    assert READERS[surface].recognise(body) is form
    return READERS[surface].turns(Document(body, form))


def raw_answers() -> list[dict]:
    """The two visible answers of the decoded page, as they are in it."""
    found = json.loads(corpora(DECODED).read_text())["serverResponse"]["data"]
    messages = (node.get("message") for node in found["linear_conversation"])
    return [
        one
        for one in messages
        if one and one["author"]["role"] == "assistant" and one["content"]["content_type"] == "text"
    ]


def test_the_data_of_a_shared_page_is_what_somebody_else_decoded():
    page = corpora(SHARE).read_text()
    decoded = json.loads(corpora(DECODED).read_text())["serverResponse"]["data"]
    assert shared_conversation("chatgpt_web", page) == decoded


@pytest.mark.parametrize(("name", "form"), [(SHARE, Form.SHARE), (DECODED, Form.CONVERSATION)])
def test_a_shared_page_has_8_pairs_of_7_addresses_5_of_them_first_in_their_pill(name, form):
    first, second = turns("chatgpt_web", name, form)
    shown = first.reading.displayed
    assert sum(one.marks for one in shown) == 8
    assert len({one.url for one in first.reading.citations}) == len(shown) == 7
    assert sum(one.placement.reach is Reach.SHOWN for one in shown) == 5
    assert len({one.placement.group for one in shown}) == 6
    assert (first.layout.in_document, first.layout.shown) == (6, 6)
    assert (len(first.reading.text), len(second.reading.text)) == (730, 324)
    assert (first.reading.hidden_citations, first.completeness.offsets_exact) == (0, True)
    assert second.reading.citations == ()


def test_the_list_behind_the_button_is_not_the_union_of_the_pills():
    first, _ = turns("chatgpt_web", SHARE, Form.SHARE)
    footer = [
        source["url"]
        for one in raw_answers()[0]["metadata"]["content_references"]
        if one["type"] == "sources_footnote"
        for source in one["sources"]
    ]
    shown = {one.url for one in first.reading.displayed}
    assert len(footer) == 4
    assert set(footer) < shown


def test_searched_pages_of_a_shared_page_are_not_cited():
    first, second = turns("chatgpt_web", SHARE, Form.SHARE)
    searched = {one.url for one in first.reading.retrieved}
    assert len(first.reading.retrieved) == 24
    assert len(searched & {one.url for one in first.reading.displayed}) == 1
    assert first.reading.retrieval is Retrieval.USED
    assert second.reading.retrieval is Retrieval.NOT_USED


def test_entities_keep_their_words_and_no_private_character_stays():
    first, second = turns("chatgpt_web", SHARE, Form.SHARE)
    names = [
        one["alt"]
        for one in raw_answers()[0]["metadata"]["content_references"]
        if one["type"] == "entity"
    ]
    assert len(names) == 6
    assert all(name in first.reading.text for name in names)
    for turn in (first, second):
        assert not any("\ue000" <= char <= "\uf8ff" for char in turn.reading.text)


def test_models_prompts_and_times_of_a_shared_page():
    first, second = turns("chatgpt_web", SHARE, Form.SHARE)
    assert {one.reading.served_model for one in (first, second)} == {"gpt-5-2-thinking"}
    assert first.answered_at is not None
    assert first.answered_at.date().isoformat() == "2026-01-31"
    assert len(first.reading.queries) == 4


def test_the_identity_of_a_cited_page_has_no_word_of_the_surface():
    first, _ = turns("chatgpt_web", SHARE, Form.SHARE)
    urls = [one.url for one in first.reading.displayed]
    assert all("utm_source=chatgpt.com" in url for url in urls)
    assert not any("chatgpt" in (identify(url).page_key or "chatgpt") for url in urls)


def test_a_saved_page_has_2_turns_and_2_pills():
    first, second = turns("chatgpt_web", DOM, Form.DOM)
    assert (first.layout.in_document, first.reading.citations) == (0, ())
    assert (second.layout.in_document, second.layout.shown) == (2, 2)
    assert [one.placement.publisher for one in second.reading.displayed] == [
        "OpenAI Help Center",
        "Daily Tribune",
    ]
    for turn in (first, second):
        assert turn.reading.outcome is Outcome.ANSWERED
        assert turn.reading.served_model == "gpt-5-3"
        assert (turn.layout.coverage, turn.layout.disagreements) == (1.0, ())
        assert turn.reading.hidden_citations == 0
    assert first.prompt == "what model/version of chatgpt are you?"
    assert "Daily Tribune" not in second.reading.text


def test_a_handed_in_page_is_read_by_the_same_way_as_a_live_one():
    body = corpora(DOM).read_bytes()
    reading = read("chatgpt_web", [Exchange(body, 200, (("monitor-turn", "1"),))])
    assert len(reading.displayed) == 2


def test_a_page_of_copilot_has_two_answers_without_citations():
    first, second = turns("copilot_web", COPILOT, Form.DOM)
    assert first.reading.text == "Sure—what exactly are you looking to export?"
    for turn in (first, second):
        assert (turn.reading.outcome, turn.reading.citations) == (Outcome.ANSWERED, ())
        assert turn.layout.coverage == 1.0


@pytest.mark.parametrize("name", ["bing_copans_serp", "bing_copans_rerender"])
def test_an_answer_on_a_results_page_is_seen_and_not_taken_for_one_without_citations(name):
    (turn,) = turns("copilot_web", f"ui/samples/copilot/{name}.synthetic.html", Form.DOM)
    assert turn.reading.outcome is Outcome.LAYOUT_UNKNOWN
    assert turn.reading.text


def test_a_page_of_gemini_has_three_answers_without_citations():
    several = turns("gemini_app", GEMINI, Form.DOM)
    assert len(several) == 3
    assert {one.reading.outcome for one in several} == {Outcome.ANSWERED}
    assert {one.layout.coverage for one in several} == {1.0}
    assert [len(one.reading.citations) for one in several] == [0, 0, 0]


def test_words_copied_from_gemini_have_5_references_of_7_addresses():
    (turn,) = turns("gemini_app", COPIED, Form.TEXT)
    assert [one.role for one in turn.reading.citations] == [Role.LISTED] * 7
    assert turn.prompt == "Compare the number of Seattle and Portland bookclubs."
    assert "Sources & References" not in turn.reading.text
    assert turn.answered_at is not None
    assert turn.answered_at.isoformat() == "2026-07-28T05:54:07+00:00"


@pytest.mark.parametrize("surface", ["chatgpt_web", "copilot_web", "gemini_app"])
def test_pages_of_other_surfaces_are_not_recognised(surface):
    mine = {"chatgpt_web": "chatgpt", "copilot_web": "copilot", "gemini_app": "gemini"}[surface]
    others = [
        path
        for path in sorted(corpora("ui/samples").rglob("*.*"))
        if path.suffix in {".html", ".json", ".md", ".sse"} and path.parent.name != mine
    ]
    assert len(others) > 20
    assert {p.name: READERS[surface].recognise(p.read_bytes()) for p in others} == {
        p.name: None for p in others
    }
