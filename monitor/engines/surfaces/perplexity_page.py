"""Perplexity's page: answers, pills, and the list of sources that a reader opens.

An answer has no links. A pill is `span.citation[data-pplx-citation-url]` around a span without
attributes; before July 2026 it was an anchor, and both may stand in one page. Its label is the name
of a site, with "+N" where more sources are behind it: their addresses are in what the pill shows
when hovered, else nowhere. A pill without any address counts as hidden citations. The list behind
the tab "Sources" is in the page only while the tab is open: what it lists beside the pills' pages
was shown to a reader, so it is listed; it is all that was searched.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from lxml.html import HtmlElement

from monitor.domain.engine import (
    Outcome,
    Placement,
    Reach,
    Reading,
    Retrieval,
    Retrieved,
    Role,
)
from monitor.domain.turn import NOTHING_TOLD, Completeness, Document, Layout, Panel, Turn
from monitor.engines.shapes.citing import distinct
from monitor.engines.surfaces.leftovers import pill_leftover
from monitor.engines.surfaces.perplexity_pills import (
    addresses,
    is_label,
    is_own,
    panel_rows,
    pill_label,
    pill_number,
)
from monitor.engines.surfaces.perplexity_sources import web_address
from monitor.engines.surfaces.selectors import Found, Selectors, load_selectors
from monitor.engines.surfaces.sightings import Sighting, gather_sightings
from monitor.engines.surfaces.text import PlacedMark, coverage, page_text, sentence_before
from monitor.engines.surfaces.walls import WALLS
from monitor.markup.select import in_document_order, outermost, select_all
from monitor.markup.shown import Shown, shown_in
from monitor.markup.trees import decode_body, parse_html

_COMPARED = ("answer", "pill")
"""Roles whose selectors ought to find the same."""


@dataclass(frozen=True, slots=True)
class _Page:
    """A tree, and what the selectors found in it."""

    tree: HtmlElement
    shown: Shown
    found: Mapping[str, Found]
    pills: Mapping[HtmlElement, tuple[HtmlElement, ...]]
    """Outermost element of a citation -> elements in it that have an address."""
    in_view: frozenset[str] | None
    """Numbers of the pills that were seen without scrolling; None where nobody looked."""

    def of(self, role: str) -> tuple[HtmlElement, ...]:
        """Elements of a role; empty where the surface has no selector for it."""
        return self.found[role].elements if role in self.found else ()


@dataclass(frozen=True, slots=True)
class _Part:
    """One answer in the page: its element, and the blocks of text in it."""

    element: HtmlElement
    bodies: tuple[HtmlElement, ...]
    prompt: str | None


@dataclass(frozen=True, slots=True)
class _Body:
    """Text of an answer with its pills."""

    text: str
    marks: tuple[PlacedMark, ...]
    coverage: float | None


def read_page(engine: str, document: Document) -> tuple[Turn, ...]:
    """All answers of a page; a page with a wall instead is one turn, any other none."""
    tree = parse_html(decode_body(document.body, None), full=True)
    if tree is None:
        return ()
    page = _page(tree, load_selectors(engine), document.in_view)
    parts = list(_parts(page))
    if not parts:
        return tuple(_walled(page))
    panels = (*document.panels, *_open_panels(page))
    last = len(parts) - 1
    return tuple(
        _turn(page, part, index, panels if index == last else ())
        for index, part in enumerate(parts)
    )


def _page(tree: HtmlElement, selectors: Selectors, in_view: frozenset[str] | None) -> _Page:
    roles = dict.fromkeys(one.role for one in selectors.selectors)
    found = {role: selectors.find(tree, role) for role in roles}
    addressed = set(found["pill"].elements)
    labels = [one for one in found["pill_label"].elements if is_label(one)]
    tops = outermost(in_document_order([*addressed, *labels]))
    pills: dict[HtmlElement, tuple[HtmlElement, ...]] = {
        top: tuple(one for one in top.iter() if one in addressed) for top in tops
    }
    return _Page(tree, shown_in(tree), found, pills, in_view)


def _parts(page: _Page) -> Iterator[_Part]:
    """Answers in document order, each with the question before it."""
    users = outermost(in_document_order([*page.of("user_bubble"), *page.of("user_turn")]))
    asked = set(users)
    turns = outermost(page.of("turn"))
    homes = set(turns)
    bodies: dict[HtmlElement, list[HtmlElement]] = {turn: [] for turn in turns}
    for body in outermost(page.of("answer")):
        above = list(body.iterancestors())
        if not any(one in asked for one in above):
            home = next((one for one in above if one in homes), body)
            bodies.setdefault(home, []).append(body)
    prompt: str | None = None
    for element in in_document_order([*users, *bodies]):
        if element in asked:
            prompt = _question(page, element)
        else:
            yield _Part(element, tuple(bodies[element]), prompt)
            prompt = None


def _question(page: _Page, bubble: HtmlElement) -> str | None:
    within = set(page.of("user_turn"))
    aside = set(page.of("user_time"))
    several = outermost(one for one in bubble.iter() if one in within) or (bubble,)
    written = (
        page_text(
            one, shown=page.shown, is_mark=lambda _: False, is_left_out=aside.__contains__
        ).text
        for one in several
    )
    return "\n\n".join(text for text in written if text) or None


def _turn(page: _Page, part: _Part, index: int, panels: Sequence[Panel]) -> Turn:
    body = _read(page, part)
    in_document = [one for one in page.pills if _lies_in(one, part.bodies)]
    popovers = {one.anchor: one for one in panels if one.name == "popover"}
    listed = [row for one in panels if one.name == "sources" for row in panel_rows(one)]
    sightings, hidden = _pills(page, body, popovers)
    said = tuple(_warnings(page, in_document, body))
    outcome, reason, why = _outcome(page, part, body, index)
    reading = Reading(
        outcome,
        reason,
        text=body.text,
        citations=gather_sightings([*sightings, *_links(page, part), *map(_listed, listed)]),
        retrieved=distinct(Retrieved(url, title) for url, title in listed),
        retrieval=Retrieval.USED if body.marks or listed else Retrieval.UNKNOWN,
        warnings=(*why, *said),
        hidden_citations=hidden,
    )
    name = next((one.get("id") for one in (part.element, *part.bodies) if one.get("id")), None)
    return Turn(
        index=index,
        id=name,
        prompt=part.prompt,
        reading=reading,
        completeness=Completeness(
            hidden_citations=hidden,
            offsets_exact=True,
            model_known=False,
            locale_known=False,
            retrieved_known=bool(listed),
        ),
        layout=_layout(page, in_document, body),
        language=page.tree.get("lang") or None,
    )


def _layout(page: _Page, in_document: Sequence[HtmlElement], body: _Body) -> Layout:
    return Layout(
        hits={role: dict(found.hits) for role, found in page.found.items()},
        disagreements=_disagreements(page),
        in_document=len(in_document),
        shown=len(body.marks),
        coverage=body.coverage,
    )


def _disagreements(page: _Page) -> tuple[str, ...]:
    told = (page.found[role].disagreement for role in _COMPARED if role in page.found)
    return tuple(one for one in told if one is not None)


def _outcome(
    page: _Page, part: _Part, body: _Body, index: int
) -> tuple[Outcome, str | None, tuple[str, ...]]:
    """Outcome, its reason, and what was seen."""
    if not part.bodies:
        return Outcome.LAYOUT_UNKNOWN, None, (f"answer {index} has no block of text we know",)
    if not body.text:
        drawn = any(page.shown(one) for one in part.bodies)
        if drawn:
            return Outcome.ERROR, "empty", ()
        return Outcome.LAYOUT_UNKNOWN, None, ("the answer is in the page but not shown",)
    if any(page.shown(one) for one in page.of("stop")):
        return Outcome.TRUNCATED, None, ("the page was still being written",)
    known = {*page.pills, *(code for one in part.bodies for code in one.iter("pre", "code"))}
    for one in () if body.marks else part.bodies:
        sign = pill_leftover(one, shown=page.shown, is_known=known.__contains__)
        if sign is not None:
            seen = f"{sign!r} looks like a citation, but no selector found one"
            return Outcome.LAYOUT_UNKNOWN, None, (seen,)
    return Outcome.ANSWERED, None, ()


def _read(page: _Page, part: _Part) -> _Body:
    """Text of all blocks of an answer, and the pills in them."""
    is_mark = page.pills.__contains__
    left_out = set(page.of("left_out")).__contains__
    texts: list[str] = []
    marks: list[PlacedMark] = []
    covered: list[float] = []
    length = 0
    for element in part.bodies:
        block = page_text(element, shown=page.shown, is_mark=is_mark, is_left_out=left_out)
        share = coverage(element, block, shown=page.shown, is_mark=is_mark)
        covered += [] if share is None else [share]
        start = length + 2 if texts and block.text else length
        marks += [PlacedMark(one.element, start + one.at) for one in block.marks]
        if block.text:
            texts.append(block.text)
            length = start + len(block.text)
    return _Body("\n\n".join(texts), tuple(marks), min(covered, default=None))


def _lies_in(element: HtmlElement, bodies: Sequence[HtmlElement]) -> bool:
    return any(one in bodies for one in element.iterancestors())


def _pills(
    page: _Page, body: _Body, popovers: Mapping[str | None, Panel]
) -> tuple[list[Sighting], int]:
    """Sources behind the pills, one per address and place, and how many have no address."""
    sightings: list[Sighting] = []
    known: set[tuple[str, int]] = set()
    hidden = 0
    for number, mark in enumerate(body.marks):
        rows = addresses(page.pills[mark.element])
        first = next(iter(rows), None)
        name = pill_number(mark.element)
        panel = popovers.get(name)
        for url, title in panel_rows(panel) if panel is not None else ():
            rows[url] = rows.get(url) or title
        label, size = pill_label(mark.element, at_least=len(rows))
        hidden += size - len(rows)
        for place, (url, title) in enumerate(rows.items()):
            if (url, mark.at) in known:
                continue
            known.add((url, mark.at))
            seen = Placement(
                reach=Reach.SHOWN if url == first else Reach.HOVER,
                in_view=None if page.in_view is None or name is None else name in page.in_view,
                group=number,
                group_size=size,
                place_in_group=place,
                publisher=label,
            )
            span = sentence_before(body.text, mark.at)
            sightings.append(Sighting(url, Role.DISPLAYED, title, span, placement=seen))
    return sightings, hidden


def _links(page: _Page, part: _Part) -> Iterator[Sighting]:
    """Links in prose: the model's own words, not sources."""
    for body in part.bodies:
        for anchor in select_all(body, "a[href]"):
            url = web_address(anchor.get("href"))
            if url is None or is_own(url) or not page.shown(anchor):
                continue
            if anchor not in page.pills and not any(
                one in page.pills for one in anchor.iterancestors()
            ):
                yield Sighting(url, Role.LINK, " ".join(anchor.text_content().split()) or None)


