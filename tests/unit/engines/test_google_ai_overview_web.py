"""The overview's results page, saved or live; every page is synthetic (`google_pages`)."""

import pytest

from monitor.domain.engine import (
    EngineSettings,
    Exchange,
    Outcome,
    Placement,
    Reach,
    Retrieval,
    Role,
)
from monitor.domain.keys import canonical_json
from monitor.domain.panel import Prompt
from monitor.domain.turn import Panel
from monitor.engines import read
from monitor.engines.google_ai_overview_web import NAME, request
from monitor.engines.surfaces.selectors import load_selectors
from tests.unit.engines.google_pages import (
    A,
    B,
    C,
    D,
    again,
    card,
    chip,
    comment,
    first,
    overview,
    read_overview,
)

SAID = "It is so. Light does it."
WORDS = "Light does it."


def body() -> str:
    """Two paragraphs; the second button is a placeholder, sources stand after everything."""
    return (
        f'<div class="Y3BBE">{SAID}{chip("u1")}</div>'
        f'<div class="Y3BBE"><strong>In short:</strong>{chip("u2", shown=0)}</div>'
        f"<ul><li>First part{chip('u3')}</li></ul>"
        + first("u3", C, "9", "Gamma", "Gamma News")
        + first("u1", A, "4", "Alpha", "Alpha Org")
        + again("u3", A, "4")
        + first("u1", f"{B}#:~:text=so%20it%20is", "2", "Beta", "Beta Ltd")
    )


def displayed(page: str) -> list[tuple[str, int]]:
    reading = read_overview(page).reading
    return [(one.url, one.marks) for one in reading.citations if one.role is Role.DISPLAYED]


def test_the_address_has_the_question_its_language_and_country_and_nothing_personal():
    asked = request(Prompt(id="p", text="why & how", locale="en-GB"), EngineSettings())
    assert (asked.method, asked.url) == ("GET", "https://www.google.com/search")
    assert dict(asked.query) == {"q": "why & how", "hl": "en-GB", "gl": "gb", "pws": "0"}
    german = Prompt(id="p", text="x", locale="de")
    assert "gl" not in dict(request(german, EngineSettings()).query)
    assert dict(request(german, EngineSettings(country="AT")).query)["gl"] == "at"


def test_sources_are_joined_to_their_button_by_its_name_never_by_their_place():
    assert displayed(overview(body())) == [
        (A, 2),
        (f"{B}#:~:text=so%20it%20is", 1),
        (C, 1),
    ]


def test_a_source_has_the_place_of_its_first_mention_and_the_sentences_before_its_marks():
    reading = read_overview(overview(body())).reading
    alpha, beta, _ = reading.citations
    assert alpha.placement == Placement(
        reach=Reach.HOVER, group=0, group_size=2, place_in_group=0, publisher="Alpha Org"
    )
    assert beta.placement is not None
    assert (beta.placement.place_in_group, beta.title, beta.snippet) == (1, "Beta", "A snippet")
    assert [reading.text[one.start : one.end] for one in alpha.spans] == [WORDS, "- First part"]


def test_labels_of_buttons_are_in_no_text_and_parts_stand_apart():
    one = read_overview(overview(body()))
    assert one.reading.text == f"{SAID}\n\nIn short:\n\n- First part"
    assert (one.layout.in_document, one.layout.shown, one.layout.coverage) == (3, 2, 1.0)
    assert one.completeness.hidden_citations == 0
    assert one.completeness.offsets_exact


def test_page_tells_its_question_and_its_language():
    one = read_overview(overview(body()))
    assert (one.prompt, one.language, one.completeness.locale_known) == (
        "why is it so",
        "en-GB",
        True,
    )


def test_seventy_three_buttons_of_which_fifteen_are_shown():
    # Bug report 15: the buttons were counted, not what a reader sees.
    chips = "".join(
        f"<div class=Y3BBE>Phrase {n}.{chip(f'u{n}', shown=int(n < 15))}</div>" for n in range(73)
    )
    sources = "".join(first(f"u{n}", f"{A}/{n % 14}", str(n)) for n in range(15))
    one = read_overview(overview(chips + sources))
    assert (one.layout.in_document, one.layout.shown) == (73, 15)
    assert len(displayed(overview(chips + sources))) == 14
    assert sum(marks for _, marks in displayed(overview(chips + sources))) == 15
    assert one.reading.warnings == ("58 citation(s) in the document are not shown and not counted",)


