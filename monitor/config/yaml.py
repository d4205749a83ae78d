"""YAML 1.2 with positions: every problem names its file and line.

Read as YAML 1.2, so `jurisdiction: NO` is a country and not `false`.
"""

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ValidationError
from ruamel.yaml import YAML
from ruamel.yaml.comments import CommentedMap, CommentedSeq
from ruamel.yaml.error import MarkedYAMLError, YAMLError

MAX_BYTES = 5_000_000
"""A file of settings, prompts or grades larger than this is a mistake."""

Path = tuple[str | int, ...]


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
    lines: Mapping[Path, int]

    def line(self, path: Path) -> int | None:
        """1-based line of a path, or of the nearest parent that has one."""
        for length in range(len(path), -1, -1):
            if path[:length] in self.lines:
                return self.lines[path[:length]]
        return None

    def problem(self, path: Path, message: str, *, warning: bool = False) -> Problem:
        """A problem at a path of this file."""
        return Problem(self.file, self.line(path), message, warning)


def read_yaml(text: str, file: str) -> Document | Problem:
    """Parsed document, or the one problem that stops it from being read."""
    if len(text) > MAX_BYTES:
        return Problem(file, None, f"file has {len(text)} characters; at most {MAX_BYTES} are read")
    if "\x00" in text:
        return Problem(file, text[: text.index("\x00")].count("\n") + 1, "NUL byte in the file")
    reader = YAML(typ="rt")
    try:
        tree = reader.load(text)
    except MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else None
        return Problem(file, line, f"not readable as YAML: {error.problem}")
    except (YAMLError, ValueError, RecursionError) as error:
        return Problem(file, None, f"not readable as YAML: {str(error).splitlines()[0]}")
    lines: dict[Path, int] = {}
    try:
        value = _plain(tree, (), lines, depth=0)
    except RecursionError:
        return Problem(file, None, "nested too deep, or an alias that contains itself")
    return Document(file, value, lines)


def _plain(node: Any, path: Path, lines: dict[Path, int], *, depth: int) -> Any:
    """Plain dicts and lists of a tree; lines are filled on the way."""
    if depth > 30 or len(lines) > 500_000:
        raise RecursionError
    if isinstance(node, CommentedMap):
        lines.setdefault(path, node.lc.line + 1)
        plain: dict[Any, Any] = {}
        for key, child in node.items():
            at = (*path, key)
            lines[at] = node.lc.key(key)[0] + 1
            plain[key] = _plain(child, at, lines, depth=depth + 1)
        return plain
    if isinstance(node, CommentedSeq):
        lines.setdefault(path, node.lc.line + 1)
        items = []
        for index, child in enumerate(node):
            at = (*path, index)
            lines[at] = node.lc.item(index)[0] + 1
            items.append(_plain(child, at, lines, depth=depth + 1))
        return items
    return _scalar(node)


def _scalar(node: Any) -> Any:
    """A scalar without the reader's wrapper types."""
    for plain in (bool, int, float, str):
        if isinstance(node, plain):
            return plain(node)
    return node


def problems_of(
    error: ValidationError, document: Document, model: type[BaseModel]
) -> tuple[Problem, ...]:
    """Every validation error as a problem with its line and, for a typo, the nearest key."""
    found = []
    for one in error.errors(include_url=False):
        path = tuple(part for part in one["loc"] if isinstance(part, str | int))
        found.append(document.problem(path, _message(one, path, model)))
    return tuple(found)


def _message(one: Any, path: Path, model: type[BaseModel]) -> str:
    """What is wrong, what was found and what is expected."""
    where = ".".join(map(str, path)) or "the file"
    if one["type"] == "extra_forbidden":
        return f"unknown key {where!r}{nearest(str(path[-1]), _keys_at(model, path[:-1]))}"
    if one["type"] == "missing":
        return f"{where} is missing"
    found = one.get("input")
    text = one["msg"].removeprefix("Value error, ")
    if isinstance(found, dict | list):
        return f"{where}: {text}"
    return f"{where}: {text}, found {found!r}"


def nearest(word: str, known: Iterable[str]) -> str:
    """`; did you mean 'x'?` for a near miss, else the list of what is known."""
    names = sorted(known)
    close = difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    if close:
        return f"; did you mean {close[0]!r}?"
    return f"; known: {', '.join(names)}" if names else ""


def _keys_at(model: type[BaseModel], path: Path) -> tuple[str, ...]:
    """Field names of the model at a path, as far as the types tell."""
    current: Any = model
    for part in path:
        current = _child_model(current, part)
        if current is None:
            return ()
    fields = getattr(current, "model_fields", {})
    return tuple(field.alias or name for name, field in fields.items())


def _child_model(model: Any, part: str | int) -> Any:
    """Model that stands under a field or inside its container, or None."""
    if isinstance(part, int) or not hasattr(model, "model_fields"):
        return model if hasattr(model, "model_fields") else None
    for name, field in model.model_fields.items():
        if part in {name, field.alias}:
            return _model_in(field.annotation)
    return model


def _model_in(annotation: Any) -> Any:
    """The first model inside an annotation such as `dict[str, M]` or `M | None`."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for inner in getattr(annotation, "__args__", ()):
        found = _model_in(inner)
        if found is not None:
            return found
    return None
