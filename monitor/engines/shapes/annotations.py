"""`url_citation` annotations, flat (Responses) or nested (chat), on one stretch of text."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from monitor.domain.engine import Role, Span
from monitor.engines.shapes.citing import Mark, locate
from monitor.engines.shapes.links import find_links
from monitor.engines.shapes.payload import (
    describe,
    list_at,
    mapping_at,
    optional_string,
    require,
    string_at,
)
from monitor.engines.shapes.tokens import Rewrite
from monitor.errors import PayloadError

_OTHER_KINDS = frozenset({"file_citation", "container_file_citation", "file_path", "file"})


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of vendor text whose annotations count from its own start."""

    raw: str
    rewrite: Rewrite
    """`raw` as it is shown."""
    base: int
    """Where the shown text begins in `Reading.text`."""


def _offset(engine: str, node: Mapping[str, Any], key: str, path: str) -> int | None:
    value = node.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise PayloadError(engine, f"{path}.{key}", f"expected an offset, found {describe(value)}")
    return value


def _stated(engine: str, node: Mapping[str, Any], path: str) -> tuple[int, int] | None:
    """Offsets as stated; None where absent, and for 0/0, which gateways write for `unknown`."""
    start = _offset(engine, node, "start_index", path)
    end = _offset(engine, node, "end_index", path)
    if start is None or end is None or start == end == 0:
        return None
    return start, end


def _url_citations(
    engine: str, annotations: Sequence[Any], path: str
) -> Iterator[tuple[Mapping[str, Any], str]]:
    for number, entry in enumerate(annotations):
        here = f"{path}[{number}]"
        node = mapping_at(engine, entry, here)
        kind = string_at(engine, require(engine, node, "type", here), f"{here}.type")
        if kind in _OTHER_KINDS:
            continue
        if kind != "url_citation":
            raise PayloadError(engine, f"{here}.type", f"unknown annotation type {kind!r}")
        nested = node.get("url_citation")
        if nested is None:
            yield node, here
        else:
            yield mapping_at(engine, nested, f"{here}.url_citation"), f"{here}.url_citation"


def _shifted(passage: Passage, span: Span) -> Span:
    start, end = (passage.base + passage.rewrite.at(edge) for edge in (span.start, span.end))
    return Span(start, end, span.kind)


def marks_of(
    engine: str, passage: Passage, annotations: Any, path: str
) -> tuple[tuple[Mark, ...], tuple[str, ...]]:
    """Marks of a passage's annotations, and warnings where an offset names no link."""
    if annotations is None:
        return (), ()
    marks, warnings = [], []
    links = find_links(passage.raw)
    nodes = _url_citations(engine, list_at(engine, annotations, path), path)
    for node, here in nodes:
        url = string_at(engine, require(engine, node, "url", here), f"{here}.url")
        stated = _stated(engine, node, here)
        span = locate(passage.raw, links, url, stated) if stated else None
        if stated and span is None:
            warnings.append(f"{here}: offsets {stated[0]}-{stated[1]} show no such link; dropped")
        if not url.strip():
            warnings.append(f"{here}.url: empty; no citation")
            continue
        marks.append(
            Mark(
                url=url,
                role=Role.DISPLAYED,
                title=_title(node),
                span=_shifted(passage, span) if span else None,
                at=passage.base + passage.rewrite.at(stated[0]) if stated else None,
                snippet=optional_string(node.get("content")),
            )
        )
    return tuple(marks), tuple(warnings)


def _title(node: Mapping[str, Any]) -> str | None:
    """Title of a page; None for the bare number that xAI writes there."""
    title = optional_string(node.get("title"))
    return None if title is None or title.strip().isdecimal() else title
