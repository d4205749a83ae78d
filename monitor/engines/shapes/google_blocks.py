"""SerpApi's tree of text blocks, as one text with the places its references stand at.

A block or list entry may have `reference_indexes` (0-based, into `references[].index`): the whole
block is the place. A list's own indexes come before those of its entries. `snippet_links` are links
in the prose, or nameless chips that repeat a reference: they count only for pages that no index
points at. References nobody indexes still stand in the tray Google shows: listed.
Entries become lines that begin with "- ", headings "## ", tables rows of "| a | b |". Cards (top
stories, videos) are recommendations: their URLs are links, their words no answer.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from monitor.domain.engine import Citation, Retrieved, Role, Span, SpanKind
from monitor.engines.shapes.citing import Mark, distinct, gather
from monitor.engines.shapes.payload import (
    list_at,
    mapping_at,
    optional_int,
    optional_string,
    require,
    string_at,
)
from monitor.errors import PayloadError

DEEPEST = 24
"""Levels of nesting we follow; real answers have three."""

Node = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Overview:
    """An answer block of Google as one text, with its citations and its tray."""

    text: str
    citations: tuple[Citation, ...]
    tray: tuple[Retrieved, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Piece:
    """A stretch of text, its marks, and what was odd; spans count from its own beginning."""

    text: str = ""
    marks: tuple[Mark, ...] = ()
    odd: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Walk:
    """Where we are in the tree, and the pages that indexes point into."""

    engine: str
    path: str
    pages: Mapping[int, Mark]
    depth: int = 0

    def into(self, step: str) -> "_Walk":
        """The same walk one step deeper; PayloadError where the tree has no end."""
        if self.depth >= DEEPEST:
            raise PayloadError(self.engine, self.path[:200], f"blocks nested over {DEEPEST} deep")
        return replace(self, path=f"{self.path}{step}", depth=self.depth + 1)


def read_blocks(engine: str, node: Node, path: str) -> Overview:
    """Text, citations and tray of an object with `text_blocks` and `references`."""
    entries, lost = _references(engine, node, path)
    pages = {index: mark for index, mark in entries if mark}
    walk = _Walk(engine, path, pages)
    whole = _children(walk, node, "text_blocks", "\n")
    indexed = {m.url for m in whole.marks if m.role is Role.DISPLAYED}
    placed = [m for m in whole.marks if m.role is Role.DISPLAYED or m.url not in indexed]
    ordered = [replace(mark, at=n) for n, mark in enumerate(placed)]
    tray = [replace(mark, role=Role.LISTED) for mark in pages.values()]
    return Overview(
        whole.text,
        gather([*ordered, *tray]),
        distinct(Retrieved(mark.url, mark.title) for mark in pages.values()),
        (*lost, *dict.fromkeys(whole.odd)),
    )


def _references(
    engine: str, node: Node, path: str
) -> tuple[list[tuple[int, Mark | None]], tuple[str, ...]]:
    """Pages by index; a reference without a link names no page and is warned of."""
    entries: list[tuple[int, Mark | None]] = []
    lost = []
    for n, reference in enumerate(
        list_at(engine, node.get("references") or [], f"{path}.references")
    ):
        here = f"{path}.references[{n}]"
        entry = mapping_at(engine, reference, here)
        index = optional_int(entry.get("index", n))
        if index is None:
            raise PayloadError(
                engine, f"{here}.index", f"expected a number, found {entry['index']!r}"
            )
        url = optional_string(entry.get("link"))
        title, quote = optional_string(entry.get("title")), optional_string(entry.get("snippet"))
        entries.append((index, Mark(url, Role.DISPLAYED, title, snippet=quote) if url else None))
        if not url:
            lost.append(f"{here}: a reference without a link")
    return entries, tuple(lost)


def _joined(pieces: Sequence[_Piece], separator: str) -> _Piece:
    """One piece of several; those without text leave no empty line, but keep their marks."""
    text, marks, odd = "", list[Mark](), list[str]()
    for piece in pieces:
        if piece.text and text:
            text += separator
        marks += _moved(piece.marks, len(text))
        odd += piece.odd
        text += piece.text
    return _Piece(text, tuple(marks), tuple(odd))


def _moved(marks: Sequence[Mark], offset: int) -> Iterator[Mark]:
    for mark in marks:
        span = mark.span
        moved = Span(span.start + offset, span.end + offset, span.kind) if span else None
        yield replace(mark, span=moved)


def _prefixed(prefix: str, piece: _Piece) -> _Piece:
    if not piece.text:
        return piece
    return _Piece(prefix + piece.text, tuple(_moved(piece.marks, len(prefix))), piece.odd)


def _children(walk: _Walk, node: Node, key: str, separator: str) -> _Piece:
    here = walk.into(f".{key}")
    blocks = list_at(walk.engine, node.get(key) or [], here.path)
    return _joined(
        [
            _block(replace(here, path=f"{here.path}[{n}]"), _object(here, block, n))
            for n, block in enumerate(blocks)
        ],
        separator,
    )


def _object(walk: _Walk, value: Any, number: int) -> Node:
    return mapping_at(walk.engine, value, f"{walk.path}[{number}]")


def _block(walk: _Walk, block: Node) -> _Piece:
    """One block of any kind with its own marks before those of what it holds."""
    kind = optional_string(block.get("type")) or ""
    body = _body(walk, block, kind)
    span = Span(0, len(body.text), SpanKind.BLOCK) if body.text else None
    own, odd = _own_marks(walk, block, span)
    return _Piece(body.text, (*own, *body.marks), (*odd, *body.odd))


def _body(walk: _Walk, block: Node, kind: str) -> _Piece:
    if kind == "heading":
        return _prefixed("## ", _words(walk, block))
    if kind == "list":
        return _joined([_words(walk, block), _entries(walk, block)], "\n")
    if kind == "table":
        return _Piece(_table(walk, block))
    if kind == "comparison":
        return _Piece(_comparison(walk, block))
    if kind == "code_block":
        code = _text(walk, block, "code") or _text(walk, block, "snippet")
        return _Piece(f"```\n{code}\n```" if code else "")
    if kind in {"top_stories", "video", "videos", "images"}:
        return _Piece(marks=tuple(_cards(block)))
    inner = _joined([_words(walk, block), _entries(walk, block)], "\n")
    inner = _joined([inner, _children(walk, block, "text_blocks", "\n")], "\n")
    if kind in {"paragraph", "expandable"}:
        return inner
    return replace(inner, odd=(*inner.odd, f"block of unknown type {kind!r} read by its text"))


def _text(walk: _Walk, node: Node, key: str) -> str:
    """Text under a key that may be missing or null; anything else is a drift."""
    value = node.get(key)
    return "" if value is None else string_at(walk.engine, value, f"{walk.path}.{key}")


def _words(walk: _Walk, node: Node) -> _Piece:
    """A block's own words: its title, if any, and its snippet."""
    title, snippet = _text(walk, node, "title").strip(), _text(walk, node, "snippet")
    if title and snippet.strip():
        between = " " if title[-1] in ":.!?：。！？" else ": "
        return _Piece(f"{title}{between}{snippet}")
    return _Piece(title or snippet)


