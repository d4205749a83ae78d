"""What of a saved page a reader saw: told by a live capture, else by what the markup says.

A live capture asks the browser about every element and marks those that were not visible with
HIDDEN. Of a page saved otherwise only its own markup is at hand: the `hidden` attribute, `style`
attributes and the style sheets inside the page, weighed as a browser weighs them (importance,
layers, specificity, order). `display: none` and `opacity: 0` hide all that is inside, `visibility`
is inherited and may be undone inside; a closed `details` shows its summary only. Sheets that a page
only links to are not there, and scripts do not run: where those hide something, it counts as shown.

A sheet that is too large or takes too long to apply (`sheets.MOST_CHARACTERS`,
`matching.MOST_STEPS`) is ignored; attributes still count. An element that has no box of its own
(`display: contents`) is shown where what it holds may be.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from lxml.html import HtmlElement

from monitor.markup.matching import Node, fitting, nodes_of
from monitor.markup.sheets import Rule, Setting, read_sheets, style_of

HIDDEN = "data-monitor-hidden"
"""Attribute of elements that the browser did not show when the page was captured; it holds for all
that is inside. Elements without a box of their own (`display: contents`) are not marked."""
UNHIDDEN = "data-monitor-shown"
"""Attribute of elements inside a marked one that were shown all the same (`visibility: visible`);
it holds for what is inside, as far as nothing there is marked anew."""
ASKED = "data-monitor-asked"
"""Attribute of the root of a tree whose elements the browser was asked about."""

Shown = Callable[[HtmlElement], bool]
"""Whether a reader saw an element."""

_NO_BOX = frozenset(
    {"head", "script", "style", "noscript", "template", "title", "meta", "link", "base", "area",
     "datalist", "param", "rp", "source", "track"}
)  # fmt: skip
_INHERITED = frozenset({"inherit", "unset", "revert", "revert-layer"})
_UNSTYLED = frozenset({"noscript", "template"})
"""Style sheets in these are not applied to the page."""

_Weight = tuple[bool, tuple[int, ...], tuple[int, int, int], int]
_STYLE_LAYER = (1 << 31,)
"""A `style` attribute goes before every layer."""


def is_asked(tree: HtmlElement) -> bool:
    """Whether the browser was asked about a tree: it, or what its body holds, has ASKED."""
    top = (tree, *tree, *(inner for body in tree.findall("body") for inner in body))
    return any(isinstance(one.tag, str) and one.get(ASKED) is not None for one in top)


def shown_in(tree: HtmlElement) -> Shown:
    """What was shown of a tree; the tree itself has ASKED where a browser was asked."""
    if is_asked(tree):
        return _not_marked
    hidden = frozenset(_hidden(nodes_of(tree)))
    return lambda element: element not in hidden


def _not_marked(element: HtmlElement) -> bool:
    """By the nearest mark around an element, its own first."""
    for one in (element, *element.iterancestors()):
        if one.get(HIDDEN) is not None:
            return False
        if one.get(UNHIDDEN) is not None:
            return True
    return True


def _hidden(nodes: Sequence[Node]) -> Iterator[HtmlElement]:
    """Elements that the markup of a page hides."""
    sheets = (one.element for one in nodes if one.element.tag == "style" and not _is_inert(one))
    rules = fitting(read_sheets(sheets), nodes) or {}
    gone: dict[int, bool] = {}
    seen: dict[int, bool] = {}
    summaries: set[int] = set()
    for node in nodes:
        values = _values(node, rules.get(node.number, ()))
        up = None if node.parent is None else node.parent.number
        folded = _is_folded(node, summaries)
        gone[node.number] = (
            folded
            or (up is not None and gone[up])
            or values.get("display") == "none"
            or values.get("opacity") == "0"
        )
        own = values.get("visibility", "inherit")
        inherited = up is None or seen[up]
        seen[node.number] = inherited if own in _INHERITED else own in {"visible", "initial"}
        if gone[node.number] or not seen[node.number]:
            yield node.element


def _is_inert(node: Node) -> bool:
    above = node.parent
    while above is not None:
        if above.element.tag in _UNSTYLED:
            return True
        above = above.parent
    return False


def _is_folded(node: Node, summaries: set[int]) -> bool:
    """Whether an element lies in a closed `details`; the first summary of one does not."""
    above = node.parent
    if above is None or above.element.tag != "details" or above.element.get("open") is not None:
        return False
    if node.element.tag == "summary" and above.number not in summaries:
        summaries.add(above.number)
        return False
    return True


def _values(node: Node, rules: Iterable[Rule]) -> Mapping[str, str]:
    """What applies to an element: property -> value, of all that is declared for it."""
    best: dict[str, tuple[_Weight, str]] = {}
    for weight, setting in _weighed(node.element, rules):
        if setting.name not in best or weight >= best[setting.name][0]:
            best[setting.name] = (weight, setting.value)
    values = {name: value for name, (_, value) in best.items()}
    said = values.get("display")
    if said is None or said in {"revert", "revert-layer"}:
        hides = _has_no_box(node.element) or (said is None and "hidden" in node.element.attrib)
        values["display"] = "none" if hides else "inline"
    return values


def _weighed(element: HtmlElement, rules: Iterable[Rule]) -> Iterator[tuple[_Weight, Setting]]:
    for rule in rules:
        for setting in rule.settings:
            layer = tuple(-one for one in rule.layer) if setting.important else rule.layer
            yield (setting.important, layer, rule.specificity, rule.order), setting
    for setting in style_of(element):
        yield (setting.important, _STYLE_LAYER, (0, 0, 0), 0), setting


def _has_no_box(element: HtmlElement) -> bool:
    """Whether a browser's own sheet gives an element no box; `hidden` is weaker than that."""
    if element.tag == "template":
        return element.get("shadowrootmode") is None and element.get("shadowmode") is None
    if element.tag == "dialog":
        return element.get("open") is None
    if element.tag == "input":
        return (element.get("type") or "").lower() == "hidden"
    return element.tag in _NO_BOX or element.get("popover") is not None
