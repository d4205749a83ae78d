"""What the visible messages of one ChatGPT answer say together, and what they cite."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from monitor.domain.engine import Citation, Placement, Reach, Role, Span, SpanKind
from monitor.engines.shapes.citing import untracked
from monitor.engines.shapes.links import find_links
from monitor.engines.surfaces.chatgpt_messages import Message, part, raw_text
from monitor.engines.surfaces.chatgpt_references import (
    GROUPS,
    LINKS,
    LISTS,
    SILENT,
    SINGLE,
    WORDS,
    placements,
    references_of,
)
from monitor.engines.surfaces.chatgpt_text import Standing, read_words
from monitor.engines.surfaces.sightings import Sighting, gather_sightings
from monitor.engines.surfaces.text import sentence_before

_KINDS = GROUPS | SINGLE | LISTS | LINKS | WORDS | SILENT | {"citation"}
_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer's text and citations, as the data behind the page has them."""

    text: str
    citations: tuple[Citation, ...]
    exact: bool
    """Whether the references' own offsets told the place of every citation."""
    lost: int
    """Marks of citations whose addresses the data lacks."""
    pills: int
    """Pills that lead to a page."""
    shopping: bool
    warnings: tuple[str, ...]


def answer_of(messages: Iterable[Message]) -> Answer:
    """One answer of all its visible messages, in their order."""
    parts: list[str] = []
    standing: list[tuple[Standing, int]] = []
    start = lost = 0
    for message in messages:
        words = read_words(raw_text(message), references_of(part(message, "metadata")))
        standing += [(one, start) for one in words.standing]
        lost += words.unresolved + sum(one.reference.lost for one in words.standing)
        parts.append(words.text)
        start += len(words.text) + len(_BETWEEN)
    text = _BETWEEN.join(parts)
    cited = [(one, start) for one, start in standing if one.reference.role is not None]
    kinds = sorted({one.reference.kind for one, _ in standing} - _KINDS)
    warnings = [f"content reference of the unknown kind {kind!r} is not read" for kind in kinds]
    if lost:
        warnings.append(f"{lost} mark(s) of citations lead to no address in the document")
    return Answer(
        text=text,
        citations=gather_sightings(_sightings(text, cited), address=untracked),
        exact=all(one.exact for one, _ in cited if one.reference.role is not Role.LISTED),
        lost=lost,
        pills=sum(
            one.reference.role is Role.DISPLAYED and not one.reference.lost for one, _ in cited
        ),
        shopping=any(one.reference.kind.startswith("product") for one, _ in standing),
        warnings=tuple(warnings),
    )


def _sightings(text: str, standing: Sequence[tuple[Standing, int]]) -> list[Sighting]:
    """Pills and links where they stand, then lists, then citations without a place."""
    found: list[tuple[int, Sighting]] = []
    group = 0
    for one, start in standing:
        role = one.reference.role
        at = None if one.at is None else one.at + start
        listed = role is Role.LISTED or at is None
        order = len(text) + 1 + listed if at is None or listed else at
        seen = placements(one.reference.pages, group) if role is Role.DISPLAYED else ()
        group += role is Role.DISPLAYED and bool(one.reference.pages)
        for number, page in enumerate(one.reference.pages):
            sighting = Sighting(
                url=page.url,
                role=role or Role.LINK,
                title=page.title,
                span=_span(text, one, start),
                snippet=page.snippet,
                placement=seen[number] if seen else _listed(page.publisher, role),
            )
            found.append((order, sighting))
    found += _prose(text)
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def _span(text: str, one: Standing, start: int) -> Span | None:
    """What a citation covers: the words marked for it, its own words, the sentence before it."""
    if one.at is None or one.end is None or one.reference.role is Role.LISTED:
        return None
    if one.reference.role is Role.LINK and one.end > one.at:
        return Span(one.at + start, one.end + start, SpanKind.MARKER)
    if one.claim is not None:
        return Span(one.claim.start + start, one.claim.end + start, SpanKind.CLAIM)
    return sentence_before(text, one.at + start)


def _listed(publisher: str | None, role: Role | None) -> Placement | None:
    reach = Reach.CLICK if role is Role.LISTED else Reach.SHOWN
    return Placement(reach=reach, publisher=publisher)


def _prose(text: str) -> Iterator[tuple[int, Sighting]]:
    for link in find_links(text):
        span = Span(link.start, link.end, SpanKind.MARKER)
        yield link.start, Sighting(link.url, Role.LINK, link.label, span)