def _entries(walk: _Walk, block: Node) -> _Piece:
    """Entries of a list as lines that begin with "- ", deeper ones indented."""
    here = walk.into(".list")
    pieces = []
    for n, entry in enumerate(list_at(walk.engine, block.get("list") or [], here.path)):
        node = _object(here, entry, n)
        at = replace(here, path=f"{here.path}[{n}]")
        words = _prefixed("- ", _marked(at, node, _words(at, node)))
        deeper = _joined([_entries(at, node), _children(at, node, "text_blocks", "\n")], "\n")
        pieces.append(_joined([words, deeper], "\n"))
    return _joined(pieces, "\n")


def _marked(walk: _Walk, node: Node, words: _Piece) -> _Piece:
    span = Span(0, len(words.text), SpanKind.BLOCK) if words.text else None
    own, odd = _own_marks(walk, node, span)
    return _Piece(words.text, (*own, *words.marks), (*odd, *words.odd))


def _own_marks(
    walk: _Walk, node: Node, span: Span | None
) -> tuple[tuple[Mark, ...], tuple[str, ...]]:
    """Marks of a block itself: its indexes first, then its links."""
    path = f"{walk.path}.reference_indexes"
    marks, odd = [], []
    for index in list_at(walk.engine, node.get("reference_indexes") or [], path):
        at = optional_int(index)
        if at is None:
            raise PayloadError(walk.engine, path, f"expected a number, found {index!r}"[:200])
        page = walk.pages.get(at)
        if page is None:
            odd.append(f"{path}: points at reference {at}, which names no page")
        else:
            marks.append(replace(page, span=span))
    return (*marks, *_links(walk, node, span)), tuple(odd)


