"""Rules of the style sheets inside a page, as far as they decide what is shown.

Only `display`, `visibility`, `opacity` and `all` are read. A page is taken as shown on a screen
1280 by 1600 pixels: `@media` is judged by that, and what cannot be judged is taken as not true.
`@layer` counts, `@supports` is taken as true; `@container`, `@scope` and `@starting-style` are
skipped. A rule whose selector cannot be read is skipped, and so is a value that needs a variable.

Sheets beyond MOST_CHARACTERS in all, and selectors beyond MOST_SELECTORS, are not read: what they
hide counts as shown.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import tinycss2
from cssselect import SelectorError
from cssselect.parser import parse as parse_selectors
from lxml.html import HtmlElement

MOST_CHARACTERS = 4_000_000
MOST_SELECTORS = 20_000
_DEEPEST = 12
"""Blocks in blocks that are followed."""
_WIDTH, _HEIGHT = 1280.0, 1600.0
_LAST = 1 << 30

NAMES = ("display", "visibility", "opacity")
_KEYWORDS = frozenset({"inherit", "initial", "unset", "revert", "revert-layer"})
_DISPLAYS = frozenset(
    {"none", "contents", "block", "inline", "flow", "flow-root", "flex", "grid", "table", "ruby",
     "inline-block", "inline-flex", "inline-grid", "inline-table", "list-item", "table-row",
     "table-cell", "table-column", "table-caption", "table-row-group", "table-header-group",
     "table-footer-group", "table-column-group", "ruby-base", "ruby-text", "math", "-webkit-box",
     "-webkit-inline-box", "-webkit-flex", "-webkit-inline-flex"}
)  # fmt: skip
_VISIBILITIES = frozenset({"visible", "hidden", "collapse"})
_TRUE_FEATURES = frozenset(
    {"hover:hover", "any-hover:hover", "pointer:fine", "any-pointer:fine", "update:fast",
     "orientation:portrait", "prefers-color-scheme:light", "scripting:enabled",
     "prefers-reduced-motion:no-preference"}
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Setting:
    """One declared value: `none` or a word of `display`, a visibility, an opacity as a number."""

    name: str
    value: str
    important: bool


@dataclass(frozen=True, slots=True)
class Rule:
    """One selector of a sheet with what it sets."""

    selector: Any
    """Parsed selector of cssselect."""
    specificity: tuple[int, int, int]
    layer: tuple[int, ...]
    """Later layers are greater; what is in no layer is greatest."""
    order: int
    settings: tuple[Setting, ...]


def read_settings(declarations: Iterable[Any]) -> tuple[Setting, ...]:
    """Values of declarations that decide what is shown, in order; others are left out."""
    found = []
    for one in declarations:
        if getattr(one, "type", None) != "declaration":
            continue
        name = one.lower_name
        for target in NAMES if name == "all" else (name,):
            value = _value(target, one.value, only_keywords=name == "all")
            if value is not None:
                found.append(Setting(target, value, one.important))
    return tuple(found)


def style_of(element: HtmlElement) -> tuple[Setting, ...]:
    """Values of an element's own `style` attribute."""
    style = element.get("style")
    return _style(style) if style and len(style) <= MOST_CHARACTERS else ()


@lru_cache(maxsize=1024)
def _style(text: str) -> tuple[Setting, ...]:
    return read_settings(
        tinycss2.parse_blocks_contents(text, skip_comments=True, skip_whitespace=True)
    )


def read_sheets(sheets: Iterable[HtmlElement]) -> tuple[Rule, ...]:
    """Rules of `style` elements, in order."""
    reader = _Reader()
    left = MOST_CHARACTERS
    for sheet in sheets:
        text = "".join(sheet.itertext())
        left -= len(text)
        if left < 0:
            break
        media = sheet.get("media")
        if media is None or _media_fits(tinycss2.parse_component_value_list(media)):
            rules = tinycss2.parse_stylesheet(text, skip_comments=True, skip_whitespace=True)
            reader.read(rules, (), (), 0)
    return tuple(reader.rules)


