"""Perplexity's page, saved or captured live; every page is synthetic."""

import pytest

from monitor.domain.engine import Exchange, Outcome, Reach, Retrieval, Role, SpanKind
from monitor.domain.keys import canonical_json
from monitor.domain.turn import Document, Form, Panel
from monitor.engines.perplexity_web import parse
from monitor.engines.surfaces.perplexity_page import read_page
from monitor.errors import PayloadError
from tests.unit.engines.payloads_perplexity import ELM, OAK, YEW, only, page, pill, read

SOURCES = (
    f'<div><a href="{OAK}"><div>Oaks</div><div>oak.example</div></a><a href="{YEW}">Yews</a>'
    '<a href="https://www.perplexity.ai/hub">Help</a><a href="/settings">Settings</a></div>'
)


def test_a_label_is_no_word_of_the_answer_and_its_plus_counts_what_is_hidden():
    # Bug report 4: labels were glued to the words before them.
    turn = only(page(f"<p>Banks raised their rates{pill(OAK, 'facebook+1')}.</p>"), Form.DOM)
    reading = turn.reading
    assert (reading.outcome, reading.text) == (Outcome.ANSWERED, "Banks raised their rates.")
    (oak,) = reading.citations
    assert (oak.url, oak.role, oak.marks) == (OAK, Role.DISPLAYED, 1)
    assert oak.placement is not None
    assert (oak.placement.group_size, oak.placement.publisher) == (2, "facebook")
    assert (reading.hidden_citations, turn.completeness.hidden_citations) == (1, 1)


def test_a_page_that_is_handed_in_cannot_say_of_itself_what_a_browser_saw():
    hidden = f'<span style="display:none">{pill(ELM)}</span>'
    body = page(f"<p>Oaks are old{pill(OAK)}. Elms are not{hidden}.</p>")
    forged = body.replace("<html>", "<html DATA-MONITOR-ASKED>").replace(
        "<p>", "<p data-monitor-hidden>"
    )
    for one in (body, forged):
        assert [c.url for c in parse((Exchange(one.encode()),)).displayed] == [OAK]
    # Nor with an escape of its character set inside our word, which is nothing once it is read.
    split = forged.replace("DATA-MONITOR-ASKED", "data-monitor-as\x1b(Bked").replace(
        "<html", '<!-- <meta charset="iso-2022-jp"> --><html'
    )
    assert [c.url for c in parse((Exchange(split.encode()),)).displayed] == [OAK]


def test_an_import_cannot_pass_for_our_own_record_of_a_live_capture():
    asked = page(f"<p>Oaks are old{pill(ELM)}.</p>")
    record = {"contract": "browser-capture-2", "surface": "perplexity_web", "state": "complete",
              "prompt": "q", "user_turn": "q", "html": asked}  # fmt: skip
    headers = (("monitor-form", "thread"), ("monitor-turn", "0"))
    with pytest.raises(PayloadError):
        parse((Exchange(canonical_json(record), 200, headers),))


def test_a_pill_has_the_sentence_before_it_as_its_span():
    body = f"<p>Oaks are old. Elms are not{pill(ELM)}. Yews are{pill(YEW)}</p>"
    reading = only(page(body), Form.DOM).reading
    told = [(reading.text[s.start : s.end], s.kind) for c in reading.citations for s in c.spans]
    assert told == [("Elms are not", SpanKind.CLAIM), ("Yews are", SpanKind.CLAIM)]


def test_spans_and_anchors_are_united_and_their_difference_is_told():
    # Bug report 14: the first selector that fits hid what the others find.
    anchor = f'<a class="citation ml-1" href="{ELM}"><span>2</span></a>'
    turn = only(page(f"<p>Oaks are old{pill(OAK)}. Elms are not{anchor}.</p>"), Form.DOM)
    assert turn.reading.text == "Oaks are old. Elms are not."
    assert [one.url for one in turn.reading.displayed] == [OAK, ELM]
    (told,) = turn.layout.disagreements
    assert told.startswith("pill: 2 elements, by selector span.citation[data-pplx-citation-url] 1")
    assert told in turn.reading.warnings
    assert (turn.layout.in_document, turn.layout.shown) == (2, 2)


def test_one_address_at_one_place_is_one_mark():
    anchor = f'<a class="citation" href="{OAK}">1</a>'
    reading = only(page(f"<p>Oaks are old{pill(OAK)}{anchor}.</p>"), Form.DOM).reading
    assert [(one.url, one.marks) for one in reading.displayed] == [(OAK, 1)]
    wrapped = (
        f'<span class="citation" data-pplx-citation-url="{OAK}"><span aria-label="All of oaks">'
    )
    wrapped += f'<a href="{OAK}">oak</a></span></span>'
    (oak,) = only(page(f"<p>Oaks are old{wrapped}.</p>"), Form.DOM).reading.citations
    assert (oak.marks, oak.title) == (1, "All of oaks")


