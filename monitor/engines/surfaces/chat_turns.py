"""From the parts of a chat page to turns: text, citations, outcome.

An answer without citations is believed only where the page fits what we know of it: the sign that
it is finished is there, no button offers sources, and nothing in its words looks like a pill that
no selector found. Else its layout is unknown.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from lxml.html import HtmlElement

from monitor.domain.engine import (
    Outcome,
    Placement,
    Reach,
    Reading,
    Retrieval,
    Role,
)
from monitor.domain.turn import NOTHING_TOLD, Document, Panel, Turn
from monitor.engines.shapes.citing import untracked
from monitor.engines.surfaces.chat_page import Chat, ChatPage, ChatPart, open_chat, parts_of
from monitor.engines.surfaces.chat_pills import (
    panel_pages,
    pill_label,
    pill_number,
    pill_pages,
    shown_pages,
    words_of,
)
from monitor.engines.surfaces.leftovers import pill_leftover
from monitor.engines.surfaces.sightings import Sighting, gather_sightings
from monitor.engines.surfaces.text import PlacedMark, coverage, page_text, sentence_before
from monitor.engines.surfaces.walls import WALLS
from monitor.markup.select import select_all

_UNFINISHED = ("pending", "streaming", "thinking")


@dataclass(frozen=True, slots=True)
class _Body:
    """Text of an answer with its visible pills, and what they lead to."""

    text: str
    marks: tuple[PlacedMark, ...]
    coverage: float | None


@dataclass(frozen=True, slots=True)
class _Opened:
    """What was open in the page, or opened and handed along."""

    popovers: Mapping[str, Mapping[str, str | None]]
    """Number of a pill -> its pages."""
    loose: Mapping[str, Mapping[str, str | None]]
    """First address of a popover in the page itself -> its pages."""
    listed: Mapping[str, str | None]
    stops: bool
    """Whether a button to stop the answer is shown."""


def chat_turns(chat: Chat, document: Document) -> tuple[Turn, ...]:
    """All answers of a page; a page with a wall instead is one turn, any other none."""
    page = open_chat(chat, document)
    if page is None:
        return ()
    parts = parts_of(page)
    if not parts:
        return tuple(_walled(page))
    opened = _opened(page)
    last = len(parts) - 1
    closed = replace(opened, listed={}, stops=False)
    return tuple(
        _turn(page, part, index, opened if index == last else closed)
        for index, part in enumerate(parts)
    )


def _turn(page: ChatPage, part: ChatPart, index: int, opened: _Opened) -> Turn:
    body = _read(page, part)
    pills, hidden = _pills(page, body, opened)
    sightings = [*pills, *_links(page, part), *_listed(opened)]
    cited = bool(body.marks or opened.listed)
    outcome, reason, why = _outcome(page, part, body, cited=cited, stops=opened.stops)
    served = _model(page, part)
    known = None if outcome is Outcome.LAYOUT_UNKNOWN else hidden
    reading = Reading(
        outcome,
        reason,
        text=body.text,
        citations=gather_sightings(sightings, address=untracked),
        retrieval=Retrieval.USED if cited else Retrieval.UNKNOWN,
        served_model=served,
        warnings=(*why, *_warnings(page, part, body, hidden)),
        hidden_citations=known,
    )
    return Turn(
        index=index,
        id=_name(page, part),
        prompt=part.prompt,
        reading=reading,
        completeness=replace(
            NOTHING_TOLD, hidden_citations=known, offsets_exact=True, model_known=served is not None
        ),
        layout=page.layout(
            in_document=len(part.pills), shown=len(body.marks), coverage=body.coverage
        ),
    )


def _read(page: ChatPage, part: ChatPart) -> _Body:
    """Text of all blocks of an answer, and the pills in them."""
    is_mark, left_out = page.pills.__contains__, page.left_out.__contains__
    texts: list[str] = []
    marks: list[PlacedMark] = []
    covered: list[float] = []
    length = 0
    for element in part.bodies:
        block = page_text(element, shown=page.shown, is_mark=is_mark, is_left_out=left_out)
        share = coverage(element, block, shown=page.shown, is_mark=page.unspoken.__contains__)
        covered += [] if share is None else [share]
        cut = _heading(page, block.text) if not texts else 0
        words = block.text[cut:]
        start = length + 2 if texts and words else length
        marks += [PlacedMark(one.element, start + max(one.at - cut, 0)) for one in block.marks]
        if words:
            texts.append(words)
            length = start + len(words)
    return _Body("\n\n".join(texts), tuple(marks), min(covered, default=None))


def _heading(page: ChatPage, text: str) -> int:
    """Characters of the words that only stand before an answer, with the white space after."""
    words = text.lstrip("# ")
    if not page.chat.heading or not words.startswith(page.chat.heading):
        return 0
    rest = words[len(page.chat.heading) :].lstrip(" :\n")
    return len(text) - len(rest)


def _pills(page: ChatPage, body: _Body, opened: _Opened) -> tuple[list[Sighting], int]:
    """Pages behind the pills, and how many of those they count are not in the document."""
    sightings: list[Sighting] = []
    hidden = 0
    for group, mark in enumerate(body.marks):
        own = pill_pages(mark.element, page.chat.own)
        number = pill_number(mark.element)
        pages = dict(own)
        first = next(iter(own), None)
        more = opened.popovers.get(number or "") or opened.loose.get(first or "", {})
        for url, title in more.items():
            pages[url] = pages.get(url) or title
        label, size = pill_label(mark.element, known=len(pages))
        hidden += size - len(pages)
        in_view = None if page.in_view is None or number is None else number in page.in_view
        span = sentence_before(body.text, mark.at)
        for place, (url, title) in enumerate(pages.items()):
            seen = Placement(
                reach=Reach.SHOWN if url == first else Reach.HOVER,
                in_view=in_view,
                group=group,
                group_size=size,
                place_in_group=place,
                publisher=label if place == 0 else None,
            )
            sightings.append(Sighting(url, Role.DISPLAYED, title, span, placement=seen))
    return sightings, hidden


def _links(page: ChatPage, part: ChatPart) -> Iterator[Sighting]:
    """Links in prose: the model's own words, no sources; none of a card or an advertisement."""
    aside = page.pills | page.left_out
    for body in part.bodies:
        for anchor in select_all(body, "a[href]"):
            around = (anchor, *anchor.iterancestors())
            if any(one in aside for one in around) or not page.shown(anchor):
                continue
            for url in pill_pages(anchor, page.chat.own):
                shown = Placement(reach=Reach.SHOWN)
                yield Sighting(url, Role.LINK, words_of(anchor, page.shown), placement=shown)