@dataclass(slots=True)
class _Reader:
    """Collects rules, at most MOST_SELECTORS of them."""

    rules: list[Rule] = field(default_factory=list)
    layers: dict[tuple[str, ...], tuple[int, ...]] = field(default_factory=dict)

    def read(
        self, nodes: Iterable[Any], outer: tuple[str, ...], layer: tuple[str, ...], depth: int
    ) -> None:
        """Read nodes of a block; `outer` are the selectors of the rule around it."""
        if depth > _DEEPEST:
            return
        if outer:
            nodes = tuple(nodes)
            self._keep(outer, layer, read_settings(nodes))
        for node in nodes:
            try:
                self._node(node, outer, layer, depth)
            except RecursionError:
                continue

    def _node(self, node: Any, outer: tuple[str, ...], layer: tuple[str, ...], depth: int) -> None:
        """Read one node; RecursionError where its brackets nest too deep to be written out."""
        kind = getattr(node, "type", None)
        if kind == "qualified-rule":
            inner = _nested(outer, node.prelude)
            if inner:
                self.read(_block(node.content), inner, layer, depth + 1)
        elif kind == "at-rule":
            self._at_rule(node, outer, layer, depth)

    def _at_rule(
        self, node: Any, outer: tuple[str, ...], layer: tuple[str, ...], depth: int
    ) -> None:
        name = node.lower_at_keyword
        if name == "layer":
            named = [part.strip() for part in tinycss2.serialize(node.prelude).split(",")]
            paths = [(*layer, *one.split(".")) for one in named if one]
            if node.content is None or not paths:
                paths = paths or [(*layer, f" {len(self.layers)}")]
            for path in paths:
                self._rank(path)
            layer = paths[0]
        elif name == "media":
            if not _media_fits(node.prelude):
                return
        elif name != "supports" or tinycss2.serialize(node.prelude).lstrip().startswith("not"):
            return
        if node.content is not None:
            self.read(_block(node.content), outer, layer, depth + 1)

    def _rank(self, path: tuple[str, ...]) -> tuple[int, ...]:
        """Rank of a layer by first mention, among those in the same outer layer."""
        rank: tuple[int, ...] = ()
        for length in range(1, len(path) + 1):
            rank = self.layers.setdefault(path[:length], (*rank, len(self.layers)))
        return rank

    def _keep(
        self, selectors: tuple[str, ...], layer: tuple[str, ...], settings: tuple[Setting, ...]
    ) -> None:
        if not settings or len(self.rules) >= MOST_SELECTORS:
            return
        rank = (*self._rank(layer), _LAST)
        for selector in _parsed(", ".join(selectors)):
            if selector.pseudo_element is None:
                order = len(self.rules)
                self.rules.append(
                    Rule(selector.parsed_tree, selector.specificity(), rank, order, settings)
                )


def _block(content: Any) -> list[Any]:
    parsed: list[Any] = tinycss2.parse_blocks_contents(
        content, skip_comments=True, skip_whitespace=True
    )
    return parsed


def _parsed(css: str) -> Sequence[Any]:
    try:
        return tuple(parse_selectors(css))
    except (SelectorError, RecursionError, ValueError):
        return ()


def _nested(outer: tuple[str, ...], prelude: Sequence[Any]) -> tuple[str, ...]:
    """Selectors of a rule, those of the rule around it put in: `&`, or before them."""
    several = tuple(one for one in (_written(part) for part in _parted(prelude)) if one)
    if not outer:
        return several
    if len(outer) * len(several) > MOST_SELECTORS:
        return ()
    inner = (one if "&" in one else f"& {one}" for one in several)
    joined = tuple(one.replace("&", around) for one in inner for around in outer)
    return joined if sum(map(len, joined)) < MOST_CHARACTERS // 100 else ()


