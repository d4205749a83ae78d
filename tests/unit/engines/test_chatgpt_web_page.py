"""ChatGPT's page; all input is synthetic."""

import json

import pytest

from monitor.domain.engine import EngineSettings, Exchange, Outcome, Reach, Retrieval, Role
from monitor.domain.panel import Prompt
from monitor.domain.turn import Document, Form, Panel
from monitor.engines import ENGINES, READERS, read
from monitor.engines.surfaces.selectors import load_selectors
from monitor.errors import ConfigError, PayloadError
from tests.growth import grows_in_proportion
from tests.unit.engines.chat_pages import COPY, A, B, C, chatgpt, page_turn, pill, turns_of

NAME = "chatgpt_web"
PROMPT = Prompt("p1", "Question 0?", "en-GB")


def urls(turn, role=Role.DISPLAYED):
    return [one.url for one in turn.reading.citations if one.role is role]


def popover(*pages: str, anchor: str | None = "0") -> Panel:
    links = "".join(f'<a href="{one}">Title of {one}</a>' for one in pages)
    return Panel("popover", f"<div>{links}</div>", anchor)


def test_pills_are_citations_and_their_labels_are_no_words():
    turn = page_turn(
        f"<p>First so. Then so{pill(A, 'Alpha')}. More.</p><p>End{pill(B, 'Beta')}</p>"
    )
    assert turn.reading.text == "First so. Then so. More.\n\nEnd"
    assert urls(turn) == [A, B]
    (span,) = turn.reading.citations[0].spans
    assert turn.reading.text[span.start : span.end] == "Then so"
    assert (turn.prompt, turn.id) == ("Question 0?", "turn-0")
    assert turn.reading.served_model == "model-x"
    assert turn.reading.retrieval is Retrieval.USED
    assert (turn.layout.in_document, turn.layout.shown, turn.layout.coverage) == (2, 2, 1.0)


def test_a_pill_of_three_tells_that_two_addresses_are_not_in_the_document():
    """Bug report 7: grouped citations became one."""
    turn = page_turn(f"<p>So{pill(A, 'Alpha', more='+2')}.</p>")
    (cited,) = turn.reading.citations
    assert (cited.placement.group_size, cited.placement.publisher) == (3, "Alpha")
    assert turn.reading.hidden_citations == turn.completeness.hidden_citations == 2


def test_what_a_pill_showed_when_hovered_makes_its_group_whole():
    """Bug report 7, live."""
    answer = f"<p>One{pill(B, 'Beta', number=0)}. So{pill(A, 'Alpha', number=1, more='+2')}.</p>"
    turn = page_turn(answer, popover(A, B, C, anchor="1"), in_view=frozenset({"0"}))
    assert turn.reading.hidden_citations == 0
    assert [(one.url, one.marks, one.placement.reach) for one in turn.reading.citations] == [
        (B, 2, Reach.SHOWN),
        (A, 1, Reach.SHOWN),
        (C, 1, Reach.HOVER),
    ]
    assert [one.placement.in_view for one in turn.reading.citations] == [True, False, False]
    assert turn.reading.citations[2].placement.place_in_group == 2


def test_a_popover_that_was_open_when_the_page_was_saved_counts_for_its_pill():
    shown = f'<div data-radix-popper-content-wrapper><a href="{A}">1</a><a href="{B}">2</a></div>'
    page = chatgpt(f"<p>So{pill(A, 'Alpha', more='+1')}.</p>") + shown
    (turn,) = turns_of(NAME, page)
    assert (urls(turn), turn.reading.hidden_citations) == ([A, B], 0)


def test_pills_of_two_layouts_are_united_and_the_difference_is_told():
    """Bug report 14: a first selector that still finds some hides those it no longer finds."""
    bare = f'<span><a href="{B}" alt="{B}">Beta</a></span>'
    turn = page_turn(f"<p>One{pill(A, 'Alpha')}. Two{bare}.</p>")
    assert urls(turn) == [A, B]
    (told,) = turn.layout.disagreements
    assert told.startswith("pill: 2 elements")
    assert told in turn.reading.warnings


