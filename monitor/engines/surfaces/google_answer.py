"""From the body of one Google answer to its text and citations.

A citation button is shown where a browser showed it. Of a page that no browser was asked about, the
page's own records tell (`google_payload`): most buttons are placeholders that nobody sees, and a
class name would be wrong within months. A button without a record is judged by the markup.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from lxml import etree
from lxml.html import HtmlElement

from monitor.domain.engine import Citation, Placement, Reach, Role, Span
from monitor.domain.turn import Panel
from monitor.engines.surfaces.google_page import GooglePage
from monitor.engines.surfaces.google_payload import (
    ChipState,
    Source,
    by_id,
    clean_url,
    is_search_link,
)
from monitor.engines.surfaces.google_text import AnswerText, answer_text
from monitor.engines.surfaces.text import sentence_before
from monitor.markup.select import outermost
from monitor.markup.trees import parse_html

PILL = "data-monitor-pill"
_MORE = re.compile(r"\(\+(\d{1,4})\)")


@dataclass(frozen=True, slots=True)
class Chip:
    """One citation button of an answer."""

    element: HtmlElement
    state: ChipState | None
    sources: tuple[Source, ...]
    shown: bool
    by_markup: bool
    """Whether the markup alone would show it."""
    size: int
    """Sources behind it by its own label, at least those that are known; 0 is not known."""
    in_view: bool | None
    """Whether it was seen without scrolling; None where nobody looked."""


@dataclass(frozen=True, slots=True)
class Body:
    """An answer's text and citations."""

    text: str
    citations: tuple[Citation, ...]
    in_document: int
    """Citation buttons in the document."""
    shown: int
    """Those that a reader sees."""
    hidden: int | None
    """Citations whose URLs the page does not have; None where their number cannot be told."""
    offsets_exact: bool
    coverage: float | None
    disagreement: str | None
    """That the style sheets of the page tell another number of shown buttons, in words."""


def read_body(page: GooglePage, scope: HtmlElement, bodies: Sequence[HtmlElement]) -> Body:
    """Text and citations of an answer: its bodies, and the lists beside them in `scope`."""
    chips = tuple(_chips(page, bodies))
    shown = tuple(one for one in chips if one.shown)
    words = answer_text(page, scope, bodies, (one.element for one in shown))
    cards = tuple(_cards(page, scope))
    legacy = tuple(page.inside(scope, "legacy_pill"))
    old_pills = sum(page.shown(one) for one in legacy)
    unknown = old_pills > 0 or any(one.size == 0 for one in shown)
    return Body(
        text=words.text,
        citations=_united(
            _displayed(shown, words, by_id(_all_sources(chips, cards))),
            _listed(cards),
            _opened(page),
            _links(page, bodies, words.left_out),
        ),
        in_document=sum(1 for body in bodies for _ in page.inside(body, "pill")) + len(legacy),
        shown=len(shown) + old_pills,
        hidden=None if unknown else sum(one.size - len(one.sources) for one in shown),
        offsets_exact=not old_pills and all(one.element in words.places for one in shown),
        coverage=words.coverage,
        disagreement=_disagreement(page, chips),
    )


def _chips(page: GooglePage, bodies: Iterable[HtmlElement]) -> Iterator[Chip]:
    """Buttons of an answer; a name that comes again is the same button and counts once."""
    popovers = {one.anchor: one for one in page.panels if one.name == "popover"}
    for body in bodies:
        for element in page.inside(body, "pill"):
            uuid = element.get("data-icl-uuid") or ""
            if uuid in page.payload.taken:
                continue
            page.payload.taken.add(uuid)
            state = page.payload.chips.get(uuid)
            records = page.payload.sources.get(uuid, [])
            panel = popovers.get(element.get(PILL) or "")
            sources = _distinct(records or _panel_sources(panel))
            if not sources and state is not None and state.first_url is not None:
                sources = (Source(state.first_url, None, publisher=state.publisher),)
            yield Chip(
                element=element,
                state=state,
                sources=sources,
                shown=_is_shown(page, element, state, has_records=bool(records)),
                by_markup=page.shown(element),
                size=max(len(sources), _size(element, state)),
                in_view=None if page.in_view is None else element.get(PILL) in page.in_view,
            )


def _is_shown(
    page: GooglePage, element: HtmlElement, state: ChipState | None, *, has_records: bool
) -> bool:
    """Whether a reader sees a button: by the browser, else by the records, else by the markup."""
    if page.asked or (state is None and not has_records):
        told = page.payload.chips or page.payload.sources
        return page.shown(element) and (page.asked or not told)
    return has_records if state is None or state.shown is None else state.shown


def _size(element: HtmlElement, state: ChipState | None) -> int:
    more = _MORE.search(element.get("aria-label") or "")
    return max(state.total if state else 0, int(more[1]) + 1 if more else 0)


def _disagreement(page: GooglePage, chips: Sequence[Chip]) -> str | None:
    if page.asked or not page.styled or all(one.shown == one.by_markup for one in chips):
        return None
    by_markup = sum(one.by_markup for one in chips)
    return (
        f"pill: {sum(one.shown for one in chips)} shown by the page's records, "
        f"{by_markup} by its style sheets"
    )


def _distinct(sources: Iterable[Source]) -> tuple[Source, ...]:
    """Sources of one button, an address once."""
    return tuple({one.url: one for one in reversed(tuple(sources))}.values())[::-1]


def _panel_sources(panel: Panel | None) -> Iterator[Source]:
    """Sources of a part that was opened: its cards, else all its links."""
    tree = parse_html(panel.html, full=True) if panel is not None else None
    if tree is None:
        return
    cards = tuple(one for one in tree.iter(etree.Element) if one.get("data-src-id") is not None)
    for link in (link for part in outermost(cards) or (tree,) for link in part.iter("a")):
        url = clean_url(link.get("href"))
        if url is not None and not is_search_link(url):
            yield Source(url, None, title=(link.get("aria-label") or "").strip() or None)


