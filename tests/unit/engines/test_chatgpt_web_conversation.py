"""ChatGPT conversations as exports hold them; all input is synthetic."""

import json
from datetime import UTC, datetime

import pytest

from monitor.domain.engine import Outcome, Placement, Reach, Retrieval, Role
from monitor.domain.turn import Document, Form
from monitor.engines import READERS
from monitor.errors import PayloadError
from tests.growth import grows_in_proportion
from tests.unit.engines.chat_pages import (
    A,
    B,
    C,
    D,
    answer,
    asked,
    conversation,
    grouped,
    message,
    read,
    token,
)

CITE = token("cite", "turn0search0")
ENTITY = token("entity", '["city","Springfield","a city"]')


def urls(turn, role=Role.DISPLAYED):
    return [one.url for one in turn.reading.citations if one.role is role]


def test_tokens_and_old_markers_leave_no_garbage_in_the_text():
    """Bug report 6: text held 【8†source】 and citeturn0search0."""
    text = f"It is so {CITE}. In {ENTITY} too【8†source】."
    turn = asked(answer(text, grouped(text, CITE, A), citations=[]))
    assert turn.reading.text == "It is so. In Springfield too."
    assert urls(turn) == [A]
    assert turn.reading.warnings == ("1 mark(s) of citations lead to no address in the document",)
    assert turn.reading.hidden_citations is None


def test_an_entity_keeps_the_words_that_stand_in_its_reference():
    text = f"Ask {ENTITY} now."
    named = {"type": "entity", "matched_text": ENTITY, "start_idx": 4, "end_idx": 4 + len(ENTITY),
             "alt": "City of Springfield"}  # fmt: skip
    turn = asked(answer(text, named))
    assert turn.reading.text == "Ask City of Springfield now."
    assert turn.reading.citations == ()


def test_a_pill_shows_its_first_page_and_the_others_on_hovering():
    first = {"url": A, "title": "One", "attribution": "Alpha",
             "supporting_websites": [{"url": B, "title": "Two", "attribution": "Beta"}]}  # fmt: skip
    text = f"A first sentence. A second one.{CITE}"
    turn = asked(answer(text, grouped(text, CITE, first, {"url": C})))
    assert [(one.url, one.placement) for one in turn.reading.citations] == [
        (A, Placement(Reach.SHOWN, None, 0, 3, 0, "Alpha")),
        (B, Placement(Reach.HOVER, None, 0, 3, 1, "Beta")),
        (C, Placement(Reach.HOVER, None, 0, 3, 2, None)),
    ]
    (span,) = turn.reading.citations[0].spans
    assert turn.reading.text[span.start : span.end] == "A second one."
    assert turn.completeness.offsets_exact
    assert turn.reading.hidden_citations == 0


def test_offsets_count_code_points_of_the_raw_text():
    text = f"Tall 🏔️ mountains 🏔️ stand.{CITE}"
    turn = asked(answer(text, grouped(text, CITE, A)))
    assert turn.completeness.offsets_exact
    assert turn.reading.text == "Tall 🏔️ mountains 🏔️ stand."


@pytest.mark.parametrize("shift", [-3, 2, 500])
def test_wrong_offsets_are_made_good_by_search_and_said_to_be_inexact(shift):
    text = f"One thing.{CITE} Another.{token('cite', 'turn0search1')}"
    references = (
        grouped(text, CITE, A, shift=shift),
        grouped(text, token("cite", "turn0search1"), B, shift=shift),
    )
    turn = asked(answer(text, *references))
    assert turn.reading.text == "One thing. Another."
    assert not turn.completeness.offsets_exact
    spans = [turn.reading.text[s.start : s.end] for c in turn.reading.citations for s in c.spans]
    assert spans == ["One thing.", "Another."]


def test_offsets_that_are_texts_are_no_offsets():
    text = f"One thing.{CITE}"
    reference = grouped(text, CITE, A) | {"start_idx": "10", "end_idx": "40", "safe_urls": 7}
    turn = asked(answer(text, reference))
    assert (turn.reading.text, urls(turn)) == ("One thing.", [A])
    assert not turn.completeness.offsets_exact