def test_an_answer_whose_pills_no_selector_finds_is_of_an_unknown_layout():
    """Bug report 14: the page changed, and an anchor counter reported none."""
    turn = page_turn("<p>One thing is so<span class='new'>facebook+1</span>.</p>")
    assert turn.reading.outcome is Outcome.LAYOUT_UNKNOWN
    assert turn.reading.hidden_citations is None


@pytest.mark.parametrize(
    "leftover",
    ["<span>+1</span>", "<button>Alpha +2</button>", "【8†source】", "\ue200cite\ue202turn0\ue201",
     "\ue206", "<i>contentReference[oaicite:0]{index=0}</i>"],
)  # fmt: skip
def test_signs_of_citations_are_an_unknown_layout_where_none_is_found(leftover):
    assert page_turn(f"<p>Words {leftover} here.</p>").reading.outcome is Outcome.LAYOUT_UNKNOWN
    known = page_turn(f"<p>Words {leftover} here{pill(A, 'Alpha')}.</p>")
    assert known.reading.outcome is Outcome.ANSWERED


@pytest.mark.parametrize(
    "words", ["It is UTC+1.", "<pre><span>a+1</span></pre>", "<code>x【1】</code>", "Score: 3 + 2"]
)
def test_sums_and_code_are_no_signs_of_citations(words):
    assert page_turn(f"<p>{words}</p>").reading.outcome is Outcome.ANSWERED


def test_no_private_character_and_no_token_stays_in_the_text():
    """Bug report 6, in the page."""
    turn = page_turn(f"<p>So \ue200cite\ue202turn0search0\ue201it is\ue203.{pill(A, 'Alpha')}</p>")
    assert turn.reading.text == "So it is."


def test_a_button_for_sources_without_citations_is_an_unknown_layout():
    page = chatgpt("<p>Words.</p>", after=f'{COPY}<button aria-label="Sources">Sources</button>')
    (turn,) = turns_of(NAME, page)
    assert turn.reading.outcome is Outcome.LAYOUT_UNKNOWN


def test_an_answer_without_citations_needs_the_sign_that_it_is_whole():
    (turn,) = turns_of(NAME, chatgpt("<p>Words.</p>", after=""))
    assert turn.reading.outcome is Outcome.LAYOUT_UNKNOWN
    whole = page_turn("<p>Words.</p>")
    assert (whole.reading.outcome, whole.reading.citations) == (Outcome.ANSWERED, ())
    assert whole.reading.retrieval is Retrieval.UNKNOWN


def test_pills_that_nobody_sees_are_not_displayed():
    hidden = f'<span style="visibility:hidden">{pill(B, "Beta")}</span>'
    turn = page_turn(f"<p>One{pill(A, 'Alpha')}. Two{hidden}.</p>")
    assert urls(turn) == [A]
    assert (turn.layout.in_document, turn.layout.shown) == (2, 1)
    assert turn.reading.warnings == ("1 citation(s) in the document are not shown and not counted",)


def test_widgets_maps_and_advertisements_are_neither_words_nor_citations():
    cards = (
        f'<div data-testid="dil-widget-shell">21 degrees <a href="{A}">more</a></div>'
        f'<div data-testid="businesses-map-widget"><a href="{B}">Place</a></div>'
        f'<a rel="noopener sponsored" href="{C}">Buy it</a>'
    )
    turn = page_turn(f"<p>Words.</p>{cards}")
    assert (turn.reading.text, turn.reading.citations) == ("Words.", ())


def test_links_in_prose_are_links_and_the_surface_itself_is_none():
    links = (
        f'<a href="{A}?utm_source=chatgpt.com">a page</a> <a href="https://chatgpt.com/g/x">own</a>'
        f' <a href="/c/1">own</a> <a href="mailto:a@b.example">mail</a>'
    )
    turn = page_turn(f"<p>See {links}.</p>")
    assert urls(turn, Role.LINK) == [f"{A}?utm_source=chatgpt.com"]
    assert urls(turn) == []
    assert turn.reading.text == "See a page own own mail."