def _listed(opened: _Opened) -> Iterator[Sighting]:
    for url, title in opened.listed.items():
        yield Sighting(url, Role.LISTED, title, placement=Placement(reach=Reach.CLICK))


def _opened(page: ChatPage) -> _Opened:
    """What a live capture opened, and what was open when the page was saved."""
    own = page.chat.own
    popovers: dict[str, Mapping[str, str | None]] = {}
    listed: dict[str, str | None] = {}
    for panel in page.panels:
        if panel.name == "popover" and panel.anchor is not None:
            popovers[panel.anchor] = {
                **popovers.get(panel.anchor, {}), **panel_pages(panel.html, own)
            }  # fmt: skip
        elif panel.name == "sources":
            listed.update(_rows(page, panel))
    loose: dict[str, Mapping[str, str | None]] = {}
    for element in page.all("pill_popover"):
        pages = shown_pages(element, page.shown, own)
        if pages and page.shown(element):
            loose.update(dict.fromkeys(pages, pages))
    for element in page.all("sources_panel"):
        listed.update(shown_pages(element, page.shown, own))
    return _Opened(popovers, loose, listed, page.sees("stop"))


def _rows(page: ChatPage, panel: Panel) -> Mapping[str, str | None]:
    return panel_pages(panel.html, page.chat.own)


