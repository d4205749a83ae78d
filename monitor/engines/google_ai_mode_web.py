"""Google AI Mode as its page shows it, in pages captured live or saved by hand.

Where citations live. As in the overview: buttons without addresses, sources in the page's comments,
joined by UUID (`surfaces.google_payload`). Four of five buttons are placeholders that nobody sees.
A labelled button names its first source and how many more there are ("Name (+2)"); a small one has
no label and has sources all the same. The list on the right shows the sources of a turn, the first
three twice; one that only the list has is listed.
Turns. A page holds several questions with their answers; source numbers begin anew in each.
States. A turn is finished when its footer is there; a saved page without it is `truncated`. A page
of AI Mode without any turn is `layout_unknown`: its answer comes by a second request.
Forms. DOM: a page saved in any way, or the fragment that `/async/folwr` or `/async/folif` fills in.

For the driver. The question is in the address (`request`, udm=50): nothing is typed, so there are
no roles `prompt` and `send`. `user_turn` is the question as the turn repeats it, else the search
box, its value or its text: it must be the prompt. `turn_id` is null; the last `turn` is read.
`html` holds the whole page with its comments: they may stand after the turns. `end_mark` is the
footer; it can be missing, then the text must have been still for 10 seconds. The text pauses for up
to 2.6 seconds while it is written.
"""

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
    GooglePage,
    find_on,
    open_page,
    search_page,
    wall_by_address,
    wall_shown,
)
from monitor.engines.surfaces.google_turn import ended_turn, read_turn
from monitor.engines.surfaces.reading import read_surface
from monitor.markup.select import outermost

NAME = "google_ai_mode_web"


def recognise(body: bytes) -> Form | None:
    """DOM for a page of AI Mode or a fragment of one."""
    if b"<" not in body[:4096] or b"data-xid" not in body:
        return None
    return Form.DOM if find_on(NAME, body, "mode")["mode"] else None


def turns(document: Document) -> tuple[Turn, ...]:
    """Questions of a page with their answers, in the order shown."""
    page = open_page(NAME, document)
    wall = wall_by_address(page)
    if wall is not None:
        return (ended_turn(page, wall),)
    found: list[Turn] = []
    for scope in _scopes(page):
        body = _body(page, scope)
        if body is not None:
            finished = page.asked or next(page.inside(scope, "end_mark"), None) is not None
            found.append(read_turn(page, scope, (body,), finished=finished, index=len(found)))
    if found:
        return tuple(found)
    unknown = Reading(
        Outcome.LAYOUT_UNKNOWN, warnings=("the page has no answer yet, it is deferred",)
    )
    return (ended_turn(page, wall_shown(page) or unknown),)


def parse(exchanges: Exchanges) -> Reading:
    """Reading of a live capture or of a handed-in page: its last turn, or the one that is named."""
    return read_surface(NAME, exchanges, recognise=recognise, turns=turns)


def request(prompt: Prompt, settings: EngineSettings) -> Request:
    """Address of AI Mode with the question in it."""
    return search_page(prompt, settings.country, settings.base_url, "50")


def _scopes(page: GooglePage) -> tuple[HtmlElement, ...]:
    """Turns of a page, else the bodies that stand alone in a fragment."""
    return outermost(page.all("turn")) or outermost(page.all("answer"))


def _body(page: GooglePage, scope: HtmlElement) -> HtmlElement | None:
    """The last outermost body of a turn that has words."""
    several = outermost(page.inside(scope, "answer"))
    return next((one for one in reversed(several) if "".join(one.itertext()).strip()), None)


ENGINE = Engine(
    name=NAME,
    label="Google AI Mode (browser)",
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
