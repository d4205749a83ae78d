"""Synthetic pages of Google's shape, of our own writing: no sentence or address is anybody's."""

import html
import json
from typing import Any

from monitor.domain.turn import Document, Form, Panel, Turn
from monitor.engines import google_ai_mode_web, google_ai_overview_web

A, B, C, D = (f"https://{name}.example/page" for name in ("alpha", "beta", "gamma", "delta"))


def comment(*records: Any, token: str = "Ab12Cd", between: str = "") -> str:
    """Records as the page carries them: a token, perhaps |...|, JSON with HTML escapes."""
    written = html.escape(json.dumps(list(records)), quote=True).replace("=", "\\u003d")
    return f"<!--{token}{between}{written}-->"


def first(uuid: str, url: str, number: str, title: str = "Title", publisher: str = "Pub") -> str:
    fields = [title, "A snippet", "icon", "origin", [publisher], url, None, None, number, 0, 1]
    return comment([uuid, fields, 0])


def again(uuid: str, url: str, number: str) -> str:
    return comment([uuid, number, 0, url, "icon", ""])


def chip(uuid: str, *, shown: int = 1, label: str = "View related links") -> str:
    """A button of the overview with the record that says whether it is shown."""
    state = comment([None, None, uuid, None, None, shown, 0, "", ""])
    return (
        f'<span class="x{shown}"><span>&nbsp;<button data-icl-uuid="{uuid}" aria-label="{label}">'
        f"<span>i</span></button>{state}</span></span>"
    )


def mode_chip(uuid: str, *, total: int, flag: int, url: str = "", publisher: str = "") -> str:
    """A button of AI Mode; a labelled one has words and a link beside it."""
    record = comment(
        [uuid, None, None, 0, "icon", publisher, total, url, None, None, None, flag],
        between="|a;b|",
    )
    more = f" (+{total - 1})" if total > 1 else ""
    label = f"{publisher}{more} - View related links" if publisher else "View related links"
    words = f'<span class="iFMVXd">{publisher}</span>' if publisher else ""
    link = f'<a href="{url}">{publisher}</a>' if publisher else ""
    return (
        f'<span><button data-icl-uuid="{uuid}" aria-label="{label}">{words}</button>{link}</span>'
        + record
    )


def card(url: str, number: str, title: str = "Card title") -> str:
    return (
        f'<div data-src-id="{number}"><a href="{html.escape(url)}" aria-label="{title}"></a>'
        f'<div class="Nn35F">{title}</div><span class="vhJ6Pe">Says so</span>'
        '<span class="Z1JFYc">Publisher</span></div>'
    )


def overview(
    body: str, *, beside: str = "", tray: str = "", head: str = "", after: str = ""
) -> str:
    """A results page with an overview."""
    hidden = "".join(
        f'<span jsname="{name}" style="display:none"><span>Not available here</span></span>'
        for name in ("lGsj1", "L1sC6e")
    )
    return (
        f'<!doctype html><html lang="en-GB"><head><title>q - Google Search</title>{head}</head>'
        '<body id="gsr"><form><textarea name="q">why is  it so</textarea></form>'
        '<div data-attnms="ec" data-loaded="1"><div id="m-x-content">'
        f'{hidden}<div class="Fzsovc">AI Overview</div>'
        '<div jsname="dvXlsc"><div data-scope-id="turn">'
        f'<div data-container-id="main-col" class="mZJni">{body}</div>'
        f'<div data-container-id="rhs-col"><div data-type="hovc" style="display:none;">'
        f'<ul class="bTFeG">{tray}</ul></div>{beside}</div></div></div>'
        '<div role="button" aria-expanded="true" aria-controls="m-x-content">Show more</div>'
        f'</div></div>{after}<div id="rso"><h3>Another page</h3></div><div id="sfooter"></div>'
        "</body></html>"
    )


def turn(question: str, body: str, *, beside: str = "", foot: bool = True) -> str:
    """A turn of AI Mode."""
    footer = '<div data-xid="Gd7Hsc">Copy Share Feedback</div>' if foot else ""
    return (
        '<div data-scope-id="turn"><div role="heading"><span class="iMqumd">You said:</span>'
        f"<span>{question}</span></div>"
        f'<div data-container-id="main-col">{body}{footer}</div>'
        f'<div data-container-id="rhs-col">{beside}</div></div>'
    )


def mode(*turns: str, after: str = "") -> str:
    """A page of AI Mode."""
    return (
        '<!doctype html><html lang="de"><body><textarea name="q"></textarea>'
        f'<div data-xid="aim-mars-turn-root">{"".join(turns)}</div>{after}</body></html>'
    )


def read_overview(page: str, url: str | None = None, panels: tuple[Panel, ...] = ()) -> Turn:
    (only,) = google_ai_overview_web.turns(Document(page.encode(), Form.DOM, url, panels))
    return only


def read_mode(page: str, url: str | None = None) -> tuple[Turn, ...]:
    return google_ai_mode_web.turns(Document(page.encode(), Form.DOM, url))
