"""AI Mode's page with its turns; every page is synthetic (`google_pages`)."""

import pytest

from monitor.domain.engine import EngineSettings, Exchange, Outcome, Reach, Role
from monitor.domain.keys import canonical_json
from monitor.domain.panel import Prompt
from monitor.domain.turn import Document, Form
from monitor.engines import READERS, read
from monitor.engines import google_ai_overview_web as beside
from monitor.engines.google_ai_mode_web import NAME, recognise, request
from monitor.engines.surfaces.selectors import load_selectors
from tests.unit.engines.google_pages import (
    A,
    B,
    C,
    D,
    again,
    card,
    first,
    mode,
    mode_chip,
    overview,
    read_mode,
    turn,
)


def one_turn() -> str:
    """A labelled button of two sources, a placeholder, a small button without a label."""
    return turn(
        "What is it",
        '<div class="n6owBd">It is this.'
        + mode_chip("u1", total=2, flag=1, url=A, publisher="Alpha Org")
        + f'</div><div class="n6owBd">Perhaps.{mode_chip("u2", total=0, flag=0)}</div>'
        + f'<div class="n6owBd">Or that.{mode_chip("u3", total=0, flag=0)}</div>',
        beside=card(A, "1") + card(B, "2") + card(A, "1") + card(D, "5"),
    )


SOURCES = first("u1", A, "1", "Alpha") + first("u3", C, "3") + again("u1", B, "2")


def test_the_address_asks_for_the_mode():
    asked = request(Prompt(id="p", text="x", locale="fr-FR"), EngineSettings())
    assert dict(asked.query) == {"q": "x", "hl": "fr-FR", "gl": "fr", "pws": "0", "udm": "50"}


def test_button_is_shown_where_it_has_sources_labelled_or_not():
    (only,) = read_mode(mode(one_turn(), after=SOURCES))
    assert (only.layout.in_document, only.layout.shown) == (3, 2)
    rows = [
        (c.url, c.role, c.marks, c.placement and c.placement.reach) for c in only.reading.citations
    ]
    # The label names its first source and leads there; what stands in the list stands there.
    assert rows == [
        (A, Role.DISPLAYED, 1, Reach.SHOWN),
        (B, Role.DISPLAYED, 1, Reach.HOVER),
        (C, Role.DISPLAYED, 1, Reach.HOVER),
        (D, Role.LISTED, 0, Reach.SHOWN),
    ]
    assert only.reading.hidden_citations == 0


def test_label_its_link_and_the_footer_are_no_words_of_the_answer():
    # Bug report 9: words of labels stood in the text.
    (only,) = read_mode(mode(one_turn(), after=SOURCES))
    assert only.reading.text == "It is this.\n\nPerhaps.\n\nOr that."
    assert only.layout.coverage == 1.0
    assert (only.prompt, only.language) == ("What is it", "de")


def test_source_that_a_list_alone_has_takes_its_name_from_there_and_counts_once():
    (only,) = read_mode(mode(one_turn(), after=SOURCES))
    beta = only.reading.citations[1]
    assert (beta.title, beta.snippet) == ("Card title", "Says so")
    assert beta.placement is not None
    assert (beta.placement.group, beta.placement.place_in_group) == (0, 1)


def test_label_that_says_more_than_the_page_holds_hides_the_rest():
    few = turn("q", f"<p>So.{mode_chip('u1', total=4, flag=1, url=A, publisher='Alpha')}</p>")
    (only,) = read_mode(mode(few))
    # "(+3)": four in all, of which the label's own address is known.
    assert [(c.url, c.marks) for c in only.reading.citations] == [(A, 1)]
    assert (only.reading.hidden_citations, only.completeness.hidden_citations) == (3, 3)
    assert only.reading.warnings == ("3 source(s) behind labels are not in the page",)


def test_five_turns_of_seventy_three_buttons_count_what_each_shows():
    # Bug report 15, by the counts of a real page: 15 of 73 shown, turns 6/3/0/6/0.
    shown, number, turns, sources = (6, 3, 0, 6, 0), 0, [], ""
    for asked, some in enumerate(shown):
        body = ""
        for place in range(15 if asked < 4 else 13):
            uuid = f"u{number}"
            number += 1
            body += f"<p>Words {place}.{mode_chip(uuid, total=0, flag=0)}</p>"
            if place < some:
                sources += first(uuid, f"{A}/{asked}/{place}", str(place))
        turns.append(turn(f"Question {asked}", body))
    several = read_mode(mode(*turns, after=sources))
    assert tuple(one.layout.shown for one in several) == shown
    assert sum(one.layout.in_document for one in several) == 73
    assert [one.prompt for one in several] == [f"Question {n}" for n in range(5)]
    assert [one.index for one in several] == [0, 1, 2, 3, 4]
    assert several[2].reading.outcome is Outcome.ANSWERED
    assert several[2].reading.citations == ()