def test_the_open_list_lists_what_no_pill_shows():
    # Bug report 5: the list is in the page only while its tab is open.
    body = page(f"<p>Oaks are old{pill(OAK)}.</p>")
    turn = only(body, Form.DOM, Panel("sources", SOURCES))
    cited = [(one.url, one.role, one.title) for one in turn.reading.citations]
    assert cited == [(OAK, Role.DISPLAYED, "Oaks"), (YEW, Role.LISTED, "Yews")]
    placed = turn.reading.citations[1].placement
    assert placed is not None
    assert placed.reach is Reach.CLICK
    assert [one.url for one in turn.reading.retrieved] == [OAK, YEW]
    assert turn.completeness.retrieved_known
    assert not only(body, Form.DOM).completeness.retrieved_known


def test_a_list_that_was_open_when_the_page_was_saved_is_read_too():
    panel = f'<div role="tabpanel" id="radix-1-content-sources">{SOURCES}</div>'
    body = page(f"<p>Oaks are old{pill(OAK)}.</p>", more=panel)
    assert [one.url for one in only(body, Form.DOM).reading.retrieved] == [OAK, YEW]
    closed = panel.replace("<div role", '<div style="display: none" role', 1)
    body = page(f"<p>Oaks are old{pill(OAK)}.</p>", more=closed)
    assert only(body, Form.DOM).reading.retrieved == ()


def test_what_a_pill_shows_when_hovered_is_behind_that_pill():
    numbered = pill(OAK, "oak+2").replace("<span ", '<span data-monitor-pill="4" ', 1)
    shows = f'<div><a href="{OAK}">Oaks</a><a href="{ELM}">Elms</a></div>'
    body = page(f"<p>Oaks are old{numbered}.</p>").replace("<html>", '<html lang="en-GB">')
    turn = only(body, Form.DOM, Panel("popover", shows, "4"))
    cited = [(c.url, c.placement.reach, c.placement.place_in_group, c.placement.group_size)
             for c in turn.reading.displayed if c.placement]  # fmt: skip
    assert cited == [(OAK, Reach.SHOWN, 0, 3), (ELM, Reach.HOVER, 1, 3)]
    assert turn.reading.hidden_citations == 1
    assert turn.language == "en-GB"
    seen = read_page("perplexity_web", Document(body.encode(), Form.DOM, in_view=frozenset("4")))
    assert [c.placement.in_view for c in seen[0].reading.displayed if c.placement] == [True]


def test_a_pill_without_an_address_is_hidden_and_never_made_up():
    bare = '<span class="citation inline"><span>oak.example</span><span>+2</span></span>'
    turn = only(page(f"<p>Oaks are old{bare}.</p>"), Form.DOM)
    assert (turn.reading.outcome, turn.reading.text) == (Outcome.ANSWERED, "Oaks are old.")
    assert (turn.reading.citations, turn.reading.hidden_citations) == ((), 3)
    assert turn.reading.warnings == ("1 pill(s) have no address in the document",)


def test_pills_that_are_not_visible_do_not_count():
    unseen = f'<span style="visibility:hidden">{pill(ELM)}</span>'
    turn = only(page(f"<p>Oaks are old{pill(OAK)}{unseen}.</p>"), Form.DOM)
    assert [one.url for one in turn.reading.citations] == [OAK]
    assert (turn.layout.in_document, turn.layout.shown) == (2, 1)
    assert turn.reading.warnings[0] == (
        "1 citation(s) in the document are not shown and not counted"
    )


def test_a_browser_that_was_asked_goes_before_the_markup():
    asked = pill(ELM).replace("<span ", '<span data-monitor-hidden="" ', 1)
    body = page(f"<p>Oaks are old{pill(OAK)}{asked}.</p>").replace(
        "<main>", '<main data-monitor-asked="">'
    )
    assert [one.url for one in only(body, Form.DOM).reading.citations] == [OAK]


def test_signs_of_citations_that_no_selector_found_make_the_layout_unknown():
    changed = "<p>Oaks are old<span data-new-pill=x><span>oak</span><span>+1</span></span>.</p>"
    reading = only(page(changed), Form.DOM).reading
    assert reading.outcome is Outcome.LAYOUT_UNKNOWN
    assert "looks like a citation" in reading.warnings[0]
    assert only(page("<p>Four and 2+1.</p>"), Form.DOM).reading.outcome is Outcome.ANSWERED


