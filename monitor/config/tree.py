"""Plain values out of a stream of YAML events: flat work, so depth and aliases cannot exhaust us.

Values are shared where an alias stands, never copied; what an alias would unfold to is counted.
"""

import math
import re
from dataclasses import dataclass
from typing import Any

from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    Event,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
)

MAX_DEPTH = 30
MAX_VALUES = 500_000
"""Values of a document, aliases unfolded."""

Place = tuple[str | int, ...]
"""Keys and indexes that lead to a value."""

_CORE = "tag:yaml.org,2002:"
_KNOWN_TAGS = {f"{_CORE}{name}" for name in ("str", "int", "float", "bool", "null")}
_NULL = re.compile("null|Null|NULL|~|")
_TRUE = re.compile("true|True|TRUE")
_FALSE = re.compile("false|False|FALSE")
_INT = re.compile("[-+]?[0-9]+")
_OCTAL_OR_HEX = re.compile("0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")
_NO_CHARACTER = re.compile("[\x00\ud800-\udfff]")


class UnreadableError(Exception):
    """Reading stops here: the document is too deep, too large or contains itself."""

    def __init__(self, line: int, message: str) -> None:
        """Keep the 1-based line."""
        super().__init__(message)
        self.line = line


@dataclass(slots=True)
class _Open:
    """A mapping or list that is still being filled."""

    value: Any
    place: Place
    anchor: str | None
    size_before: int
    key: str | None = None
    """Key of a mapping whose value comes next."""
    drops: bool = False
    """True where that value is not kept, since its key was reported."""


