"""A page of Google as both its surfaces need it: parts by role, what is shown, walls, language.

Parts are looked up once for the whole page; what belongs to one answer is told by where it lies, so
that a page of very many answers costs no more than one pass over each.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from lxml import etree
from lxml.html import HtmlElement

from monitor.domain.engine import Outcome, Reading, Request
from monitor.domain.panel import Prompt
from monitor.domain.turn import Document, Layout, Panel
from monitor.engines.surfaces.google_payload import Payload, read_payload
from monitor.engines.surfaces.selectors import Address, Found, Selectors, load_selectors
from monitor.errors import PayloadError
from monitor.markup.shown import Shown, is_asked, shown_in
from monitor.markup.trees import decode_body, parse_html

TITLES: Mapping[str, str] = {
    "AI Overview": "en",
    "AI Overviews": "en",
    "Übersicht mit KI": "de",
    "Aperçu IA": "fr",
    "Visión general creada por IA": "es",
    "Visão geral criada por IA": "pt",
    "AI による概要": "ja",
}
"""The overview's heading -> the language of the page it stands on."""

_WALLS: Mapping[str, Reading] = {
    "captcha": Reading(Outcome.BLOCKED, "captcha"),
    "consent": Reading(Outcome.CONSENT_REQUIRED),
    "login_wall": Reading(Outcome.LOGIN_REQUIRED),
}
_SAME = frozenset({"answer", "pill", "card", "legacy_source"})
"""Roles whose selectors should find the same elements; those of others complete each other."""


@dataclass(frozen=True, slots=True)
class GooglePage:
    """A page, read once."""

    tree: HtmlElement
    url: str | None
    panels: tuple[Panel, ...]
    in_view: frozenset[str] | None
    """Numbers of the buttons that were seen without scrolling; None where nobody looked."""
    asked: bool
    """Whether a browser told what is shown."""
    styled: bool
    """Whether the page brings its style sheets along."""
    shown: Shown
    payload: Payload
    found: Mapping[str, Found]
    """Role -> what its selectors found on the page."""
    members: Mapping[str, frozenset[HtmlElement]]
    addresses: tuple[Address, ...]

    def all(self, role: str) -> tuple[HtmlElement, ...]:
        """Elements of a role, in document order."""
        return self.found[role].elements if role in self.found else ()

    def inside(self, scope: HtmlElement, role: str) -> Iterator[HtmlElement]:
        """Elements of a role in another element."""
        known = self.members.get(role)
        return (one for one in scope.iter(etree.Element) if one in known) if known else iter(())

    def sees(self, role: str) -> bool:
        """Whether something of a role is shown."""
        return any(self.shown(one) for one in self.all(role))

    def layout(
        self, *, in_document: int, shown: int, coverage: float | None, also: str | None = None
    ) -> Layout:
        """How the page fitted our selectors; `also` is a disagreement of another kind."""
        same = (one for role, one in self.found.items() if role in _SAME)
        differ = (*(one.disagreement for one in same), also)
        return Layout(
            hits={role: dict(one.hits) for role, one in self.found.items()},
            disagreements=tuple(one for one in differ if one is not None),
            in_document=in_document,
            shown=shown,
            coverage=coverage,
        )


def open_page(surface: str, document: Document) -> GooglePage:
    """A document as a page; PayloadError where it is none."""
    text = decode_body(document.body, None)
    tree = parse_html(text[max(text.find("<"), 0) :], full=True)
    if tree is None:
        raise PayloadError(surface, "$", "no page in the document")
    selectors = load_selectors(surface)
    found = _found(selectors, tree)
    return GooglePage(
        tree=tree,
        url=document.url,
        panels=document.panels,
        in_view=document.in_view,
        asked=is_asked(tree),
        styled=next(tree.iter("style"), None) is not None,
        shown=shown_in(tree),
        payload=read_payload(tree),
        found=found,
        members={role: frozenset(one.elements) for role, one in found.items()},
        addresses=selectors.addresses,
    )


def find_on(surface: str, body: bytes, *roles: str) -> Mapping[str, int]:
    """How many elements of some roles a page has; none of any where the bytes are no page."""
    text = decode_body(body, None)
    start = text.find("<")
    tree = parse_html(text[start:], full=True) if 0 <= start < 4096 else None
    selectors = load_selectors(surface)
    return {role: 0 if tree is None else len(selectors.find(tree, role).elements) for role in roles}


def _found(selectors: Selectors, tree: HtmlElement) -> Mapping[str, Found]:
    return {
        role: selectors.find(tree, role)
        for role in dict.fromkeys(one.role for one in selectors.selectors)
    }


def wall_by_address(page: GooglePage) -> Reading | None:
    """The wall that the address of a page names; None where it names none."""
    named = (one.role for one in page.addresses if page.url and one.fits(page.url))
    role = next(named, None)
    return None if role is None else _WALLS[role]


def wall_shown(page: GooglePage) -> Reading | None:
    """The wall that is seen on a page without an answer; its words are not asked."""
    return next((reading for role, reading in _WALLS.items() if page.sees(role)), None)


def language_of(page: GooglePage) -> str | None:
    """Language of a page by its own word, else by the overview's heading."""
    root = page.tree.getroottree().getroot()
    if named := (root.get("lang") or "").strip():
        return named[:35]
    for one in (*page.all("title"), *page.all("any_title")):
        language = TITLES.get(" ".join("".join(one.itertext()).split()))
        if language is not None:
            return language
    return None


def question_of(page: GooglePage) -> str | None:
    """What was searched: the search box, else the address of the page."""
    for box in page.all("user_turn"):
        words = "".join(box.itertext()) if box.tag == "textarea" else ""
        if asked := " ".join((words or box.get("value") or "").split()):
            return asked
    asked_in = parse_qs(urlsplit(page.url or "").query).get("q", ())
    return next((" ".join(one.split()) for one in asked_in if one.strip()), None)


def search_page(prompt: Prompt, country: str | None, base_url: str | None, *more: str) -> Request:
    """Address of a search in the prompt's language and country, nothing of it personal."""
    place = country or prompt.country
    query = [("q", prompt.text), ("hl", prompt.locale), ("pws", "0")]
    if place is not None:
        query.append(("gl", place.lower()))
    query += [("udm", one) for one in more]
    base = (base_url or "https://www.google.com").rstrip("/")
    return Request("GET", f"{base}/search", query=tuple(query))