def _outcome(
    page: ChatPage, part: ChatPart, body: _Body, *, cited: bool, stops: bool
) -> tuple[Outcome, str | None, tuple[str, ...]]:
    """Outcome, its reason, and what was seen."""
    signs = [role for role in _UNFINISHED if part.lying.get(role)]
    unfinished = next(iter([*signs, *(["stop"] if stops else [])]), None)
    if not body.text:
        return _silent(page, part, unfinished)
    if unfinished is not None:
        return Outcome.TRUNCATED, None, (f"the answer was still being written: {unfinished}",)
    if cited:
        return Outcome.ANSWERED, None, ()
    doubt = _doubt(page, part)
    return (
        (Outcome.ANSWERED if doubt is None else Outcome.LAYOUT_UNKNOWN),
        None,
        (() if doubt is None else (doubt,)),
    )


def _silent(
    page: ChatPage, part: ChatPart, unfinished: str | None
) -> tuple[Outcome, str | None, tuple[str, ...]]:
    """Outcome of an answer without words; never an empty answer."""
    if unfinished is not None:
        return Outcome.TIMEOUT, None, (f"no word of the answer was there yet: {unfinished}",)
    if not part.bodies:
        return Outcome.LAYOUT_UNKNOWN, None, ("the answer has no block of text we know",)
    if not any(page.shown(one) for one in part.bodies):
        return Outcome.LAYOUT_UNKNOWN, None, ("the answer is in the page but not shown",)
    return Outcome.ERROR, "empty", ()


def _doubt(page: ChatPage, part: ChatPart) -> str | None:
    """Why it cannot be said that an answer cites nothing; None where it can."""
    if part.lying.get("sources_button"):
        return "a button offers sources, but no selector found a citation"
    code = (one for body in part.bodies for one in body.iter("pre", "code"))
    known = {*part.pills, *page.left_out, *code}
    for body in part.bodies:
        sign = pill_leftover(body, shown=page.shown, is_known=known.__contains__)
        if sign is not None:
            return f"{sign!r} looks like a citation, but no selector found one"
    if not part.lying.get("end_mark"):
        return "no citation, and no sign that the answer is whole"
    return None


def _warnings(page: ChatPage, part: ChatPart, body: _Body, hidden: int) -> Iterator[str]:
    if (unseen := len(part.pills) - len(body.marks)) > 0:
        yield f"{unseen} citation(s) in the document are not shown and not counted"
    if hidden:
        yield f"{hidden} citation(s) are counted by their pills, but lead to no address here"
    yield from page.disagreements


def _name(page: ChatPage, part: ChatPart) -> str | None:
    """The page's own name of an answer: on its turn or text, else on what marks its message."""
    around = (part.element, *part.bodies, *part.lying.get("message", ()))
    named = (one.get(attribute) for attribute in page.chat.names for one in around)
    return next((str(name) for name in named if name), None)


def _model(page: ChatPage, part: ChatPart) -> str | None:
    attribute = page.chat.model
    if attribute is None:
        return None
    named = (one.get(attribute) for one in _elements(part.element))
    return next((str(name) for name in named if name), None)


def _elements(root: HtmlElement) -> Iterator[HtmlElement]:
    return (one for one in root.iter() if isinstance(one.tag, str))


def _walled(page: ChatPage) -> Iterator[Turn]:
    """A page without any answer where a visible wall tells why."""
    for role, (outcome, reason) in WALLS.items():
        if page.sees(role):
            reading = Reading(outcome, reason, warnings=(f"the page shows its {role}",))
            layout = page.layout(in_document=0, shown=0, coverage=None)
            yield Turn(0, None, None, reading, NOTHING_TOLD, layout=layout)
            return