def test_style_sheets_that_tell_another_number_are_reported():
    sheet = "<style>.x0{visibility:hidden} .x1{display:none}</style>"
    agreed = sheet.replace(" .x1{display:none}", "")
    assert read_overview(overview(body(), head=agreed)).layout.disagreements == ()
    differs = read_overview(overview(body(), head=sheet))
    assert differs.layout.shown == 2
    assert differs.layout.disagreements == (
        "pill: 2 shown by the page's records, 0 by its style sheets",
    )
    assert displayed(overview(body(), head=sheet)) == displayed(overview(body()))


def live(page: str, **fields: object) -> Exchange:
    record = {
        "contract": "browser-capture-2",
        "surface": NAME,
        "state": "complete",
        "prompt": "why is it so",
        "user_turn": "why is it so",
        "html": page,
    }
    return Exchange(canonical_json(record | fields), 200)


def test_what_a_browser_saw_goes_before_what_the_page_says_of_itself():
    seen = overview(body()).replace("<html", "<html data-monitor-asked")
    hidden = seen.replace('<span class="x1">', '<span class="x1" data-monitor-hidden>', 1)
    reading = read(NAME, [live(hidden)])
    # Now u2, a placeholder by its record, is seen, and u1 is not; u2 has no source in the page.
    assert [one.url for one in reading.displayed] == [C, A]
    assert reading.hidden_citations is None
    assert read(NAME, [live(seen, user_turn="another")]).outcome is Outcome.LAYOUT_UNKNOWN
    ended = read(NAME, [live(seen, state="no_answer", reason="declined")])
    assert (ended.outcome, ended.reason) == (Outcome.NO_ANSWER, "declined")


def test_button_that_was_seen_without_scrolling_says_so():
    numbered = overview(body()).replace("<html", "<html data-monitor-asked")
    for number in ("1", "2", "3"):
        numbered = numbered.replace(
            "<button data-icl", f"<button data-monitor-pill={number} data-icl", 1
        )
    numbered = numbered.replace('<span class="x0">', '<span class="x0" data-monitor-hidden>')
    reading = read(NAME, [live(numbered, in_view=[1])])
    told = [(one.url, one.placement and one.placement.in_view) for one in reading.citations]
    assert told == [(A, True), (f"{B}#:~:text=so%20it%20is", True), (C, False)]
    unasked = read_overview(overview(body())).reading.citations[0]
    assert unasked.placement is not None
    assert unasked.placement.in_view is None


def test_opened_button_shows_sources_that_the_page_does_not_hold():
    page = overview(f"<p>Words.{chip('u1').replace('<button', '<button data-monitor-pill=7')}</p>")
    opened = Panel("popover", f'<div><a href="{D}" aria-label="Delta">Delta</a></div>', "7")
    (only,) = read_overview(page, panels=(opened,)).reading.citations
    assert (only.url, only.title, only.role, only.marks) == (D, "Delta", Role.DISPLAYED, 1)


def test_opened_list_adds_what_the_page_lacks_and_none_of_its_other_links():
    about = '<a href="/search/about-this-result?origin=x">About</a>'
    help_page = '<a href="https://support.google.com/websearch">Learn more</a>'
    opened = Panel("sources", f"<div>{card(A, '4')}{about}{card(D, '7')}{help_page}</div>")
    rows = [
        (one.url, one.role, one.placement and one.placement.reach)
        for one in read_overview(
            overview(f"<p>Words.{chip('u1')}</p>{first('u1', A, '4')}"), panels=(opened,)
        ).reading.citations
    ]
    assert rows == [(A, Role.DISPLAYED, Reach.HOVER), (D, Role.LISTED, Reach.CLICK)]


def test_label_that_counts_more_sources_than_are_there_hides_the_others():
    page = overview(f"<p>Words.{chip('u1', label='Alpha (+3) - View')}</p>" + first("u1", A, "1"))
    one = read_overview(page)
    assert (one.reading.hidden_citations, one.completeness.hidden_citations) == (3, 3)
    assert one.reading.citations[0].placement is not None
    assert one.reading.citations[0].placement.group_size == 4


def test_lists_beside_an_answer_are_listed_once_with_what_a_reader_must_do():
    tray = card(A, "4") + card(D, "7") + card(C, "8")
    page = overview(
        f"<p>Words.{chip('u1')}</p>{first('u1', A, '4')}", tray=tray, beside=card(D, "7")
    )
    rows = [
        (one.url, one.role, one.marks, one.placement and one.placement.reach)
        for one in read_overview(page).reading.citations
    ]
    assert rows == [
        (A, Role.DISPLAYED, 1, Reach.HOVER),
        (D, Role.LISTED, 0, Reach.SHOWN),
        (C, Role.LISTED, 0, Reach.CLICK),
    ]