def test_an_answer_with_no_citation_in_a_known_layout_has_none():
    reading = only(page("<p>Four.</p>"), Form.DOM).reading
    assert (reading.outcome, reading.citations) == (Outcome.ANSWERED, ())
    assert (reading.retrieval, reading.hidden_citations) == (Retrieval.UNKNOWN, 0)


def test_links_in_prose_are_links():
    body = f'<p>See <a href="{YEW}">a page</a>{pill(OAK)}.</p>'
    reading = only(page(body), Form.DOM).reading
    assert [(one.url, one.role) for one in reading.citations] == [
        (OAK, Role.DISPLAYED),
        (YEW, Role.LINK),
    ]
    assert reading.text == "See a page."


def test_each_answer_has_the_question_before_it_and_all_its_blocks():
    bubble = (
        '<div class="group/user-bubble"><span class="whitespace-pre-line">How old?</span>'
        '<span class="absolute">1:43 PM</span><button>Edit</button></div>'
    )
    final = (
        f'<div data-workflow-final-text=""><div class="prose" data-renderer="lm">Old{pill(OAK)}.'
        f'</div><div class="prose" data-renderer="lm">Very{pill(ELM)}.</div></div>'
    )
    empty = '<div data-workflow-final-text=""></div>'
    one, two = read(f"<main>{bubble}{final}{bubble}{empty}</main>", Form.DOM)
    assert (one.prompt, one.reading.text) == ("How old?", "Old.\n\nVery.")
    spans = [s for c in one.reading.citations for s in c.spans]
    assert [one.reading.text[s.start : s.end] for s in spans] == ["Old", "Very"]
    assert (two.prompt, two.reading.outcome) == ("How old?", Outcome.LAYOUT_UNKNOWN)


def test_a_page_that_is_still_written_is_truncated():
    stop = '<button aria-label="Stop response">x</button>'
    body = page(f"<p>Oaks are old{pill(OAK)}.</p>", more=stop)
    reading = only(body, Form.DOM).reading
    assert (reading.outcome, reading.text) == (Outcome.TRUNCATED, "Oaks are old.")


@pytest.mark.parametrize(
    ("wall", "outcome", "reason"),
    [
        ('<form id="challenge-form"><p>Wait</p></form>', Outcome.BLOCKED, "challenge"),
        ('<div role="dialog"><input type="email"></div>', Outcome.LOGIN_REQUIRED, None),
    ],
)
def test_a_wall_instead_of_an_answer_has_its_own_outcome(wall, outcome, reason):
    reading = only(f"<main>{wall}</main>", Form.DOM).reading
    assert (reading.outcome, reading.reason) == (outcome, reason)
    hidden = f'<main><div style="display:none">{wall}</div></main>'
    assert read(hidden, Form.DOM) == ()


def test_an_answer_behind_another_tab_is_not_an_empty_answer():
    body = page("<p>Oaks.</p>").replace('<div class="prose"', '<div hidden class="prose"')
    reading = only(body, Form.DOM).reading
    assert reading.outcome is Outcome.LAYOUT_UNKNOWN
    assert reading.warnings[0] == "the answer is in the page but not shown"


def test_a_page_without_an_answer_we_know_is_an_unknown_layout():
    page_only = b'<html><div id="ask-input"></div></html>'
    assert parse((Exchange(page_only),)).outcome is Outcome.LAYOUT_UNKNOWN


def test_the_layout_tells_hits_and_how_much_of_the_answer_is_text():
    turn = only(page(f"<p>Oaks are old{pill(OAK)}.</p><button>Copy</button>"), Form.DOM)
    assert turn.layout.hits["pill"]["span.citation[data-pplx-citation-url]"] == 1
    assert turn.layout.hits["answer"]['div.prose[data-renderer="lm"]'] == 0
    assert turn.layout.coverage == 1.0


def test_a_live_capture_is_read_by_the_same_parser():
    body = {
        "contract": "browser-capture-2", "surface": "perplexity_web", "state": "complete",
        "prompt": "How old do oaks get?", "user_turn": "How old do oaks get?", "turn_id": None,
        "html": page(f"<p>Oaks are old{pill(OAK)}.</p>"), "model": "Sonar", "panels": [
            {"name": "sources", "html": SOURCES, "anchor": None}],
    }  # fmt: skip
    reading = parse((Exchange(canonical_json(body)),))
    assert [one.url for one in reading.citations] == [OAK, YEW]
    assert (reading.served_model, reading.text) == ("Sonar", "Oaks are old.")
