"""A chat page as ChatGPT, Copilot and Gemini draw it: questions, answers, pills in the answers.

All selectors of a role are tried and united. What belongs to which answer is told by where it lies,
so that a page of very many answers or pills costs no more than one pass over each.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from lxml.html import HtmlElement

from monitor.domain.turn import Document, Layout, Panel
from monitor.engines.surfaces.selectors import Found, load_selectors
from monitor.engines.surfaces.text import page_text
from monitor.markup.select import in_document_order, outermost
from monitor.markup.shown import Shown, shown_in
from monitor.markup.trees import decode_body, parse_html

_NO_WORDS = ("left_out", "card", "ad")
"""Roles that are no words of an answer."""
_COMPARED = ("turn", "user_turn", "answer", "pill")
"""Roles whose selectors ought to find the same."""


@dataclass(frozen=True, slots=True)
class Chat:
    """What one surface does in its own way."""

    name: str
    own: Collection[str]
    """Hosts of the surface itself: links to them lead to no source."""
    names: Sequence[str]
    """Attributes that name an answer, the first that is there."""
    model: str | None = None
    """Attribute that names the model that answered."""
    heading: str = ""
    """Words that stand before an answer for those who cannot see it."""


@dataclass(frozen=True, slots=True)
class ChatPart:
    """One answer in a page."""

    element: HtmlElement
    bodies: tuple[HtmlElement, ...]
    """Blocks of its text, in order."""
    prompt: str | None
    lying: Mapping[str, tuple[HtmlElement, ...]]
    """Role -> elements of it that lie in the answer's part of the page."""
    pills: tuple[HtmlElement, ...]
    """Citation elements in its text, outermost ones."""


@dataclass(frozen=True, slots=True)
class ChatPage:
    """A page, read once."""

    chat: Chat
    tree: HtmlElement
    shown: Shown
    found: Mapping[str, Found]
    pills: frozenset[HtmlElement]
    left_out: frozenset[HtmlElement]
    unspoken: frozenset[HtmlElement]
    """Labels of pills, and what stands in the page for those who cannot see it."""
    panels: tuple[Panel, ...]
    in_view: frozenset[str] | None
    """Numbers of pills that were seen without scrolling; None where nobody looked."""

    def all(self, role: str) -> tuple[HtmlElement, ...]:
        """Elements of a role, in document order; empty where the surface has none."""
        return self.found[role].elements if role in self.found else ()

    def sees(self, role: str) -> bool:
        """Whether something of a role is shown."""
        return any(self.shown(one) for one in self.all(role))

    def layout(self, *, in_document: int, shown: int, coverage: float | None) -> Layout:
        """How the page fitted our selectors."""
        return Layout(
            hits={role: dict(one.hits) for role, one in self.found.items()},
            disagreements=self.disagreements,
            in_document=in_document,
            shown=shown,
            coverage=coverage,
        )

    @property
    def disagreements(self) -> tuple[str, ...]:
        """Roles whose selectors found different elements, in words."""
        told = (self.found[role].disagreement for role in _COMPARED if role in self.found)
        return tuple(one for one in told if one is not None)


def open_chat(chat: Chat, document: Document) -> ChatPage | None:
    """A document as a page; None where there is nothing to read."""
    tree = parse_html(decode_body(document.body, None), full=True)
    if tree is None:
        return None
    selectors = load_selectors(chat.name)
    roles = dict.fromkeys(one.role for one in selectors.selectors)
    found = {role: selectors.find(tree, role) for role in roles}
    pills = frozenset(outermost(_of(found, "pill")))
    return ChatPage(
        chat=chat,
        tree=tree,
        shown=shown_in(tree),
        found=found,
        pills=pills,
        left_out=frozenset(one for role in _NO_WORDS for one in _of(found, role)),
        unspoken=pills | frozenset(_of(found, "left_out")),
        panels=document.panels,
        in_view=document.in_view,
    )


def parts_of(page: ChatPage) -> tuple[ChatPart, ...]:
    """Answers in document order, each with the question before it."""
    users = outermost(page.all("user_turn"))
    asked = frozenset(users)
    turns = _apart_from(asked, outermost(in_document_order([*page.all("turn"), *_bare(page)])))
    homes = frozenset(turns)
    lying = {role: _by_home(homes, found.elements) for role, found in page.found.items() if homes}
    bodies = _by_home(homes, outermost(page.all("answer")))
    pills = _by_home(homes, in_document_order(page.pills))
    parts = []
    prompt: str | None = None
    for element in in_document_order([*users, *turns]):
        if element in asked:
            prompt = _question(page, element)
            continue
        texts = tuple(bodies.get(element, ()))
        within = frozenset(texts)
        parts.append(
            ChatPart(
                element=element,
                bodies=texts,
                prompt=prompt,
                lying={role: tuple(homed.get(element, ())) for role, homed in lying.items()},
                pills=tuple(one for one in pills.get(element, ()) if _lies_in(one, within)),
            )
        )
    return tuple(parts)


def _of(found: Mapping[str, Found], role: str) -> tuple[HtmlElement, ...]:
    return found[role].elements if role in found else ()


def _bare(page: ChatPage) -> tuple[HtmlElement, ...]:
    """Answers that no element of a turn stands around."""
    turns = frozenset(page.all("turn"))
    return tuple(one for one in page.all("message") if not _lies_in(one, turns))


def _apart_from(
    asked: Collection[HtmlElement], elements: Sequence[HtmlElement]
) -> tuple[HtmlElement, ...]:
    return tuple(one for one in elements if one not in asked and not _lies_in(one, asked))


def _by_home(
    homes: Collection[HtmlElement], elements: Sequence[HtmlElement]
) -> dict[HtmlElement, list[HtmlElement]]:
    """Elements by the turn they are or lie in."""
    found: dict[HtmlElement, list[HtmlElement]] = {}
    for element in elements:
        around = (element, *element.iterancestors())
        home = next((one for one in around if one in homes), None)
        if home is not None:
            found.setdefault(home, []).append(element)
    return found


def _lies_in(element: HtmlElement, around: Collection[HtmlElement]) -> bool:
    return any(one in around for one in element.iterancestors())


def _question(page: ChatPage, element: HtmlElement) -> str | None:
    text = page_text(
        element,
        shown=page.shown,
        is_mark=lambda _: False,
        is_left_out=page.left_out.__contains__,
    ).text
    return text.strip() or None