def test_entity_links_are_no_citations_and_redirects_are_taken_off():
    links = (
        '<a href="https://www.google.com/search?q=light&sei=1">light</a> and '
        f'<a href="/url?q={A}&sa=U">a page</a>'
    )
    goto = "https://www.google.com/goto?url=CAES"
    page = overview(
        f"<p>See {links}.{chip('u1')}</p>{first('u1', f'/url?url={B}%3Fx', '1')}"
        + first("u1", goto, "2")
    )
    rows = [(one.url, one.role) for one in read_overview(page).reading.citations]
    assert rows == [(f"{B}?x", Role.DISPLAYED), (goto, Role.DISPLAYED), (A, Role.LINK)]
    assert read_overview(page).reading.text == "See light and a page."


def test_nested_lists_and_the_first_paragraph_are_in_the_text():
    # Bug report 8: a list with a nested part lost words, and so did the first paragraph.
    nested = (
        "<p>First of all.</p><ul><li>Outer<ul><li>Inner one</li><li>Inner two</li></ul>"
        "<p>after</p></li></ul>"
    )
    one = read_overview(overview(nested))
    assert [line for line in one.reading.text.split("\n") if line] == [
        "First of all.",
        "- Outer",
        "- Inner one",
        "- Inner two",
        "after",
    ]
    assert one.layout.coverage == 1.0


def test_words_outside_the_body_lower_the_coverage_and_are_told():
    page = overview("<p>The rest of it is here.</p>").replace(
        '<div data-scope-id="turn">', '<div data-scope-id="turn"><p>Where the lead went to.</p>'
    )
    one = read_overview(page)
    # "Therestofitishere." is 18 of 18 + 19 visible letters ("Wheretheleadwentto." has 19).
    assert one.layout.coverage == pytest.approx(18 / 37)
    assert one.reading.warnings == ("49% of the visible text is in the answer",)


def test_old_layout_is_read_and_its_buttons_hide_what_they_cite():
    # Bug report 9: the old layout gave silence.
    old = (
        '<div class="WaaZC"><div class="rPeykc"><span>Old words.<span><div data-uuids="1">'
        '<div role="button">lbl</div></div></span></span></div></div><div><ul><li>A part</li></ul></div>'
    )
    lists = (
        f'<li class="LLtSOc"><a class="KEVENd" aria-label="Alpha" href="{A}"></a>'
        '<div class="mNme1d">Alpha</div><span class="gxZfx">Says</span></li>'
    )
    page = (
        '<html lang="en"><body id="gsr"><div data-attnms="tc">'
        f'<div jsname="dvXlsc">{old}</div><ul>{lists * 2}</ul></div></body></html>'
    )
    one = read_overview(page)
    assert one.reading.text == "Old words.\n\n- A part"
    (only,) = one.reading.citations
    assert (only.url, only.title, only.snippet, only.role) == (A, "Alpha", "Says", Role.LISTED)
    assert (one.layout.in_document, one.layout.shown, one.reading.hidden_citations) == (1, 1, None)


def test_page_without_records_is_judged_by_its_markup():
    stripped = (
        "<p>Words.<span><button data-icl-uuid=u1></button></span>"
        "<span hidden><button data-icl-uuid=u2></button></span></p>"
    )
    one = read_overview(overview(stripped, beside=card(A, "1")))
    assert (one.layout.in_document, one.layout.shown) == (2, 1)
    assert one.reading.hidden_citations is None
    assert one.reading.retrieval is Retrieval.USED
    assert [(c.url, c.role) for c in one.reading.citations] == [(A, Role.LISTED)]


def test_strange_records_are_passed_over_and_broken_ones_counted():
    page = overview(
        f"<p>Words.{chip('u1')}</p>{first('u1', A, '1')}"
        + comment([1, 2], ["u1"], [None] * 40, [["u1"]], ["u1", [1], 2], ["u1", "1", "x", 4])
        + comment(["u1", "2", 0, "javascript:alert(1)", "", ""])
        + "<!--Ab12Cd[[broken-->"
    )
    reading = read_overview(page).reading
    assert [one.url for one in reading.citations] == [A]
    assert reading.warnings == ("1 comment(s) with sources could not be read",)


def test_every_selector_can_be_read_and_the_roles_for_the_driver_are_there():
    selectors = load_selectors(NAME)
    roles = {one.role for one in selectors.selectors}
    assert {"turn", "answer", "user_turn", "pill", "expand", "declined", "absent_known", "captcha",
            "consent", "end_mark", "pending", "sources_button", "sources_panel",
            "account"} <= roles  # fmt: skip
    assert not {"prompt", "send"} & roles
    assert selectors.terms is not None
    assert selectors.terms.url == "https://policies.google.com/terms"