def _links(walk: _Walk, node: Node, span: Span | None) -> Iterator[Mark]:
    path = f"{walk.path}.snippet_links"
    for n, link in enumerate(list_at(walk.engine, node.get("snippet_links") or [], path)):
        entry = mapping_at(walk.engine, link, f"{path}[{n}]")
        url = string_at(walk.engine, require(walk.engine, entry, "link", f"{path}[{n}]"), path)
        if url:
            yield Mark(url, Role.LINK, optional_string(entry.get("text")), span)
    video = node.get("video")
    if isinstance(video, Mapping) and (url := optional_string(video.get("link")) or ""):
        yield Mark(url, Role.LINK, optional_string(video.get("title")), span)


def _cards(block: Node) -> Iterator[Mark]:
    """URLs of recommendation cards, in whatever list they come."""
    cards = [block, *(c for v in block.values() if isinstance(v, list) for c in v)]
    for card in cards:
        url = optional_string(card.get("link")) if isinstance(card, Mapping) else None
        if url:
            yield Mark(url, Role.LINK, optional_string(card.get("title")))


def _table(walk: _Walk, block: Node) -> str:
    path = f"{walk.path}.table"
    rows = list_at(walk.engine, require(walk.engine, block, "table", walk.path), path)
    return _grid(
        [
            [
                _cell(walk, cell, f"{path}[{n}]")
                for cell in list_at(walk.engine, row, f"{path}[{n}]")
            ]
            for n, row in enumerate(rows)
        ]
    )


def _cell(walk: _Walk, cell: Any, path: str) -> str:
    if isinstance(cell, Mapping):
        return _text(replace(walk, path=path), cell, "snippet" if "snippet" in cell else "text")
    return "" if cell is None else string_at(walk.engine, cell, path)


def _comparison(walk: _Walk, block: Node) -> str:
    """Products side by side: a row of names, then a row for each feature."""
    path = f"{walk.path}.comparison"
    labels = list_at(walk.engine, block.get("product_labels") or [], f"{walk.path}.product_labels")
    rows = [["", *(_cell(walk, label, f"{walk.path}.product_labels") for label in labels)]]
    features = list_at(walk.engine, require(walk.engine, block, "comparison", walk.path), path)
    for n, feature in enumerate(features):
        node = mapping_at(walk.engine, feature, f"{path}[{n}]")
        values = list_at(walk.engine, node.get("values") or [], f"{path}[{n}].values")
        name = _text(replace(walk, path=f"{path}[{n}]"), node, "feature")
        rows.append([name, *(_cell(walk, value, f"{path}[{n}].values") for value in values)])
    return _grid(rows)


def _grid(rows: Sequence[Sequence[str]]) -> str:
    """Rows as a Markdown table, the first as its head; "" where no cell has words."""
    if not any(cell.strip() for row in rows for cell in row):
        return ""
    lines = ["| " + " | ".join(" ".join(cell.split()) for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * max(len(rows[0]), 1), *lines[1:]])
