"""Google AI Overview as its results page shows it, in pages captured live or saved by hand.

Where citations live. After a phrase stands a button (`button[data-icl-uuid]`) without an address;
most buttons are placeholders that nobody sees. Comments of the page name the sources of each
(`surfaces.google_payload`); a reader sees them by hovering. A tray lists them all once more: three
stand beside the overview, the rest after a click, so a source that only the tray has is listed.
Linked names lead to Google's own search and are no citations. The layout of 2025 had buttons whose
sources the page does not hold; its list of sources is read.
What is visible. A browser's word where the page was captured live, else the page's own records.
States. Inline; deferred (a place that is filled later: `layout_unknown`, for nobody knows what
would have come); declined, where Google's words for it are seen (they are hidden in every page);
absent, where the page came to its end without an overview. A body that no selector finds is
`layout_unknown`, never an answer without citations.
Forms. DOM: a page saved in any way, or the fragment that `/async/folsrch` fills in.

For the driver. The question is in the address (`request`): nothing is typed, so there are no roles
`prompt` and `send`. `user_turn` is the search box: its value, else its text, must be the prompt.
`turn_id` is null. `html` holds the whole page with its comments, or at least the `place`. `expand`
is opened first. `turn` is the overview's place once an answer stands in it; its `end_mark` says so,
`pending` that it is still empty. Words of `declined` count only where they are visible and no
`answer` is.
"""

from lxml import etree
from lxml.html import HtmlElement

from monitor.domain.engine import (
    Access,
    Engine,
    EngineSettings,
    Exchanges,
    Outcome,
    Reading,
    Request,
    Surface,
    no_follow_up,
)
from monitor.domain.panel import Prompt
from monitor.domain.turn import Document, Form, Turn
from monitor.engines.surfaces.google_page import (
    TITLES,
    GooglePage,
    find_on,
    language_of,
    open_page,
    search_page,
    wall_by_address,
    wall_shown,
)
from monitor.engines.surfaces.google_text import visible_letters
from monitor.engines.surfaces.google_turn import ended_turn, read_turn
from monitor.engines.surfaces.reading import read_surface
from monitor.markup.select import outermost

NAME = "google_ai_overview_web"

_OWN = ("place", "answer", "legacy_block", "own_page")
_SIGNS = (b"google", b"gsr", b"data-icl-uuid", b"folsrch")
_FEW = 60
"""Letters of a place that has no answer yet: its title, and that it is thinking."""


def recognise(body: bytes) -> Form | None:
    """DOM for a results page of Google, a fragment of one, or a wall before it."""
    if b"<" not in body[:4096] or not any(one in body for one in _SIGNS):
        return None
    found = find_on(NAME, body, *_OWN, "mode")
    return Form.DOM if not found["mode"] and any(found.values()) else None


def turns(document: Document) -> tuple[Turn, ...]:
    """The one overview of a page, or what stands in its place."""
    page = open_page(NAME, document)
    wall = wall_by_address(page)
    if wall is not None:
        return (ended_turn(page, wall),)
    scope, bodies = _bodies(page)
    if scope is not None:
        return (read_turn(page, scope, bodies, finished=True),)
    return (ended_turn(page, _without(page)),)


def parse(exchanges: Exchanges) -> Reading:
    """Reading of a live capture or of a page that was handed in."""
    return read_surface(NAME, exchanges, recognise=recognise, turns=turns)


def request(prompt: Prompt, settings: EngineSettings) -> Request:
    """Address of the results page."""
    return search_page(prompt, settings.country, settings.base_url)


def _bodies(page: GooglePage) -> tuple[HtmlElement | None, tuple[HtmlElement, ...]]:
    """The overview's place and its bodies; None where no body with words is found."""
    bodies = _own(page, "answer")
    if not bodies and _own(page, "legacy_block"):
        blocks = frozenset(_own(page, "legacy_block"))
        areas = _own(page, "legacy_answer")
        bodies = tuple(one for one in areas if any(inner in blocks for inner in one.iter("div")))
        bodies = bodies or tuple(blocks)
    bodies = tuple(one for one in bodies if "".join(one.itertext()).strip())
    if not bodies:
        return None, ()
    places = page.members.get("place", frozenset())
    around = [one for one in bodies[0].iterancestors() if one in places]
    scope = around[-1] if around else page.tree
    known = frozenset(scope.iter("div"))
    return scope, tuple(one for one in bodies if one in known or scope is page.tree)


def _own(page: GooglePage, role: str) -> tuple[HtmlElement, ...]:
    """Outermost parts of a role that do not answer another question of the page."""
    others = page.members.get("other_answer", frozenset())
    places = page.members.get("place", frozenset())
    several = outermost(page.all(role))
    inside = tuple(one for one in several if not any(up in others for up in one.iterancestors()))
    placed = tuple(one for one in inside if any(up in places for up in one.iterancestors()))
    return placed or (inside if not places or role in {"answer", "place"} else ())


def _without(page: GooglePage) -> Reading:
    """Outcome of a page that has no body of an overview."""
    wall = wall_shown(page)
    if wall is not None:
        return wall
    if any(page.shown(one) and _says(page, one) for one in page.all("declined")):
        return Reading(Outcome.NO_ANSWER, "declined")
    places = tuple(one for one in _own(page, "place") if page.shown(one))
    if page.sees("pending") or (_is_titled(page) and _letters_in(page, places) < _FEW):
        return _unknown("the overview is deferred: its place is there, its text was not yet")
    if _is_titled(page):
        return _unknown(f"an overview in {language_of(page)} stands there, its body was not found")
    if page.sees("absent_known"):
        return Reading(Outcome.NO_ANSWER, "absent")
    return _unknown("no overview was found, and the end of the page neither")


def _is_titled(page: GooglePage) -> bool:
    """Whether the heading of an overview is seen, at its place or in words we know."""
    places, others = page.members["place"], page.members["other_answer"]
    for role in ("title", "any_title"):
        for one in page.all(role):
            words = " ".join("".join(one.itertext()).split())
            above = frozenset(one.iterancestors())
            known = words in TITLES or (role == "title" and words and above & places)
            if known and page.shown(one) and not above & others:
                return True
    return False


def _letters_in(page: GooglePage, places: tuple[HtmlElement, ...]) -> int:
    return sum(visible_letters(page, one) for one in places)


def _says(page: GooglePage, element: HtmlElement) -> bool:
    """Whether an element has words that are shown."""
    return any(page.shown(one) and (one.text or "").strip() for one in element.iter(etree.Element))


def _unknown(why: str) -> Reading:
    return Reading(Outcome.LAYOUT_UNKNOWN, warnings=(why,))


ENGINE = Engine(
    name=NAME,
    label="Google AI Overview (browser)",
    access=Access.BROWSER,
    surface=Surface.BROWSER,
    request=request,
    follow_up=no_follow_up,
    parse=parse,
    auth=None,
    default_model=None,
    call_micros=0,
    lists_sources=True,
)
