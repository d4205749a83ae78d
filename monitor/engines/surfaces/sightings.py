"""From places where a surface shows a source to citations, each with where it is first seen."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from monitor.domain.engine import ROLE_ORDER, Citation, Placement, Role, Span


@dataclass(frozen=True, slots=True)
class Sighting:
    """One place where a surface shows a source: a pill, a row of a list, a link in prose."""

    url: str
    role: Role
    title: str | None = None
    span: Span | None = None
    snippet: str | None = None
    placement: Placement | None = None


def _same(url: str) -> str:
    return url


def gather_sightings(
    sightings: Iterable[Sighting], *, address: Callable[[str], str] = _same
) -> tuple[Citation, ...]:
    """Citations by distinct raw URL, those first seen first.

    `address` tells the same address in two spellings; the first spelling is kept. The strongest
    role counts, with its placement; `marks` are the sightings in that role, 0 where it is listed.
    """
    by_address: dict[str, list[Sighting]] = {}
    for sighting in sightings:
        by_address.setdefault(address(sighting.url), []).append(sighting)
    return tuple(_citation(several) for several in by_address.values())


def _citation(several: Sequence[Sighting]) -> Citation:
    role = min((one.role for one in several), key=ROLE_ORDER.index)
    leading = [one for one in several if one.role is role]
    spans = dict.fromkeys(one.span for one in leading if one.span)
    return Citation(
        url=several[0].url,
        title=next((one.title for one in several if one.title), None),
        role=role,
        marks=0 if role is Role.LISTED else len(leading),
        spans=tuple(sorted(spans, key=lambda span: (span.start, span.end))),
        snippet=next((one.snippet for one in several if one.snippet), None),
        placement=next((one.placement for one in leading if one.placement), None),
    )
