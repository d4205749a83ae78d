"""Made-up answers, as HTML that the replica draws and as the text that must be read off it."""

from html import escape

PROMPT = "How long does the Lantern Ferry take to cross Ostrin Bay?"
OTHER_PROMPT = "What does a ride on the Marrow Tram cost?"
MODEL = "replica-1"
QUERIES = "Lantern Ferry crossing time · Ostrin Bay ferry fog"

TIMETABLE = "https://ferry.example/timetable"
FOG = "https://harbour.example/fog-rules"
ALMANAC = "https://almanac.example/ostrin"
TICKETS = "https://tickets.example/lantern"

FIRST = "The Lantern Ferry crosses Ostrin Bay in 22 minutes."
SECOND = "In fog it takes up to 35 minutes, because it waits at the Wren buoy."
THIRD = "Boats leave from Pier Four."
FOURTH = "The last boat leaves at 23:10."
FIFTH = "Tickets are sold on the ticket page."

TEXT = f"{FIRST}\n\n{SECOND}\n\n- {THIRD}\n- {FOURTH}\n\n{FIFTH}"


def pill(url: str, label: str, *, more: int = 0, hover: str = "") -> str:
    """A citation as the page draws it: a label that leads to the first page, "+N" for the rest."""
    count = f"<span>+{more}</span>" if more else ""
    opens = f' data-hover="{hover}"' if hover else ""
    link = f'<a href="{escape(url)}" title="Synthetic page of {escape(label)}">{label}</a>'
    return f'<span data-part="pill" class="pill"{opens}>{link}{count}</span>'


def chip(url: str, *, shown: bool) -> str:
    """A citation that is a button and no link; one that is not shown has a box all the same."""
    quiet = "" if shown else " quiet"
    return (
        f'<button data-part="pill" class="pill{quiet}" data-url="{escape(url)}">'
        "View related links</button>"
    )


FIRST_PILL = pill(TIMETABLE, "ferry.example")
OPENING = f"<p>{FIRST}{FIRST_PILL}</p>"
LIST = f"<ul><li>{THIRD}</li><li>{FOURTH}{FIRST_PILL}</li></ul>"
CLOSING = f'<p>Tickets are sold on the <a href="{TICKETS}">ticket page</a>.</p>'
REST = f"<p>{SECOND}{pill(FOG, 'harbour.example')}</p>{LIST}{CLOSING}"
WHOLE = OPENING + REST
"""The answer that most modes give: two pages displayed by three pills, one link in prose."""

BARE = f"<p>{FIRST}</p><p>{SECOND}</p><ul><li>{THIRD}</li><li>{FOURTH}</li></ul>{CLOSING}"
"""The same words before the page has drawn its pills."""

PANEL = '<aside data-part="sources-panel" class="side"><h2>Sources</h2>{rows}</aside>'
TAB_PANEL = '<div role="tabpanel" id="replica-content-sources"><h2>Sources</h2>{rows}</div>'
ROWS = "".join(
    f'<a href="{url}">Synthetic source {number}</a>'
    for number, url in enumerate((TIMETABLE, FOG, ALMANAC), 1)
)

STOP = '<button data-part="stop">Stop</button>'
SEARCHED = f'<div data-part="searched">{QUERIES}</div>'
COPY = '<button data-part="copy">Copy</button>'
SOURCES = '<button data-part="sources-button">Sources</button>'
BODY = '<div data-part="answer" class="writing"></div>'


def turn(body: str = BODY, *, stop: str = STOP, before: str = "") -> str:
    """The answer's part of the page, as it is drawn first."""
    return f'<section data-part="turn">{before}{SEARCHED}{body}{stop}</section>'


BANDS = 12
"""Coloured parts of a long answer."""


def bands(height: int) -> str:
    """A long answer: BANDS numbered parts of equal height that are `height` pixels in all."""
    each = height // BANDS
    return "".join(
        f'<p class="band" style="height:{each}px;background:hsl({30 * n},70%,80%)">'
        f"Band {n + 1} of {BANDS}.{FIRST_PILL if n == 0 else ''}</p>"
        for n in range(BANDS)
    )


BANDS_TEXT = "\n\n".join(f"Band {n + 1} of {BANDS}." for n in range(BANDS))
CHIPS = "".join(
    f"<p>Pier {n + 1} is lit.{chip(f'https://piers.example/{(n % 14) + 1}', shown=True)}</p>"
    for n in range(15)
) + "".join(chip(f"https://unseen.example/{n + 1}", shown=False) for n in range(58))
"""73 buttons; 15 of them are shown and lead to 14 pages."""

CHIPS_TEXT = "\n\n".join(f"Pier {n + 1} is lit." for n in range(15))
HOVER = {
    "boats": [
        f'<a href="https://{name}.example/boats">Synthetic {name}</a>'
        for name in ("ferry", "yard", "chandler")
    ]
}
"""Pages behind one pill, shown one at a time."""