def test_numbers_of_sources_begin_anew_in_each_turn():
    page = mode(
        turn("a", f"<p>One.{mode_chip('u1', total=0, flag=0)}</p>"),
        turn(
            "b", f"<p>Two.{mode_chip('u2', total=0, flag=0)}{mode_chip('u3', total=0, flag=0)}</p>"
        ),
        after=first("u1", A, "1", "Alpha") + first("u2", B, "1", "Beta") + again("u3", B, "1"),
    )
    titles = [[c.title for c in one.reading.citations] for one in read_mode(page)]
    assert titles == [["Alpha"], ["Beta"]]


def test_turn_without_its_footer_is_truncated_when_saved_and_finished_when_a_browser_said_so():
    page = mode(turn("q", "<p>Some words</p>", foot=False))
    (only,) = read_mode(page)
    assert only.reading.outcome is Outcome.TRUNCATED
    assert only.reading.warnings == ("the mark of a finished answer is missing",)
    record = {
        "contract": "browser-capture-2",
        "surface": NAME,
        "state": "complete",
        "prompt": "q",
        "user_turn": "q",
        "html": page.replace("<html", "<html data-monitor-asked"),
    }
    assert read(NAME, [Exchange(canonical_json(record), 200)]).outcome is Outcome.ANSWERED


def test_shell_whose_answer_comes_later_is_no_answer():
    (only,) = read_mode(mode())
    assert only.reading.outcome is Outcome.LAYOUT_UNKNOWN
    assert "deferred" in only.reading.warnings[0]


@pytest.mark.parametrize(
    ("page", "outcome"),
    [
        ('<form id="captcha-form"></form>', Outcome.BLOCKED),
        ('<form action="https://consent.google.com/save"></form>', Outcome.CONSENT_REQUIRED),
        ('<form action="https://accounts.google.com/x"></form>', Outcome.LOGIN_REQUIRED),
        (f'{mode(one_turn())}<form id="captcha-form"></form>', Outcome.ANSWERED),
    ],
)
def test_wall_is_what_stands_instead_of_an_answer(page: str, outcome: Outcome):
    assert read_mode(page)[-1].reading.outcome is outcome


def test_last_outermost_body_of_a_turn_is_read_and_what_it_leaves_is_told():
    page = mode(turn("q", "<p>Later words</p>")).replace(
        '<div data-container-id="main-col">',
        '<div data-container-id="main-col">Earlier words</div><div data-container-id="main-col">',
    )
    (only,) = read_mode(page)
    assert only.reading.text == "Later words"
    # "Laterwords" is 10 letters, "Earlierwords" is 12.
    assert only.layout.coverage == pytest.approx(10 / 22)
    assert "45% of the visible text is in the answer" in only.reading.warnings


def test_answer_is_chosen_by_its_number_and_the_last_one_without():
    page = mode(turn("a", "<p>First words</p>"), turn("b", "<p>Second words</p>")).encode()
    assert read(NAME, [Exchange(page, 200)]).text == "Second words"
    assert read(NAME, [Exchange(page, 200, (("monitor-turn", "0"),))]).text == "First words"


def test_mode_and_overview_are_told_apart():
    page, fragment = mode(one_turn()).encode(), one_turn().encode()
    assert [recognise(page), beside.recognise(page)] == [Form.DOM, None]
    assert [recognise(fragment), beside.recognise(fragment)] == [Form.DOM, None]
    assert recognise(overview("<p>Words</p>").encode()) is None
    assert recognise(b'{"data-xid": "<"}') is None
    (only,) = READERS[NAME].turns(
        Document(fragment, Form.DOM, "https://www.google.com/async/folwr")
    )
    assert only.reading.text == "It is this.\n\nPerhaps.\n\nOr that."


def test_every_selector_can_be_read_and_the_roles_for_the_driver_are_there():
    selectors = load_selectors(NAME)
    roles = {one.role for one in selectors.selectors}
    assert {"turn", "answer", "user_turn", "pill", "end_mark", "captcha", "consent",
            "account"} <= roles  # fmt: skip
    assert not {"prompt", "send"} & roles
    assert selectors.terms is not None