def test_a_citation_whose_mark_is_nowhere_has_no_span():
    turn = asked(answer("Words.", grouped(f"x{CITE}", CITE, A, shift=90)))
    (cited,) = turn.reading.citations
    assert (cited.url, cited.spans, cited.marks) == (A, (), 1)


def test_the_words_that_a_message_marks_as_cited_are_the_span():
    text = f"Before. \ue203Exactly this\ue204 {CITE} and more."
    turn = asked(answer(text, grouped(text, CITE, A)))
    (span,) = turn.reading.citations[0].spans
    assert turn.reading.text[span.start : span.end] == "Exactly this"


def test_lists_of_links_are_listed_and_searched_pages_are_not_cited():
    text = f"Words.{CITE}"
    footer = {"type": "sources_footnote", "matched_text": " ", "start_idx": len(text),
              "end_idx": len(text), "sources": [{"url": A}, {"url": B, "attribution": "Beta"}]}  # fmt: skip
    card = {"type": "nav_list", "matched_text": token("navlist", "x"), "items": [{"url": C}]}
    groups = [{"type": "search_result_group", "entries": [{"url": A, "title": "One"}, {"url": D}]}]
    turn = asked(answer(text, grouped(text, CITE, A), footer, card, search_result_groups=groups))
    assert (urls(turn), urls(turn, Role.LISTED)) == ([A], [B, C])
    assert [one.url for one in turn.reading.retrieved] == [A, D]
    assert turn.reading.citations[1].placement == Placement(Reach.CLICK, publisher="Beta")
    assert turn.completeness.retrieved_known


def test_an_answer_that_searched_and_cites_nothing_is_an_answer_without_citations():
    """The ghost case: groups of found pages, no reference."""
    groups = [{"entries": [{"url": A}]}]
    turn = asked(answer("Words.", search_result_groups=groups, citations=[]))
    assert (turn.reading.outcome, turn.reading.citations) == (Outcome.ANSWERED, ())
    assert (turn.reading.retrieval, turn.reading.hidden_citations) == (Retrieval.USED, 0)


def test_old_citations_are_found_by_the_number_in_their_marker():
    text = "First.【8†source】 Second【11†label】."
    old = [
        {"start_ix": 6, "end_ix": 16, "metadata": {
            "type": "webpage", "url": A, "title": "One", "extra": {"cited_message_idx": 8}}},
        {"start_ix": 0, "end_ix": 3, "metadata": {
            "type": "webpage", "url": B, "extra": {"cited_message_idx": 11}}},
        {"start_ix": 0, "end_ix": 3, "invalid_reason": "x", "metadata": {"url": C}},
        {"start_ix": 0, "end_ix": 3, "metadata": {"type": "file", "url": D}},
    ]  # fmt: skip
    turn = asked(message("assistant", text, metadata={"citations": old}))
    assert turn.reading.text == "First. Second."
    assert urls(turn) == [A, B]
    assert turn.reading.hidden_citations == 0
    assert not turn.completeness.offsets_exact


def test_a_mark_that_stands_twice_is_counted_twice():
    text = f"One.{CITE} Two.{CITE}"
    turn = asked(answer(text, grouped(text, CITE, A)))
    assert [(one.url, one.marks) for one in turn.reading.citations] == [(A, 2)]
    assert turn.reading.hidden_citations == 0


def test_marks_without_any_reference_are_an_unknown_layout_never_an_answer_without_citations():
    turn = asked(message("assistant", f"Words.{CITE}", metadata={}))
    assert turn.reading.outcome is Outcome.LAYOUT_UNKNOWN
    assert turn.reading.text == "Words."


def test_cards_files_and_advertisements_are_no_citations():
    text = "".join(token(kind, "x") for kind in ("products", "image_group", "filecite")) + "Words."
    kinds = [
        {"type": kind, "matched_text": token(mark, "x"), "url": A, "items": [{"url": B}]}
        for kind, mark in (("products", "products"), ("image_v2", "image_group"), ("file", "filecite"))
    ]  # fmt: skip
    turn = asked(answer(text, *kinds, {"type": "ad", "matched_text": "", "items": [{"url": C}]}))
    assert (turn.reading.text, turn.reading.citations) == ("Words.", ())
    assert turn.reading.shopping
    assert turn.reading.outcome is Outcome.ANSWERED