def test_a_page_that_is_both_linked_and_cited_is_displayed_once():
    turn = page_turn(
        f'<p>See <a href="{A}">it</a>{pill(A + "?utm_source=chatgpt.com", "Alpha")}</p>'
    )
    assert [(one.role, one.marks) for one in turn.reading.citations] == [(Role.DISPLAYED, 1)]


def test_the_opened_list_of_sources_is_listed_for_the_last_answer():
    panel = Panel("sources", f'<div><a href="{A}">One</a><a href="{B}">Two</a></div>')
    first, last = turns_of(
        NAME, chatgpt("<p>A.</p>", f"<p>B{pill(A, 'Alpha')}</p>"), Form.DOM, panel
    )
    assert first.reading.citations == ()
    assert (urls(last), urls(last, Role.LISTED)) == ([A], [B])
    assert last.reading.citations[1].placement.reach is Reach.CLICK


def test_turns_are_told_by_their_test_id_whatever_their_element_is():
    page = chatgpt(f"<p>So{pill(A, 'Alpha')}.</p>").replace("section", "article")
    (turn,) = turns_of(NAME, page)
    assert urls(turn) == [A]


def test_an_answer_without_an_element_for_its_turn_is_read_too():
    page = (
        '<div data-message-author-role="user">Q?</div><div data-message-author-role="assistant" '
        f'data-message-id="m1"><div class="markdown"><p>So{pill(A, "Alpha")}.</p></div></div>'
    )
    (turn,) = turns_of(NAME, page)
    assert (turn.prompt, turn.id, urls(turn)) == ("Q?", "m1", [A])


@pytest.mark.parametrize(
    ("page", "outcome"),
    [
        (chatgpt("<p>Half</p>", ids=("request-placeholder-1",)), Outcome.TRUNCATED),
        (chatgpt('<p class="streaming-animation">Half</p>'), Outcome.TRUNCATED),
        (chatgpt("<p>Half</p>") + '<button data-testid="stop-button">x</button>', Outcome.TRUNCATED),
        (chatgpt("", ids=("request-placeholder-1",)), Outcome.TIMEOUT),
        (chatgpt("").replace('"markdown"', '"markdown result-thinking"'), Outcome.TIMEOUT),
        (chatgpt("<p> </p>"), Outcome.ERROR),
        (chatgpt("<p>Words</p>").replace('"markdown"', '"renamed"'), Outcome.LAYOUT_UNKNOWN),
        (chatgpt("<p>Words</p>").replace("<main>", "<main hidden>"), Outcome.LAYOUT_UNKNOWN),
    ],
)  # fmt: skip
def test_what_is_no_whole_answer_is_never_answered(page, outcome):
    (turn,) = turns_of(NAME, page)
    assert turn.reading.outcome is outcome


@pytest.mark.parametrize(
    ("wall", "outcome", "reason"),
    [
        ('<form id="challenge-form">x</form>', Outcome.BLOCKED, "challenge"),
        ('<div id="modal-no-auth-login">Log in</div>', Outcome.LOGIN_REQUIRED, None),
        ('<div role="dialog"><a href="/cookie-policy">x</a></div>', Outcome.CONSENT_REQUIRED, None),
    ],
)
def test_a_wall_instead_of_answers_is_its_own_outcome(wall, outcome, reason):
    (turn,) = turns_of(NAME, f"<main>{wall}</main>")
    assert (turn.reading.outcome, turn.reading.reason) == (outcome, reason)
    assert turns_of(NAME, f"<main><div hidden>{wall}</div></main>") == ()


def live(html: str, **fields) -> Exchange:
    payload = {
        "contract": "browser-capture-2", "surface": NAME, "state": "complete", "html": html,
        "prompt": "Question 0?", "user_turn": "Question  0?", "turn_id": "turn-0",
    } | fields  # fmt: skip
    return Exchange(json.dumps(payload, sort_keys=True, separators=(",", ":")).encode())


