"""The text of an answer as a page shows it, with the places where its citations stand.

Blocks become lines: paragraphs stand apart, list parts begin with "- ", headings with "#" signs,
cells of a row are parted by " | ", preformatted lines stay lines between fences of "```". The
labels of citations are no words of the answer: they leave the text, and their place stays.
"""

import re
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

from lxml.html import HtmlElement

from monitor.domain.engine import Span, SpanKind
from monitor.engines.shapes.tokens import without_tokens
from monitor.markup.shown import Shown

Test = Callable[[HtmlElement], bool]

_HEADINGS = {f"h{level}": "#" * level + " " for level in range(1, 7)}
_PARAGRAPHS = frozenset({"p", "ul", "ol", "table", "pre", "blockquote", "section", "article",
                         "dl", "figure", "header", "footer", *_HEADINGS})  # fmt: skip
_LINES = frozenset({"div", "li", "tr", "dt", "dd", "br", "hr", "figcaption", "caption", "thead",
                    "tbody", "main"})  # fmt: skip
_CELLS = frozenset({"td", "th"})
_SILENT = frozenset({"script", "style", "noscript", "svg", "head", "title", "button", "input",
                     "textarea", "select", "iframe", "object", "canvas", "audio",
                     "video"})  # fmt: skip
_PRIVATE = re.compile("[\ue000-\uf8ff\U000f0000-\U0010fffd\u200b\u2060\ufeff]")
_SPACES = re.compile("[ \t\n\r\f\xa0]+")
_BLANK = re.compile(r"\s+")
_CLOSING = frozenset(".,;:!?)]»”’")
_SENTENCE_END = re.compile(r"[.!?:][\"'”’)]*\s+|[。！？]|\n+")


@dataclass(frozen=True, slots=True)
class PlacedMark:
    """An element that cites, and where it stands."""

    element: HtmlElement
    at: int
    """Code points of the text before it."""


@dataclass(frozen=True, slots=True)
class PageText:
    """An answer's text and its marks, in document order."""

    text: str
    marks: tuple[PlacedMark, ...]


def page_text(
    root: HtmlElement, *, shown: Shown, is_mark: Test, is_left_out: Test = lambda _: False
) -> PageText:
    """Text of an element: what is not shown, left out, or a mark's label is not in it."""
    writer = _Writer(shown, is_mark, is_left_out)
    writer.walk(root)
    text = "".join(writer.parts).rstrip()
    return PageText(text, tuple(PlacedMark(one, min(at, len(text))) for one, at in writer.marks))


def sentence_before(text: str, at: int) -> Span | None:
    """The sentence that ends where a mark stands; None where no text stands before it."""
    return _sentences(text).before(at) if 0 < at <= len(text) else None


def coverage(root: HtmlElement, page: PageText, *, shown: Shown, is_mark: Test) -> float | None:
    """Part of an element's visible characters that its text holds, spaces aside.

    Labels of marks are no words to cover. None where nothing is visible.
    """
    whole = page_text(root, shown=shown, is_mark=is_mark)
    visible = len("".join(whole.text.split()))
    return min(1.0, len("".join(page.text.split())) / visible) if visible else None


@dataclass(frozen=True, slots=True)
class _Sentences:
    """Where the sentences and the runs of white space of a text end, found once."""

    ends: tuple[int, ...]
    blanks: tuple[tuple[int, int], ...]

    def before(self, at: int) -> Span | None:
        """The sentence that ends at a place, white space before the place aside."""
        near = bisect_left(self.blanks, (at,)) - 1
        blank = self.blanks[near] if near >= 0 else (0, 0)
        head = blank[0] if blank[1] >= at else at
        ended = bisect_left(self.ends, head) - 1
        start = self.ends[ended] if ended >= 0 else 0
        return Span(start, head, SpanKind.CLAIM) if start < head else None


@lru_cache(maxsize=16)
def _sentences(text: str) -> _Sentences:
    return _Sentences(
        tuple(match.end() for match in _SENTENCE_END.finditer(text)),
        tuple(match.span() for match in _BLANK.finditer(text)),
    )