def _open_panels(page: _Page) -> Iterator[Panel]:
    """Lists of sources that were open when the page was saved."""
    for element in page.of("sources_panel"):
        if page.shown(element):
            yield Panel("sources", "".join(_markup(page, element)))


def _markup(page: _Page, element: HtmlElement) -> Iterator[str]:
    """The visible links of an element, as a page of links."""
    for anchor in select_all(element, "a[href]"):
        if page.shown(anchor):
            yield f'<a href="{_quoted(anchor.get("href") or "")}">'
            yield f"{_quoted(' '.join(anchor.text_content().split()))}</a>"


def _quoted(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace('"', "&quot;")


def _listed(row: tuple[str, str | None]) -> Sighting:
    return Sighting(row[0], Role.LISTED, row[1], placement=Placement(reach=Reach.CLICK))


def _warnings(page: _Page, in_document: Sequence[HtmlElement], body: _Body) -> Iterator[str]:
    if (unseen := len(in_document) - len(body.marks)) > 0:
        yield f"{unseen} citation(s) in the document are not shown and not counted"
    bare = sum(not addresses(page.pills[one.element]) for one in body.marks)
    if bare:
        yield f"{bare} pill(s) have no address in the document"
    yield from _disagreements(page)


def _walled(page: _Page) -> Iterator[Turn]:
    """A page without any answer where a visible wall tells why."""
    for role, (outcome, reason) in WALLS.items():
        if any(page.shown(one) for one in page.of(role)):
            empty = _Body("", (), None)
            reading = Reading(outcome, reason, warnings=(f"the page shows its {role}",))
            yield Turn(0, None, None, reading, NOTHING_TOLD, layout=_layout(page, (), empty))
            return