def test_a_live_capture_is_read_by_the_same_way():
    html = chatgpt(f"<p>So{pill(A, 'Alpha', number=0, more='+1')}.</p>")
    panel = {"name": "popover", "html": f'<a href="{A}">1</a><a href="{B}">2</a>', "anchor": "0"}
    reading = read(NAME, [live(html, panels=[panel], in_view=[0], searched=["deep words"])])
    assert [one.url for one in reading.citations] == [A, B]
    assert reading.citations[0].placement.in_view is True
    assert (reading.hidden_citations, reading.queries) == (0, ("deep words",))


def test_a_live_capture_that_shows_no_search_says_so_only_where_the_page_tells():
    html = chatgpt("<p>Words.</p>")
    assert read(NAME, [live(html, searched=[])]).retrieval is Retrieval.NOT_USED
    assert read(NAME, [live(html, searched=None)]).retrieval is Retrieval.UNKNOWN
    cited = chatgpt(f"<p>So{pill(A, 'Alpha')}.</p>")
    assert read(NAME, [live(cited, searched=[])]).retrieval is Retrieval.USED


def test_a_live_answer_to_another_prompt_is_nobodys():
    reading = read(NAME, [live(chatgpt("<p>Words.</p>"), user_turn="Another?")])
    assert reading.outcome is Outcome.LAYOUT_UNKNOWN


def test_forms_are_recognised_by_what_the_bytes_hold():
    recognise = READERS[NAME].recognise
    assert recognise(chatgpt("<p>A.</p>").encode()) is Form.DOM
    for other in (b"", b"<html></html>", b"\x00\xff", b"You said", b"[]"):
        assert recognise(other) is None
    with pytest.raises(PayloadError, match="expected dom"):
        READERS[NAME].turns(Document(b"x", Form.STREAM))


def test_nesting_without_end_is_read_as_far_as_it_goes():
    deep = "<div>" * 20_000 + f"Words{pill(A, 'Alpha')}" + "</div>" * 20_000
    outcomes = {one.reading.outcome for one in turns_of(NAME, chatgpt(deep))}
    assert Outcome.ANSWERED not in outcomes


def test_very_many_pills_take_time_in_proportion():
    def read(many):
        pills = "".join(f"fact{pill(f'{A}/{i}', 'Alpha')} " for i in range(many))
        turn = page_turn(f"<p>{pills}</p>")
        assert len(turn.reading.citations) == turn.layout.shown == many

    assert grows_in_proportion(read, 50)


def test_the_address_is_a_new_chat_and_options_are_named():
    engine = ENGINES[NAME]
    assert engine.request(PROMPT, EngineSettings()).url == "https://chatgpt.com/"
    options = EngineSettings(model="m", options={"temporary": True, "search": True})
    query = engine.request(PROMPT, options).query
    assert query == (("model", "m"), ("temporary-chat", "true"), ("hints", "search"))
    with pytest.raises(ConfigError, match="temporary"):
        engine.request(PROMPT, EngineSettings(options={"temporery": True}))


@pytest.mark.parametrize("name", ["chatgpt_web", "copilot_web", "gemini_app"])
def test_selectors_say_when_and_where_they_were_seen(name):
    selectors = load_selectors(name)
    assert selectors.terms is not None
    assert selectors.terms.url.startswith("https://")
    assert {one.seen_in for one in selectors.selectors} <= {"sample", "notes", "own"}
    assert {one.confidence for one in selectors.selectors} <= {"high", "medium", "low"}
    for role in ("prompt", "send", "turn", "user_turn", "answer", "end_mark", "pill", "account"):
        assert selectors.css(role) or (name, role) == ("copilot_web", "account")


@pytest.mark.parametrize("name", ["copilot_web", "gemini_app"])
def test_citations_that_no_real_page_showed_are_called_unverified(name):
    pills = load_selectors(name).of("pill")
    assert {(one.seen_in, one.confidence) for one in pills} == {("notes", "low")}
    assert "unverified" in ENGINES[name].label