def _all_sources(chips: Sequence[Chip], cards: Sequence["Card"]) -> Iterator[Source]:
    yield from (one for chip in chips for one in chip.sources)
    yield from (one.source for one in cards)


def _displayed(
    shown: Sequence[Chip], words: AnswerText, known: Mapping[str, Source]
) -> Iterator[Citation]:
    """Sources behind the buttons that are shown, one per address, in order of first mention."""
    first: dict[str, Citation] = {}
    marks: Counter[str] = Counter()
    spans: dict[str, dict[Span, None]] = defaultdict(dict)
    for group, chip in enumerate(shown):
        place = words.places.get(chip.element)
        span = None if place is None else sentence_before(words.text, place)
        for position, source in enumerate(chip.sources):
            marks[source.url] += 1
            if span is not None:
                spans[source.url][span] = None
            if source.url not in first:
                named = known.get(source.id or "", source)
                first[source.url] = _cited(chip, group, position, named)
    for url, one in first.items():
        yield replace(one, marks=marks[url], spans=tuple(spans[url]))


def _cited(chip: Chip, group: int, position: int, named: Source) -> Citation:
    """The source at a position of a button, called what the page calls it elsewhere."""
    source = chip.sources[position]
    return Citation(
        url=source.url,
        title=source.title or named.title,
        role=Role.DISPLAYED,
        marks=0,
        snippet=source.snippet or named.snippet,
        placement=Placement(
            reach=_reach(chip, position),
            in_view=chip.in_view,
            group=group,
            group_size=chip.size,
            place_in_group=position,
            publisher=source.publisher or named.publisher,
        ),
    )


def _reach(chip: Chip, position: int) -> Reach:
    """A labelled button names its first source and leads there; the others wait behind it."""
    labelled = chip.state is not None and chip.state.publisher is not None and chip.state.total > 0
    return Reach.SHOWN if labelled and position == 0 else Reach.HOVER


@dataclass(frozen=True, slots=True)
class Card:
    """A source in a list beside an answer."""

    source: Source
    reach: Reach


def _cards(page: GooglePage, scope: HtmlElement) -> Iterator[Card]:
    """Cards of a list, a source once: where it is seen without opening, that is where it is."""
    trays = page.members.get("tray", frozenset())
    several: dict[str, Card] = {}
    roots = tuple(page.inside(scope, "card")) or tuple(page.inside(scope, "legacy_source"))
    for root in outermost(roots):
        source = _card_source(page, root)
        if source is None:
            continue
        closed = not page.shown(root) or any(one in trays for one in root.iterancestors())
        key = source.id or source.url
        if key not in several or several[key].reach is Reach.CLICK:
            kept = several[key].source if key in several else source
            several[key] = Card(kept, Reach.CLICK if closed else Reach.SHOWN)
    yield from several.values()


def _card_source(page: GooglePage, root: HtmlElement) -> Source | None:
    says: dict[str, str] = {}
    url, label = None, None
    for one in root.iter(etree.Element):
        if url is None and one.tag == "a":
            url = clean_url(one.get("href"))
            label = (one.get("aria-label") or "").strip() or None
        for role in ("card_title", "card_snippet", "card_publisher"):
            if role not in says and one in page.members.get(role, ()):
                says[role] = " ".join("".join(one.itertext()).split())
    if url is None or is_search_link(url):
        return None
    title = says.get("card_title") or label
    return Source(
        url, root.get("data-src-id"), title, says.get("card_snippet"), says.get("card_publisher")
    )


def _listed(cards: Iterable[Card]) -> Iterator[Citation]:
    for one in cards:
        place = Placement(reach=one.reach, publisher=one.source.publisher)
        yield _unmarked(one.source, place)


def _opened(page: GooglePage) -> Iterator[Citation]:
    """Sources of the list that a live capture opened."""
    for panel in page.panels:
        if panel.name == "sources":
            for source in _panel_sources(panel):
                yield _unmarked(source, Placement(reach=Reach.CLICK))


def _unmarked(source: Source, place: Placement) -> Citation:
    return Citation(
        source.url, source.title, Role.LISTED, 0, snippet=source.snippet, placement=place
    )


def _links(
    page: GooglePage, bodies: Iterable[HtmlElement], left_out: frozenset[HtmlElement]
) -> Iterator[Citation]:
    """Plain links in the words of an answer; a name linked to a search is none."""
    inside = {inner for one in left_out for inner in one.iter("a")}
    for link in (one for body in bodies for one in body.iter("a")):
        url = clean_url(link.get("href"))
        if url is None or is_search_link(url) or link in inside or not page.shown(link):
            continue
        title = " ".join("".join(link.itertext()).split()) or None
        yield Citation(url, title, Role.LINK, 1, placement=Placement(reach=Reach.SHOWN))


def _united(*several: Iterable[Citation]) -> tuple[Citation, ...]:
    """One citation per address, in the strongest role it has.

    The passage that an address quotes (`#:~:text=`) makes no other source of what is only listed.
    """
    found: dict[str, Citation] = {}
    pages: set[str] = set()
    for one in (citation for group in several for citation in group):
        plain = one.url.partition("#:~:")[0]
        old = found.get(one.url)
        if old is not None:
            if old.role is one.role is Role.LINK:
                found[one.url] = replace(old, marks=old.marks + 1)
        elif one.role is Role.DISPLAYED or plain not in pages:
            found[one.url] = one
            pages.add(plain)
    return tuple(found.values())
