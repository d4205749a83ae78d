"""A stored answer drawn as a picture: for people who want to see one, never as evidence.

The page is of our own making and holds no part of any interface. It says so itself, above and
below. It is drawn without scripts and without a network; every text in it is text.
"""

import asyncio
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from html import escape

from playwright.async_api import Error, FloatRect
from playwright.async_api import TimeoutError as PlaywrightTimeoutError

from monitor.capture.pictures_sizes import jpeg_size
from monitor.capture.printing import inert_page
from monitor.errors import BrowserError

WIDTH = 800
"""CSS pixels."""
TALLEST = 15_000
"""CSS pixels of a picture; what would lie below is left out."""
CARD_SECONDS = 60
"""Most time for one picture, the start of the browser included."""
QUALITY = 85
MOST_LINES = 400
"""Lines of an answer that are drawn, by a cautious guess of LINE characters each."""
LINE = 60
MOST_SOURCES = 60

LABEL = "A rendering of stored text, never evidence of an interface."
"""What every card says of itself."""

_MEANING = (
    "This program drew the picture from the text and sources that an API sent. No page, window or "
    "app was seen, and nobody was shown this."
)
_INSTEAD = "read the answer in the report (`monitor report`)"
_STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
_STYLE = """
body { margin: 0; padding: 24px; background: #fff; color: #111;
  font: 16px/22px "Liberation Sans", "Noto Sans", "Noto Color Emoji", sans-serif; }
.label { border: 2px solid #b00; padding: 8px 12px; margin: 0 0 16px; }
.label b { display: block; }
h1 { font-size: 18px; margin: 0 0 8px; }
h1, .answer, li, dd { overflow-wrap: anywhere; unicode-bidi: isolate; }
.answer { white-space: pre-wrap; margin: 16px 0; border-left: 3px solid #ccc; padding-left: 12px;
  max-height: 14000px; overflow: hidden; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0 12px; margin: 0; }
dl, ol { font-size: 13px; }
dd { margin: 0; }
ol { padding-left: 32px; }
sup { color: #05a; }
small { color: #555; }
"""


@dataclass(frozen=True, slots=True)
class CardSource:
    """A source as a card names it."""

    url: str
    title: str | None
    role: str
    """displayed, listed, link or retrieved."""
    ends: tuple[int, ...]
    """Code points of the answer before each place that cites it."""


@dataclass(frozen=True, slots=True)
class Card:
    """What is drawn."""

    capture: int
    engine: str
    prompt: str
    locale: str
    asked_at: datetime | None
    model: str | None
    payload: str
    """sha256 of the payload that holds the answer."""
    text: str
    sources: tuple[CardSource, ...]


@dataclass(frozen=True, slots=True)
class DrawnCard:
    """The picture of a card."""

    jpeg: bytes
    size: tuple[int, int]
    """Pixels, width and height."""
    browser: str


def draw_card(card: Card, *, executable: str | None) -> DrawnCard:
    """The JPEG of a card; BrowserError where no Chromium draws it in time."""
    return asyncio.run(_draw(card_page(card), executable))


def card_page(card: Card) -> str:
    """The card as a page: no script, no request, no text that is more than text."""
    label = f'<p class="label"><b>{LABEL}</b>{escape(_MEANING)}</p>'
    facts = "".join(
        f"<dt>{name}</dt><dd>{_plain(value)}</dd>" for name, value in _facts(card) if value
    )
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta '
        'http-equiv="Content-Security-Policy" content="default-src \'none\'; style-src '
        f"'unsafe-inline'\"><title>Card</title><style>{_STYLE}</style></head><body>{label}"
        f'<h1 dir="auto">{_plain(card.prompt)}</h1><dl>{facts}</dl>'
        f'<div class="answer" dir="auto">{_answer(card)}</div>{_sources(card.sources)}{label}'
        "</body></html>"
    )


def _facts(card: Card) -> Iterator[tuple[str, str | None]]:
    yield "engine", f"{card.engine}, through its API"
    yield "model", card.model
    yield "asked", f"{card.asked_at:%Y-%m-%d %H:%M} UTC" if card.asked_at else None
    yield "locale", card.locale
    yield "capture", f"{card.capture}, payload sha256 {card.payload}"


def _answer(card: Card) -> str:
    """The text with the numbers of its sources where they are cited."""
    shown = _cut(card.text)
    places = sorted(
        (end, number)
        for number, source in enumerate(card.sources[:MOST_SOURCES], 1)
        for end in source.ends
        if 0 < end <= len(shown)
    )
    parts, at = [], 0
    for end, number in places:
        parts += [_plain(shown[at:end]), f"<sup>[{number}]</sup>"]
        at = end
    parts.append(_plain(shown[at:]))
    if left := len(card.text) - len(shown):
        parts.append(f"\n<small>{left} more characters are not drawn.</small>")
    return "".join(parts)


def _cut(text: str) -> str:
    """The start of a text that takes no more than MOST_LINES."""
    lines, at = 0, 0
    for line in text.splitlines(keepends=True):
        room = MOST_LINES - lines
        if len(line) > room * LINE:
            return text[: at + room * LINE]
        lines += 1 + len(line) // LINE
        at += len(line)
        if lines >= MOST_LINES:
            return text[:at]
    return text


def _sources(sources: Sequence[CardSource]) -> str:
    rows = "".join(
        f'<li dir="auto">{_plain(one.title[:200]) + "<br>" if one.title else ""}'
        f"{_plain(one.url[:300])} <small>{escape(one.role)}</small></li>"
        for one in sources[:MOST_SOURCES]
    )
    left = len(sources) - MOST_SOURCES
    more = f"<p><small>{left} more sources are not drawn.</small></p>" if left > 0 else ""
    return f"<ol>{rows}</ol>{more}" if sources else "<p><small>No sources.</small></p>"


def _plain(text: str) -> str:
    """Text that stays text, and turns no other text around."""
    return escape(_STEERS.sub("\ufffd", text))


async def _draw(page: str, executable: str | None) -> DrawnCard:
    try:
        async with (
            asyncio.timeout(CARD_SECONDS),
            inert_page(executable, instead=_INSTEAD) as view,
        ):
            await view.set_viewport_size({"width": WIDTH, "height": 600})
            await view.set_content(page, timeout=0)
            height = await view.evaluate("() => document.documentElement.scrollHeight")
            jpeg = await view.screenshot(
                type="jpeg",
                quality=QUALITY,
                full_page=True,
                clip=FloatRect(x=0, y=0, width=WIDTH, height=min(height, TALLEST)),
                animations="disabled",
                scale="css",
            )
            browser = view.context.browser
            version = browser.version if browser else ""
    except (TimeoutError, PlaywrightTimeoutError) as error:
        raise BrowserError(f"the card was not drawn within {CARD_SECONDS} s; {_INSTEAD}") from error
    except Error as error:
        said = str(error).splitlines()[0]
        raise BrowserError(f"Chromium did not draw the card ({said}); {_INSTEAD}") from error
    size = jpeg_size(jpeg) or (WIDTH, min(height, TALLEST))
    return DrawnCard(jpeg, size, f"Chromium {version}".strip())
