"""What stands where an overview would be: refusals, absences, walls; all pages are synthetic."""

import pytest

from monitor.domain.engine import Outcome
from monitor.domain.turn import Form
from monitor.engines import READERS
from monitor.engines.google_ai_overview_web import NAME, recognise
from tests.unit.engines.google_pages import A, chip, first, overview, read_overview, turn

BODY = f'<div class="Y3BBE">It is so.{chip("u1")}</div>{first("u1", A, "4")}'


def test_words_of_a_refusal_count_only_where_they_are_seen_and_nothing_else_is():
    assert read_overview(overview(BODY)).reading.outcome is Outcome.ANSWERED
    declined = overview("").replace('jsname="L1sC6e" style="display:none"', 'jsname="L1sC6e"')
    reading = read_overview(declined).reading
    assert (reading.outcome, reading.reason) == (Outcome.NO_ANSWER, "declined")
    answered = overview(BODY).replace('jsname="L1sC6e" style="display:none"', 'jsname="L1sC6e"')
    assert read_overview(answered).reading.outcome is Outcome.ANSWERED


def test_whole_page_without_an_overview_says_there_is_none():
    whole = (
        '<html lang="en"><body id="gsr"><div data-attnms="ec" style="display:none">'
        '<div class="Fzsovc">AI Overview</div></div>'
        '<div id="rso"><div data-initq="x" class="related-question-pair"><div class="rPeykc">'
        '<div class="Fzsovc">AI Overview</div>Answer to another question</div></div></div>'
        '<div id="sfooter"></div></body></html>'
    )
    reading = read_overview(whole).reading
    assert (reading.outcome, reading.reason) == (Outcome.NO_ANSWER, "absent")
    cut = read_overview(whole.replace('<div id="sfooter"></div>', "")).reading
    assert cut.outcome is Outcome.LAYOUT_UNKNOWN
    assert recognise(whole.encode()) is Form.DOM


@pytest.mark.parametrize(
    "place",
    [
        '<div id="folsrch-ghost">Searching</div>',
        '<div data-async-type="folsrch"><div class="Fzsovc">AI Overview</div>Thinking…</div>',
        '<div data-async-type="folsrch"></div>',
    ],
)
def test_deferred_overview_is_neither_an_answer_nor_an_absence(place: str):
    # Bug report 8: a deferred overview was stored as an empty one.
    page = f'<html lang="en"><body id="gsr">{place}<div id="sfooter"></div></body></html>'
    reading = read_overview(page).reading
    assert reading.outcome is Outcome.LAYOUT_UNKNOWN
    assert "deferred" in reading.warnings[0]


def test_fragment_that_fills_a_deferred_overview_is_read_alone():
    # Bug report 8: the second request brings the body.
    fragment = f'<div data-async-type="folsrch"><div class="mZJni">{BODY}</div></div>'
    assert recognise(fragment.encode()) is Form.DOM
    reading = read_overview(fragment).reading
    assert (reading.outcome, reading.text) == (Outcome.ANSWERED, "It is so.")
    assert [one.url for one in reading.displayed] == [A]


SORRY = '<html><body><form id="captcha-form" action="index"><div class="g-recaptcha" data-sitekey="x"></div></form></body></html>'
CONSENT = (
    '<html><body id="google"><form action="https://consent.google.com/save"></form></body></html>'
)
SIGN_IN = '<html><body><form action="https://accounts.google.com/x"></form>google</body></html>'


def test_walls_are_told_by_what_is_seen():
    # Bug report 1: the page before the results was taken for the results.
    blocked = read_overview(SORRY).reading
    assert (blocked.outcome, blocked.reason) == (Outcome.BLOCKED, "captcha")
    assert read_overview(CONSENT).reading.outcome is Outcome.CONSENT_REQUIRED
    assert read_overview(SIGN_IN).reading.outcome is Outcome.LOGIN_REQUIRED
    assert read_overview(SORRY).reading.citations == ()
    assert recognise(SORRY.encode()) is None
    assert recognise(f"<!-- google -->{SORRY}".encode()) is Form.DOM


@pytest.mark.parametrize(
    ("url", "outcome"),
    [
        ("https://www.google.com/sorry/index?continue=x", Outcome.BLOCKED),
        ("https://google.co.uk/sorry/index", Outcome.BLOCKED),
        ("https://consent.google.de/ml", Outcome.CONSENT_REQUIRED),
        ("https://accounts.google.com/signin", Outcome.LOGIN_REQUIRED),
        ("https://www.google.com/search?q=sorry", Outcome.ANSWERED),
        ("https://notgoogle.example/sorry/", Outcome.ANSWERED),
    ],
)
def test_walls_are_told_by_the_address_before_anything_on_the_page(url: str, outcome: Outcome):
    assert read_overview(overview(BODY), url).reading.outcome is outcome


def test_healthy_page_that_speaks_of_walls_is_no_wall():
    # Bug report 10: marker words in the source of a healthy page.
    head = (
        '<meta http-equiv="Content-Security-Policy" content="script-src challenges.cloudflare.com">'
        "<script>var a='captcha-form g-recaptcha consent.google.com sorry/index Just a moment'</script>"
    )
    page = overview(BODY, head=head, after=f'<div style="display:none">{CONSENT}</div>')
    assert read_overview(page).reading.outcome is Outcome.ANSWERED
    absent = overview("", head=head).replace("AI Overview", "")
    reading = read_overview(absent).reading
    assert (reading.outcome, reading.reason) == (Outcome.NO_ANSWER, "absent")


def test_body_that_no_selector_finds_is_not_an_answer_without_citations():
    page = (
        '<html lang="fr"><body id="gsr"><div data-async-type="folsrch"><h2>Aperçu IA</h2>'
        f"<div><p>{'Des mots de la réponse. ' * 9}</p></div></div><div id=sfooter></div></body></html>"
    )
    one = read_overview(page)
    assert one.reading.outcome is Outcome.LAYOUT_UNKNOWN
    assert one.reading.warnings == ("an overview in fr stands there, its body was not found",)
    nameless = page.replace(' lang="fr"', "").replace("<h2", '<div class="Fzsovc"')
    assert read_overview(nameless.replace("</h2>", "</div>")).language == "fr"


def test_other_pages_are_not_ours():
    assert recognise(b"<html><body>google</body></html>") is None
    assert recognise(b'{"google": 1}') is None
    assert recognise(turn("q", "google").replace("turn", "aim").encode()) is None
    assert READERS[NAME].recognise(overview(BODY).encode()) is Form.DOM