def test_unknown_references_and_contents_are_told_and_take_no_words():
    unknown = {"type": "brand_new", "matched_text": "Words", "start_idx": 0, "end_idx": 5}
    turn = asked(
        message("assistant", "x", content={"content_type": "hologram", "parts": [1]}),
        answer("Words stay.", unknown),
    )
    assert turn.reading.text == "Words stay."
    assert turn.reading.warnings == (
        "content reference of the unknown kind 'brand_new' is not read",
        "content of the unknown kind 'hologram' is not read",
    )


def test_links_in_prose_are_links():
    turn = asked(answer(f"See [the page]({A}?utm_source=chatgpt.com) and {B} for more."))
    assert [(one.url, one.role) for one in turn.reading.citations] == [
        (f"{A}?utm_source=chatgpt.com", Role.LINK),
        (B, Role.LINK),
    ]
    assert turn.reading.retrieval is Retrieval.UNKNOWN


def test_only_messages_that_a_reader_sees_are_read():
    hidden = {"is_visually_hidden_from_conversation": True}
    turn = asked(
        message("system", "no"),
        message("assistant", "no", metadata=hidden),
        message("assistant", "no", content={"content_type": "thoughts", "thoughts": []}),
        message("assistant", "no", recipient="web.run",
                metadata={"search_queries": [{"type": "search", "q": "deep words"}, 7]}),
        message("user", "no", metadata=hidden),
        message("user", "no", content={"content_type": "user_editable_context", "parts": ["no"]}),
        message("tool", "no", author={"role": "tool", "name": "web.run"}),
        answer("Yes."),
    )  # fmt: skip
    assert (turn.prompt, turn.reading.text) == ("Question 0?", "Yes.")
    assert turn.reading.queries == ("deep words",)
    assert turn.reading.retrieval is Retrieval.USED


def test_the_shown_branch_is_read_and_the_newest_leaf_where_none_is_named():
    tree = conversation(message("user", "Q?"), answer("Old."))
    newer = answer("New.") | {"create_time": 1770000000.5}
    tree["mapping"]["n2"] = {"id": "n2", "parent": "n0", "children": [], "message": newer}
    assert [one.reading.text for one in read(tree)] == ["Old."]
    (turn,) = read(tree | {"current_node": None})
    assert turn.reading.text == "New."
    assert turn.answered_at == datetime(2026, 2, 2, 2, 40, 0, 500000, tzinfo=UTC)


def test_a_cycle_and_a_parent_that_is_not_there_end_the_way():
    tree = conversation(message("user", "Q?"), answer("A."))
    tree["mapping"]["n0"]["parent"] = "n1"
    assert [one.reading.text for one in read(tree)] == ["A."]
    tree["mapping"]["n0"]["parent"] = "nowhere"
    assert [one.prompt for one in read(tree)] == ["Q?"]


def test_models_are_the_one_that_answered_and_the_one_that_was_chosen():
    turn = asked(
        answer("A.", model_slug="m-large", resolved_model_slug="m-small"),
        default_model_slug="m-large",
    )
    assert (turn.reading.requested_model, turn.reading.served_model) == ("m-large", "m-small")
    assert turn.completeness.model_known


@pytest.mark.parametrize(
    ("metadata", "status", "outcome"),
    [
        ({"finish_details": {"type": "max_tokens"}}, "finished_successfully", Outcome.TRUNCATED),
        ({"finish_details": {"type": "interrupted"}}, "finished_successfully", Outcome.TRUNCATED),
        ({}, "in_progress", Outcome.TRUNCATED),
        ({"finish_details": {"type": "stop"}}, "finished_successfully", Outcome.ANSWERED),
    ],
)
def test_an_answer_that_was_cut_off_is_truncated(metadata, status, outcome):
    turn = asked(message("assistant", "Words", metadata=metadata, status=status))
    assert turn.reading.outcome is outcome


def test_an_answer_without_words_is_an_error_and_a_question_nobody_answers_no_turn():
    picture = message("assistant", [{"content_type": "image_asset_pointer"}])
    assert asked(picture).reading.reason == "empty"
    assert read(conversation(message("user", "Q?"))) == ()


