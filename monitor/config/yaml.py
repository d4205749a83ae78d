"""YAML 1.2 files with positions: every problem names its file and line.

Scalars follow the core schema of YAML 1.2, whatever the file declares: `jurisdiction: NO` is a
country and not `false`, a date stays text until a field asks for a date, and keys are always text.
"""

import re
import stat
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from monitor.config.tree import Place, TreeBuilder, UnreadableError
from monitor.config.words import nearest

__all__ = ["Document", "Place", "Problem", "nearest", "read_file", "read_yaml"]

MAX_BYTES = 5_000_000
"""A file of settings, prompts or grades larger than this is a mistake."""

_UNPRINTABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong (or doubtful) in a file, and where."""

    file: str
    line: int | None
    """1-based; None where the whole file is meant."""
    message: str
    warning: bool = False

    def __str__(self) -> str:
        """`file:line: message`, as compilers print it."""
        where = f"{self.file}:{self.line}" if self.line else self.file
        return f"{where}: {'warning: ' if self.warning else ''}{self.message}"


@dataclass(frozen=True, slots=True)
class Document:
    """A YAML file as plain values, and the line of every key and item."""

    file: str
    value: Any
    lines: Mapping[Place, int]
    written: Mapping[Place, str] = field(default_factory=lambda: MappingProxyType({}))
    """Numbers as they stand in the file: `1.10` is not 1.1 when it is a version."""
    problems: tuple[Problem, ...] = ()
    """What could not be read; the rest of the document was."""
    broken: frozenset[Place] = frozenset()
    """Where those problems are: a complaint about such a value is not repeated."""

    def line(self, place: Place) -> int | None:
        """1-based line of a place, or of the nearest parent that has one."""
        for length in range(len(place), -1, -1):
            if place[:length] in self.lines:
                return self.lines[place[:length]]
        return None

    def problem(self, place: Place, message: str, *, warning: bool = False) -> Problem:
        """A problem at a place of this file."""
        return Problem(self.file, self.line(place), message, warning)

    def is_broken(self, place: Place) -> bool:
        """Whether a place, or what holds it, was already reported as unreadable."""
        return any(place[:length] in self.broken for length in range(len(place) + 1))


def read_file(path: Path) -> str | Problem:
    """Text of a file people wrote, or why it cannot be read; a byte order mark is dropped."""
    try:
        if _waits(path):
            return Problem(str(path), None, "is a pipe or a device; expected a plain file")
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        return Problem(str(path), None, f"cannot be read ({error.strerror})")
    if len(content) > MAX_BYTES:
        return Problem(str(path), None, f"is larger than {MAX_BYTES} bytes; split it")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        message = f"byte {error.start} is not UTF-8; save the file as UTF-8"
        return Problem(str(path), line, message)


def _waits(path: Path) -> bool:
    """Whether a file may never end, or never begin: whoever reads it would wait for ever.

    What a shell hands on under /dev or /proc was meant.
    """
    mode = path.stat().st_mode
    is_plain = stat.S_ISREG(mode) or stat.S_ISDIR(mode)
    return not is_plain and not str(path).startswith(("/dev/", "/proc/"))


def read_yaml(text: str, file: str) -> Document | Problem:
    """Parsed document with its own problems, or the one problem that stops it from being read."""
    if len(text) > MAX_BYTES:
        return Problem(file, None, f"file has {len(text)} characters; at most {MAX_BYTES} are read")
    odd = _UNPRINTABLE.search(text)
    if odd:
        name = "NUL byte" if odd[0] == "\x00" else f"character U+{ord(odd[0]):04X}"
        line = text.count("\n", 0, odd.start()) + 1
        return Problem(file, line, f"{name} in the file; remove it")
    builder = TreeBuilder()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for event in YAML(typ="safe", pure=True).parse(text):
                builder.take(event)
    except UnreadableError as error:
        return Problem(file, error.line, str(error))
    except MarkedYAMLError as error:
        return Problem(file, _line_of(error), f"not readable as YAML: {_said(error)}")
    except (YAMLError, ValueError, RecursionError) as error:
        return Problem(file, None, f"not readable as YAML: {(str(error) or 'broken')[:200]}")
    found = tuple(Problem(file, line, said) for _, line, said in builder.problems)
    broken = frozenset(place for place, _, _ in builder.problems)
    return Document(file, builder.value, builder.lines, builder.written, found, broken)


def _line_of(error: MarkedYAMLError) -> int | None:
    """1-based line where reading stopped."""
    mark = error.problem_mark or error.context_mark
    return mark.line + 1 if mark else None


def _said(error: MarkedYAMLError) -> str:
    """The parser's words, with the cure for its commonest complaint."""
    words = str(error.problem or error.context or "broken")
    if r"'\t'" in words:
        return f"{words}; a tab stands here, indent with spaces"
    return words