def _parted(tokens: Iterable[Any]) -> Iterator[list[Any]]:
    """Tokens between commas."""
    part: list[Any] = []
    for one in tokens:
        if one == ",":
            yield part
            part = []
        else:
            part.append(one)
    yield part


def _written(tokens: Iterable[Any]) -> str:
    """A selector's text; `:not(a, b)` as `:not(:is(a, b))`, which the parser knows."""
    words = []
    for token in tokens:
        several = token.type == "function" and token.lower_name == "not" and "," in token.arguments
        inner = tinycss2.serialize(token.arguments) if several else ""
        words.append(f"not(:is({inner}))" if several else token.serialize())
    return "".join(words).strip()


def _value(name: str, tokens: Sequence[Any], *, only_keywords: bool) -> str | None:
    """A declared value as a browser takes it; None where it takes none."""
    parts = [one for one in tokens if one.type not in {"whitespace", "comment"}]
    first = parts[0] if parts else None
    if first is None:
        return None
    word = first.lower_value if first.type == "ident" else None
    if len(parts) == 1 and word in _KEYWORDS:
        return str(word)
    if only_keywords:
        return None
    if name == "display":
        known = len(parts) <= 3 and all(
            one.type == "ident" and one.lower_value in _DISPLAYS for one in parts
        )
        return str(word) if known and (len(parts) == 1 or word != "none") else None
    if len(parts) != 1:
        return None
    if name == "visibility":
        return str(word) if word in _VISIBILITIES else None
    if name == "opacity" and first.type in {"number", "percentage"}:
        return "0" if first.value <= 0 else "1"
    return None


def _media_fits(tokens: Iterable[Any]) -> bool:
    """Whether a list of media queries is true of a screen; an empty one is."""
    queries = [
        [one for one in part if one.type not in {"whitespace", "comment"}]
        for part in _parted(tokens)
    ]
    return queries == [[]] or any(_query_fits(one) for one in queries if one)


def _query_fits(tokens: Sequence[Any]) -> bool:
    words = [one.lower_value if one.type == "ident" else one for one in tokens]
    negated = words[0] == "not"
    rest = words[1:] if words[0] in {"not", "only"} else words
    parts = [one for one in rest if one != "and"]
    known = [_part_fits(one) for one in parts]
    if None in known or not parts:
        return False
    return all(known) is not negated


def _part_fits(part: Any) -> bool | None:
    """Whether one part of a query is true; None where that cannot be told."""
    if isinstance(part, str):
        return part in {"screen", "all"}
    if part.type != "() block":
        return None
    text = "".join(tinycss2.serialize(part.content).lower().split())
    if text in _TRUE_FEATURES:
        return True
    name, _, value = text.partition(":")
    size = _WIDTH if name.endswith("width") else _HEIGHT if name.endswith("height") else None
    pixels = _pixels(value)
    if size is None or pixels is None:
        return _range_fits(text)
    return {"min": size >= pixels, "max": size <= pixels}.get(name[:3], size == pixels)


def _range_fits(text: str) -> bool | None:
    for sign in (">=", "<=", ">", "<"):
        name, found, value = text.partition(sign)
        size = {"width": _WIDTH, "height": _HEIGHT}.get(name)
        pixels = _pixels(value)
        if found and size is not None and pixels is not None:
            below = size < pixels or (size == pixels and sign == "<=")
            above = size > pixels or (size == pixels and sign == ">=")
            return above if sign.startswith(">") else below
    return False if text.partition(":")[0].startswith("prefers-") else None


def _pixels(text: str) -> float | None:
    for unit, scale in (("px", 1.0), ("rem", 16.0), ("em", 16.0)):
        number = text.removesuffix(unit)
        if number != text:
            try:
                return float(number) * scale
            except ValueError:
                return None
    return 0.0 if text == "0" else None
