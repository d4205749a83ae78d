"""Which rules fit which elements of a tree: one pass in document order, whatever the sheets hold.

What stands left of a selector's last part is not searched for, it is carried along: each element
hands down which beginnings of selectors have fitted so far, as bits of a number. So the work is at
most elements times parts of selectors, and a budget ends it on pages made to be slow.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from cssselect.parser import parse_series
from lxml import etree
from lxml.html import HtmlElement

from monitor.markup.sheets import Rule

MOST_STEPS = 3_000_000
"""Tests of one part of a selector on one element; a page that needs more has its sheets ignored."""
_LONG = 512
"""Characters of an attribute that cost as much as one test."""

_NEVER = frozenset(
    {"hover", "active", "focus", "focus-visible", "focus-within", "target", "visited", "fullscreen",
     "modal", "popover-open", "autofill", "playing", "picture-in-picture", "invalid",
     "user-invalid", "out-of-range"}
)  # fmt: skip
"""States that no saved page is in."""


class _UnknownSelectorError(Exception):
    """A selector that this matcher cannot judge."""


class _TooMuchError(Exception):
    """The budget of tests is used up."""


@dataclass(slots=True, eq=False)
class Node:
    """An element and where it stands among its siblings."""

    element: HtmlElement
    number: int
    """Its place in the tree, in document order."""
    parent: "Node | None"
    depth: int
    position: int
    """Among its sibling elements, from 1."""
    classes: frozenset[str]
    before: "Node | None"
    """The sibling element before it."""
    siblings: int = 0
    """Elements its parent has."""
    children: int = 0


Test = Callable[[Node], bool]


@dataclass(slots=True)
class _Compound:
    """Simple selectors of one element."""

    tag: str | None = None
    classes: list[str] = field(default_factory=list)
    names: list[str] = field(default_factory=list)
    """Values of `id`."""
    attributes: list[str] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)

    def fits(self, node: Node) -> bool:
        element = node.element
        return (
            (self.tag is None or self.tag == element.tag)
            and all(one in node.classes for one in self.classes)
            and all(one == element.get("id") for one in self.names)
            and all(one(node) for one in self.tests)
        )

    @property
    def key(self) -> tuple[str, str]:
        """What an element must have, the rarest first."""
        for kind, several in (("#", self.names), (".", self.classes), ("[", self.attributes)):
            if several:
                return kind, several[0]
        return ("<", self.tag) if self.tag else ("*", "")


@dataclass(frozen=True, slots=True)
class _Step:
    """One part of a selector: what must fit, and how it stands to the part before it."""

    compound: _Compound
    joint: str
    """Empty for the first part."""
    last: int | None
    """Number of the rule that this part completes."""


def nodes_of(root: HtmlElement) -> list[Node]:
    """All elements of a tree with their places, in document order."""
    known: dict[HtmlElement, Node] = {}
    newest: dict[Node | None, Node] = {}
    found: list[Node] = []
    for element in root.iter(etree.Element):
        parent = known.get(element.getparent())
        before = newest.get(parent)
        node = Node(
            element=element,
            number=len(found),
            parent=parent,
            depth=0 if parent is None else parent.depth + 1,
            position=1 if before is None else before.position + 1,
            classes=frozenset((element.get("class") or "").split()),
            before=before,
        )
        known[element] = newest[parent] = node
        if parent is not None:
            parent.children += 1
        found.append(node)
    for node in found:
        node.siblings = 1 if node.parent is None else node.parent.children
    return found


def fitting(rules: Sequence[Rule], nodes: Sequence[Node]) -> Mapping[int, Sequence[Rule]] | None:
    """Number of a node -> rules that fit it; None where finding out would take too long."""
    if not rules:
        return {}
    matcher = _Matcher(rules, nodes)
    try:
        matcher.compile()
        return matcher.match()
    except _TooMuchError:
        return None


class _Matcher:
    """One tree, its rules, and how many tests are left."""

    def __init__(self, rules: Sequence[Rule], nodes: Sequence[Node]) -> None:
        self.rules = rules
        self.nodes = nodes
        self.left = MOST_STEPS
        self.steps: list[_Step] = []
        self.by_key: dict[tuple[str, str], list[int]] = defaultdict(list)
        self.present = {("*", "")}
        for node in nodes:
            element = node.element
            self.present.add(("<", element.tag))
            self.present.update((".", one) for one in node.classes)
            self.present.update(("[", one) for one in element.attrib)
            if (name := element.get("id")) is not None:
                self.present.add(("#", name))

    def compile(self) -> None:
        """Turn rules into steps; those that cannot fit or cannot be judged are left out."""
        for number, rule in enumerate(self.rules):
            try:
                parts = self._parts(rule.selector)
            except (_UnknownSelectorError, RecursionError, AttributeError):
                continue
            if all(one.key in self.present for _, one in parts):
                for place, (joint, compound) in enumerate(parts):
                    last = number if place == len(parts) - 1 else None
                    self.by_key[compound.key].append(len(self.steps))
                    self.steps.append(_Step(compound, joint, last))

    def match(self) -> Mapping[int, Sequence[Rule]]:
        """Go through the tree once."""
        found: dict[int, Sequence[Rule]] = {}
        above = [0]
        """By depth: parts that fitted an ancestor, any; `own`: the parent; `beside`: siblings."""
        own, beside, nearest = [0], [0], [0]
        for node in self.nodes:
            depth = node.depth
            del above[depth + 1 :], own[depth + 1 :], beside[depth + 1 :], nearest[depth + 1 :]
            before = {" ": above[depth], ">": own[depth], "~": beside[depth], "+": nearest[depth]}
            fits, rules = self._own(node, before)
            if rules:
                found[node.number] = rules
            beside[depth] |= fits
            nearest[depth] = fits
            above.append(above[depth] | fits)
            own.append(fits)
            beside.append(0)
            nearest.append(0)
        return found

    def _own(self, node: Node, before: Mapping[str, int]) -> tuple[int, list[Rule]]:
        fits, rules = 0, []
        for key in self._keys(node):
            for number in self.by_key.get(key, ()):
                step = self.steps[number]
                if step.joint and not before[step.joint] >> (number - 1) & 1:
                    continue
                self.spend(1)
                if step.compound.fits(node):
                    fits |= 1 << number
                    if step.last is not None:
                        rules.append(self.rules[step.last])
        return fits, rules

    def _keys(self, node: Node) -> Iterable[tuple[str, str]]:
        element = node.element
        yield "*", ""
        yield "<", element.tag
        yield from ((".", one) for one in node.classes)
        yield from (("[", one) for one in element.attrib)
        if (name := element.get("id")) is not None:
            yield "#", name

    def spend(self, tests: int) -> None:
        """Take tests from the budget; _TooMuchError where none is left."""
        self.left -= tests
        if self.left < 0:
            raise _TooMuchError

    def _parts(self, tree: Any) -> list[tuple[str, _Compound]]:
        """Compounds of a selector from the left, each with how it stands to the one before it."""
        found: list[tuple[str, _Compound]] = []
        while type(tree).__name__ == "CombinedSelector":
            found.append((str(tree.combinator), self._compound(tree.subselector)))
            tree = tree.selector
        found.append(("", self._compound(tree)))
        return found[::-1]

    def _compound(self, tree: Any) -> _Compound:
        compound = _Compound()
        while True:
            kind = type(tree).__name__
            if kind == "Element":
                if tree.namespace not in {None, "*"}:
                    raise _UnknownSelectorError
                compound.tag = tree.element.lower() if tree.element else None
                return compound
            if kind == "Class":
                compound.classes.append(tree.class_name)
            elif kind == "Hash":
                compound.names.append(tree.id)
            elif kind == "Attrib":
                compound.attributes.append(tree.attrib.lower())
                compound.tests.append(self._attribute(tree))
            else:
                compound.tests.append(self._test(kind, tree))
            tree = tree.selector

    def _test(self, kind: str, tree: Any) -> Test:
        if kind == "Pseudo":
            return _pseudo(tree.ident)
        if kind == "Function":
            return _counted(tree)
        if kind == "Negation":
            inner = self._compound(tree.subselector)
            return lambda node: not inner.fits(node)
        if kind in {"Matching", "SpecificityAdjustment"}:
            several = [self._compound(one) for one in tree.selector_list]
            self.spend(len(several))
            return lambda node: any(one.fits(node) for one in several)
        if kind == "Relation":
            return self._relation(tree)
        raise _UnknownSelectorError

    def _attribute(self, tree: Any) -> Test:
        name, operator = tree.attrib.lower(), tree.operator
        wanted = "" if tree.value is None else tree.value.value
        folded = (tree.flag or "").lower() == "i"
        if folded:
            wanted = wanted.lower()

        def fits(node: Node) -> bool:
            value = node.element.get(name)
            if value is None or operator == "exists":
                return value is not None
            self.spend(len(value) // _LONG)
            return _compares(operator, value.lower() if folded else value, wanted)

        return fits

    def _relation(self, tree: Any) -> Test:
        """`:has(...)`: the elements it is true of are found first, all at once."""
        known: set[int] = set()
        for joint, argument in tree.arguments:
            inner = self._compound(argument.parsed_tree)
            if inner.key not in self.present:
                continue
            self.spend(len(self.nodes))
            sign = str(getattr(joint, "value", joint))
            reached: set[int] = set()
            for node in self.nodes:
                if inner.fits(node):
                    _reach(sign, node, reached)
            known |= reached
        return lambda node: node.number in known


def _reach(sign: str, node: Node, known: set[int]) -> None:
    """Add the elements from which one relative selector reaches a node; each is added once."""
    if sign in {"+", ">"}:
        one = node.before if sign == "+" else node.parent
        if one is not None:
            known.add(one.number)
        return
    if sign not in {"~", " "}:
        raise _UnknownSelectorError
    one = node.before if sign == "~" else node.parent
    while one is not None and one.number not in known:
        known.add(one.number)
        one = one.before if sign == "~" else one.parent


def _compares(operator: str, value: str, wanted: str) -> bool:
    if operator == "=":
        return value == wanted
    if operator == "~=":
        return wanted in value.split()
    if operator == "|=":
        return value == wanted or value.startswith(f"{wanted}-")
    if not wanted:
        return False
    if operator == "^=":
        return value.startswith(wanted)
    if operator == "$=":
        return value.endswith(wanted)
    if operator == "*=":
        return wanted in value
    raise _UnknownSelectorError


def _pseudo(name: str) -> Test:
    if name in _NEVER:
        return lambda _: False
    tests: Mapping[str, Test] = {
        "root": lambda node: node.parent is None,
        "first-child": lambda node: node.position == 1,
        "last-child": lambda node: node.position == node.siblings,
        "only-child": lambda node: node.siblings == 1,
        "empty": lambda node: not node.children and not node.element.text,
        "checked": lambda node: (
            "checked" in node.element.attrib or "selected" in node.element.attrib
        ),
        "disabled": lambda node: "disabled" in node.element.attrib,
        "enabled": lambda node: "disabled" not in node.element.attrib,
        "link": lambda node: "href" in node.element.attrib,
        "any-link": lambda node: "href" in node.element.attrib,
    }
    if name not in tests:
        raise _UnknownSelectorError
    return tests[name]


def _counted(tree: Any) -> Test:
    """`:nth-child(an+b)` and `:nth-last-child(an+b)`."""
    if tree.name not in {"nth-child", "nth-last-child"}:
        raise _UnknownSelectorError
    try:
        step, start = parse_series(tree.arguments)
    except ValueError as error:
        raise _UnknownSelectorError from error
    from_end = tree.name == "nth-last-child"

    def fits(node: Node) -> bool:
        place = node.siblings + 1 - node.position if from_end else node.position
        if step == 0:
            return place == start
        return (place - start) % step == 0 and (place - start) // step >= 0

    return fits