class TreeBuilder:
    """Takes events one by one; afterwards `value`, `lines`, `written` and `problems` are filled."""

    def __init__(self) -> None:
        self.value: Any = None
        self.lines: dict[Place, int] = {}
        self.written: dict[Place, str] = {}
        self.problems: list[tuple[Place, int, str]] = []
        self._open: list[_Open] = []
        self._anchors: dict[str, tuple[Any, int]] = {}
        self._filling: set[str] = set()
        self._size = 0

    def take(self, event: Event) -> None:
        """Take the next event of the stream."""
        line = event.start_mark.line + 1
        if isinstance(event, MappingStartEvent | SequenceStartEvent):
            self._begin(event, line)
        elif isinstance(event, MappingEndEvent | SequenceEndEvent):
            self._end()
        elif isinstance(event, ScalarEvent):
            self._scalar(event, line)
        elif isinstance(event, AliasEvent):
            self._alias(event, line)
        elif isinstance(event, DocumentStartEvent) and self.lines:
            raise UnreadableError(line, "a second document starts here; write one file each")

    def _begin(self, event: MappingStartEvent | SequenceStartEvent, line: int) -> None:
        """Open a mapping or a list."""
        if len(self._open) >= MAX_DEPTH:
            raise UnreadableError(line, f"nested more than {MAX_DEPTH} levels deep")
        kind = "map" if isinstance(event, MappingStartEvent) else "seq"
        place = self._next_place(line)
        if event.tag not in {None, "!", f"{_CORE}{kind}"}:
            self._complain(place, line, f"tag {event.tag} is not read; leave it out")
        self._grow(1, line)
        value: Any = {} if kind == "map" else []
        if event.anchor:
            self._filling.add(event.anchor)
        self._open.append(_Open(value, place, event.anchor, self._size - 1))

    def _end(self) -> None:
        """Close the innermost mapping or list and hand it to its holder."""
        done = self._open.pop()
        if done.anchor:
            self._filling.discard(done.anchor)
            self._anchors[done.anchor] = (done.value, self._size - done.size_before)
        self._put(done.value)

    def _scalar(self, event: ScalarEvent, line: int) -> None:
        """A key, or a value without parts."""
        if self._wants_key():
            self._key(event, line)
            return
        place = self._next_place(line)
        value = self._value_of(event, place, line)
        self._grow(1, line)
        if event.anchor:
            self._anchors[event.anchor] = (value, 1)
        self._put(value)

    def _key(self, event: ScalarEvent, line: int) -> None:
        """Remember the key of the next value; one that stood before is reported."""
        holder = self._open[-1]
        key = _NO_CHARACTER.sub("\ufffd", event.value)
        if event.anchor:
            self._anchors[event.anchor] = (key, 1)
        message = None
        if key == "<<" and event.style is None:
            message = "merge keys (<<) are not read; write the keys out"
        elif key in holder.value:
            first = self.lines.get((*holder.place, key))
            message = f"key {key!r} stands twice (first on line {first}); keep one"
        holder.drops = message is not None
        # A place of its own, so that the dropped value's lines do not hide the kept one's.
        holder.key = f"{key} (line {line})" if holder.drops else key
        self.lines[(*holder.place, holder.key)] = line
        if message:
            self._complain((*holder.place, holder.key), line, message)

    def _alias(self, event: AliasEvent, line: int) -> None:
        """The value an anchor stands for, shared."""
        name = event.anchor
        if name in self._filling:
            raise UnreadableError(line, f"alias *{name} contains itself")
        if name not in self._anchors:
            raise UnreadableError(line, f"alias *{name} has no anchor before it")
        value, size = self._anchors[name]
        self._grow(size, line)
        if self._wants_key():
            raise UnreadableError(line, "an alias as a key is not read; write the key out")
        self._next_place(line)
        self._put(value)

    def _wants_key(self) -> bool:
        """Whether the next value of the innermost mapping is its key."""
        if not self._open or isinstance(self._open[-1].value, list):
            return False
        return self._open[-1].key is None

    def _next_place(self, line: int) -> Place:
        """Place of the value that comes next."""
        if not self._open:
            self.lines[()] = line
            return ()
        holder = self._open[-1]
        if isinstance(holder.value, list):
            place = (*holder.place, len(holder.value))
            self.lines[place] = line
            return place
        if holder.key is None:
            raise UnreadableError(line, "a mapping or list as a key is not read; keys are words")
        return (*holder.place, holder.key)

    def _put(self, value: Any) -> None:
        """Hand a finished value to the mapping or list it stands in."""
        if not self._open:
            self.value = value
            return
        holder = self._open[-1]
        if isinstance(holder.value, list):
            holder.value.append(value)
            return
        if holder.key is not None and not holder.drops:
            holder.value[holder.key] = value
        holder.key, holder.drops = None, False

    def _grow(self, size: int, line: int) -> None:
        """Count values; a document that unfolds to too many is not read."""
        self._size += size
        if self._size > MAX_VALUES:
            raise UnreadableError(line, f"more than {MAX_VALUES} values, aliases unfolded")

    def _complain(self, place: Place, line: int, message: str) -> None:
        """Note a problem and where it is."""
        self.problems.append((place, line, message))

    def _value_of(self, event: ScalarEvent, place: Place, line: int) -> Any:
        """Value of a scalar under the core schema; None with a problem where it has none."""
        text: str = event.value
        if _NO_CHARACTER.search(text):
            self._complain(place, line, "a NUL or half a character pair stands in this text")
            return None
        if event.tag not in {None, "!", *_KNOWN_TAGS}:
            self._complain(place, line, f"tag {event.tag} is not read; leave it out")
            return None
        plain = event.style is None and event.tag is None
        if not plain and event.tag in {None, "!", f"{_CORE}str"}:
            return text
        value = core_value(text)
        if isinstance(value, int | float) and not isinstance(value, bool):
            self.written[place] = text
        if isinstance(value, Refused):
            self._complain(place, line, value.message)
            return None
        return value


@dataclass(frozen=True, slots=True)
class Refused:
    """A scalar that is no usable value, and why."""

    message: str


def core_value(text: str) -> Any:
    """Value of a plain scalar under the core schema of YAML 1.2."""
    if _NULL.fullmatch(text):
        return None
    if _TRUE.fullmatch(text):
        return True
    if _FALSE.fullmatch(text):
        return False
    if _INT.fullmatch(text):
        return int(text) if len(text) <= 30 else Refused("a whole number of over 30 digits")
    if _OCTAL_OR_HEX.fullmatch(text):
        return int(text, 0) if len(text) <= 30 else Refused("a whole number of over 30 digits")
    if _NOT_FINITE.fullmatch(text) or (_FLOAT.fullmatch(text) and not math.isfinite(float(text))):
        return Refused(f"{text[:40]} is no finite number")
    return float(text) if _FLOAT.fullmatch(text) else text
