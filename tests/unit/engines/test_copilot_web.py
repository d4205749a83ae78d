"""Copilot's page, modelled on notes where it cites; all input is synthetic."""

import pytest

from monitor.domain.engine import Exchange, Outcome, Reach, Role
from monitor.domain.turn import Document, Form, Panel
from monitor.engines import READERS, read
from monitor.errors import PayloadError
from monitor.urls import identify
from tests.unit.engines.chat_pages import A, B, copilot, turns_of

NAME = "copilot_web"
BUTTON = '<button aria-expanded="false" aria-label="Citation 1"{}>1</button>'


def one(answer: str, *panels: Panel):
    (turn,) = turns_of(NAME, copilot(answer), Form.DOM, *panels)
    return turn


def test_words_for_those_who_cannot_see_and_buttons_are_left_out():
    turn = one('<p>So it is.</p><div data-copy="false">Try again</div>')
    assert (turn.prompt, turn.reading.text) == ("Question 0?", "So it is.")
    assert (turn.reading.outcome, turn.layout.coverage) == (Outcome.ANSWERED, 1.0)


def test_a_heading_without_its_class_is_left_out_too():
    page = copilot("<p>So it is.</p>").replace(' class="sr-only"', "")
    (turn,) = turns_of(NAME, page)
    assert turn.reading.text == "So it is."


def test_a_citation_whose_address_is_nowhere_is_hidden_and_none_is_invented():
    turn = one(f"<p>So it is{BUTTON.format('')}.</p>")
    assert (turn.reading.text, turn.reading.citations) == ("So it is.", ())
    assert (turn.reading.outcome, turn.reading.hidden_citations) == (Outcome.ANSWERED, 1)


def test_an_opened_citation_leads_to_its_page():
    button = BUTTON.format(' data-monitor-pill="0"')
    turn = one(f"<p>So it is{button}.</p>", Panel("popover", f'<a href="{A}">One</a>', "0"))
    (cited,) = turn.reading.citations
    assert (cited.url, cited.role, cited.placement.reach) == (A, Role.DISPLAYED, Reach.HOVER)
    assert turn.reading.hidden_citations == 0


def test_addresses_in_attributes_are_citations():
    turn = one(f'<p>So<button data-url="{A}">Alpha</button> and<span data-url="{B}">B</span>.</p>')
    assert [(one.url, one.placement.publisher) for one in turn.reading.citations] == [
        (A, "Alpha"),
        (B, "B"),
    ]


def test_links_through_the_search_engine_lead_away_and_are_unwrapped_for_identity():
    # https://alpha.example/page in base64url without padding, behind a1.
    wrapped = "https://www.bing.com/ck/a?!&&p=1&u=a1aHR0cHM6Ly9hbHBoYS5leGFtcGxlL3BhZ2U&ntb=1"
    turn = one(f'<p>So<span data-url="{wrapped.replace("&", "&amp;")}">Alpha</span>.</p>')
    (cited,) = turn.reading.citations
    assert cited.url == wrapped
    assert identify(cited.url).page_key == identify(A).page_key


def test_an_answer_on_a_results_page_needs_a_citation_or_its_closing_words():
    bing = (
        '<div id="copans_container"><div class="answer_container" aria-label="Copilot Search">'
        "<p>So it is.{}</p></div>{}</div>"
    )
    (bare,) = turns_of(NAME, bing.format("", ""))
    assert bare.reading.outcome is Outcome.LAYOUT_UNKNOWN
    (cited,) = turns_of(NAME, bing.format(f'<a class="gs_sup_cit" data-url="{A}">1</a>', ""))
    assert [one.url for one in cited.reading.citations] == [A]
    (whole,) = turns_of(NAME, bing.format("", '<div class="gs_ai_disclaimer">AI</div>'))
    assert whole.reading.outcome is Outcome.ANSWERED


def test_a_page_without_an_answer_is_of_an_unknown_layout():
    assert read(
        NAME, [Exchange(b"<main>x</main>", headers=(("monitor-form", "dom"),))]
    ).outcome is (Outcome.LAYOUT_UNKNOWN)
    assert READERS[NAME].recognise(b"<main>x</main>") is None
    assert READERS[NAME].recognise(copilot("x").encode()) is Form.DOM
    with pytest.raises(PayloadError, match="expected dom"):
        READERS[NAME].turns(Document(b"x", Form.TEXT))