@dataclass(slots=True)
class _Writer:
    """Writes the text of a tree, part by part."""

    shown: Shown
    is_mark: Test
    is_left_out: Test
    parts: list[str] = field(default_factory=list)
    marks: list[tuple[HtmlElement, int]] = field(default_factory=list)
    length: int = 0
    breaks: int = 0
    """Line ends that are due before the next word."""
    spaced: bool = False
    """Whether a space is due before the next word."""
    opening: str = ""
    """What the next line begins with."""
    after_mark: bool = False
    lists: int = 0
    """Parts of lists that are open."""
    fenced: int = 0
    """Preformatted blocks that are open."""

    def walk(self, element: HtmlElement) -> None:
        """Write an element and all in it; libxml2 bounds the depth of a tree to 256.

        What is not shown says nothing, but something in it may be shown.
        """
        if isinstance(element.tag, str) and not self.shown(element):
            for child in element:
                self.walk(child)
            return
        if not self._enters(element):
            return
        self._begin(element)
        self._say(element.text)
        for child in element:
            self.walk(child)
            self._say(child.tail)
        self._end(element)

    def _enters(self, node: HtmlElement) -> bool:
        """Whether an element is walked into; a mark is noted instead."""
        if not isinstance(node.tag, str):
            return False
        if self.is_mark(node):
            self._mark(node)
            return False
        return node.tag not in _SILENT and not self.is_left_out(node)

    def _mark(self, node: HtmlElement) -> None:
        self.marks.append((node, self.length))
        self.after_mark = True

    def _begin(self, node: HtmlElement) -> None:
        self._break(node.tag)
        if node.tag in _HEADINGS:
            self.opening = _HEADINGS[node.tag]
        elif node.tag == "li":
            self.opening = "- "
            self.lists += 1
        elif node.tag == "pre":
            self._fence()
            self.fenced += 1
        elif node.tag in _CELLS and node.getprevious() is not None:
            self._write(" |")
            self.spaced = True

    def _end(self, node: HtmlElement) -> None:
        if node.tag == "li" or node.tag in _HEADINGS:
            self.opening = ""
        if node.tag == "pre":
            self.fenced -= 1
            self.breaks = max(self.breaks, 1)
            self._fence()
        self._break(node.tag)
        self.lists -= node.tag == "li"

    def _fence(self) -> None:
        """A line of its own around preformatted lines; one block in another has none."""
        if not self.fenced:
            self._write("```")
            self.breaks = 1

    def _break(self, tag: str) -> None:
        wanted = 2 if tag in _PARAGRAPHS else 1 if tag in _LINES else 0
        if tag in {"ul", "ol"} or (self.lists and wanted):
            wanted = 1
        self.breaks = max(self.breaks, wanted)

    def _say(self, words: str | None) -> None:
        whole = without_tokens(words).text if words else ""
        if self.fenced:
            self._say_lines(_PRIVATE.sub("", whole))
            return
        plain = _SPACES.sub(" ", _PRIVATE.sub("", whole))
        if plain.startswith(" "):
            self.spaced = True
        if (body := plain.strip(" ")) != "":
            self._write(body)
            self.spaced = plain.endswith(" ")

    def _say_lines(self, words: str) -> None:
        """Preformatted words, line by line as they stand."""
        for number, line in enumerate(words.split("\n")):
            self.breaks += number > 0
            if line.strip():
                self._write(line.rstrip("\r"))

    def _write(self, words: str) -> None:
        if self.breaks and self.length:
            self._add("\n" * self.breaks)
        elif self.spaced and self.length and not (self.after_mark and words[0] in _CLOSING):
            self._add(" ")
        if self.opening:
            self._add(self.opening)
        self._add(words)
        self.breaks, self.spaced, self.opening, self.after_mark = 0, False, "", False

    def _add(self, words: str) -> None:
        self.parts.append(words)
        self.length += len(words)