def test_messages_that_go_on_are_one_answer_with_all_its_citations():
    first, second = f"One.{CITE}", f"Two.{CITE}"
    turn = asked(
        answer(first, grouped(first, CITE, A)),
        answer(second, grouped(second, CITE, B)),
    )
    assert turn.reading.text == "One.\n\nTwo."
    spans = [turn.reading.text[s.start : s.end] for c in turn.reading.citations for s in c.spans]
    assert spans == ["One.", "Two."]
    assert [one.placement.group for one in turn.reading.citations] == [0, 1]


def test_an_empty_list_of_found_pages_says_that_nothing_was_searched():
    assert asked(answer("A.", search_result_groups=[])).reading.retrieval is Retrieval.NOT_USED
    assert asked(answer("A.")).reading.retrieval is Retrieval.UNKNOWN


def test_a_token_that_breaks_off_with_the_answer_leaves_no_garbage():
    turn = asked(message("assistant", "Words \ue200cite\ue202turn0sea", status="in_progress"))
    assert turn.reading.text.strip() == "Words"


@pytest.mark.parametrize(
    "hostile",
    [
        {"mapping": {"a": 7, "b": {"message": 3}, "c": {"message": {"author": 1, "content": []}}}},
        {"mapping": {"a": {"message": {"author": {"role": "assistant"}, "metadata": "x",
                                       "content": {"content_type": "text", "parts": 9}}}}},
        {"mapping": {}, "current_node": ["x"]},
        {"linear_conversation": [None, {"message": {"author": {"role": 4}}}]},
    ],
)  # fmt: skip
def test_strange_types_are_no_answers(hostile):
    assert all(one.reading.outcome is not Outcome.ANSWERED for one in read(hostile))


@pytest.mark.parametrize(
    "odd",
    [
        {"content_references": [{"type": 5, "items": 7}, 3, {"type": "grouped_webpages", "items": [
            {"url": 8}, {"url": "javascript:alert(1)"}, {"url": "file:///etc/x"}, "x"]}]},
        {"citations": [{"metadata": 4}, {"metadata": {"url": A, "extra": "x"}, "start_ix": []}]},
        {"search_result_groups": {"a": 1}, "search_queries": "x", "search_model_queries": 5},
        {"content_references": {"type": "grouped_webpages"}, "finish_details": {"type": ["x"]}},
    ],
)  # fmt: skip
def test_strange_metadata_never_breaks_an_answer(odd):
    turn = asked(message("assistant", "Words.", metadata=odd))
    assert turn.reading.text == "Words."
    assert all(one.url.startswith("http") for one in turn.reading.citations)


def test_times_that_are_none_are_not_believed():
    for time in ("1770000000", -1, 1e300, True, None, float("nan")):
        assert asked(answer("A.") | {"create_time": time}).answered_at is None


def test_json_that_nests_without_end_is_unreadable():
    with pytest.raises(PayloadError, match="nested too deep"):
        READERS["chatgpt_web"].turns(Document(b'{"mapping":' * 90_000, Form.CONVERSATION))


def test_very_many_marks_take_time_in_proportion():
    def read(many):
        tokens = [token("cite", f"turn0search{i}") for i in range(many)]
        text = "".join(f"Fact {i}.{one} " for i, one in enumerate(tokens))
        references = [
            {"type": "grouped_webpages", "matched_text": one, "start_idx": 0, "end_idx": 1,
             "items": [{"url": f"{A}/{i}"}]}
            for i, one in enumerate(tokens)
        ]  # fmt: skip
        turn = asked(answer(text, *references))
        assert len(turn.reading.citations) == many
        assert turn.reading.citations[-1].spans

    assert grows_in_proportion(read, 50)


def test_a_conversation_is_recognised_and_a_whole_export_is_not():
    recognise = READERS["chatgpt_web"].recognise
    one = conversation(message("user", "Q?"))
    assert recognise(json.dumps(one).encode()) is Form.CONVERSATION
    assert recognise(json.dumps({"serverResponse": {"data": one}}).encode()) is Form.CONVERSATION
    for other in ([one], {"conversations": [one]}, {"mapping": 3}, {"a": 1}, "mapping"):
        assert recognise(json.dumps(other).encode()) is None
    with pytest.raises(PayloadError, match="without a conversation"):
        read({"conversations": [one]})
