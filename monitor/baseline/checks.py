"""What a baseline can get wrong against its panel and itself.

Read off the document, not off the finished value: a file with a mistyped key still has its ids, so
every problem is told at once.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from pydantic import ValidationError

from monitor.baseline.files import GivenGrade, SourceFile
from monitor.config.words import nearest
from monitor.config.yaml import Document, Place, Problem
from monitor.domain.baseline import Match
from monitor.domain.panel import PanelOutline
from monitor.domain.source import UrlIdentity

Identify = Callable[[str], UrlIdentity]

_HINTED = 20
"""So many unknown prompts get a hint each; a longer list means another panel."""


@dataclass(frozen=True, slots=True)
class Target:
    """What a graded source is met by."""

    match: Match
    key: str
    place: UrlIdentity | None = None
    """Identity of its URL or family; None for units."""


Locate = Callable[[SourceFile], Target | str]
"""What a source is met by, or why it can be met by nothing."""


def check_baseline(
    document: Document, outline: PanelOutline | None, *, locate: Locate
) -> list[Problem]:
    """Problems and warnings of a baseline file; `outline` is what its panel says."""
    value = document.value
    if not isinstance(value, dict):
        return []
    found = [*_frozen(document, value), *_annotators(document, value)]
    if outline is not None:
        found += _other_panel(document, value, outline.name)
        found += _prompts(document, value, outline.prompt_ids)
    client = outline.client_domains if outline else ()
    for prompt_id, one in mapping_at(value, "prompts").items():
        if isinstance(one, dict):
            found += _claims(document, prompt_id, one)
            found += _sources(document, prompt_id, one, client=client, locate=locate)
            found += _unsupported(document, prompt_id, one)
    return found


def mapping_at(value: Any, key: str) -> Mapping[str, Any]:
    """Mapping under a key; empty where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, dict) else {}


def list_at(value: Any, key: str) -> list[Any]:
    """List under a key; empty where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def target_of(source: SourceFile, identify: Identify, labels: Collection[str] = ()) -> Target | str:
    """What a source is met by, or why it can be met by nothing."""
    if source.unit is not None:
        return Target(Match.UNIT, source.unit.strip())
    if source.family is not None:
        if source.family in labels:
            return Target(Match.FAMILY, source.family)
        place = identify(source.family)
        if place.family is None:
            return f"family {source.family!r} is not a host name, e.g. 'example.org'"
        return Target(Match.FAMILY, place.family, place)
    place = identify(source.url or "")
    if place.page_key is None or place.family is None:
        return f"url {source.url!r} is no web address of a known publisher"
    if source.match is Match.FAMILY:
        return Target(Match.FAMILY, place.family, place)
    return Target(Match.PAGE, place.page_key, place)


def _frozen(document: Document, value: Mapping[str, Any]) -> Iterator[Problem]:
    """A frozen baseline without the people who drew it, and one that is not frozen."""
    if "frozen_at" in value and value["frozen_at"] is None:
        message = "a draft: signatures made with it say `-draft` until frozen_at is set"
        yield document.problem(("frozen_at",), message, warning=True)
    if value.get("frozen_at") is not None and value.get("annotators") == []:
        yield document.problem(("annotators",), "a frozen baseline names its annotators")


def _annotators(document: Document, value: Mapping[str, Any]) -> Iterator[Problem]:
    """Annotators of a source that the head of the file does not name."""
    known = {a for a in list_at(value, "annotators") if isinstance(a, str)}
    for prompt_id, one in mapping_at(value, "prompts").items():
        for index, source in enumerate(list_at(one, "sources")):
            name = source.get("annotator") if isinstance(source, dict) else None
            if isinstance(name, str) and known and name not in known:
                yield document.problem(
                    ("prompts", prompt_id, "sources", index, "annotator"),
                    f"annotator {name!r} is not among this file's annotators{nearest(name, known)}",
                    warning=True,
                )


def _other_panel(
    document: Document, value: Mapping[str, Any], panel: str | None
) -> Iterator[Problem]:
    """A baseline that lies beside another panel's file."""
    named = value.get("panel")
    if isinstance(named, str) and panel is not None and named != panel:
        yield document.problem(
            ("panel",), f"this baseline is for {named!r}, the panel is {panel!r}"
        )


def _prompts(
    document: Document, value: Mapping[str, Any], known: Collection[str]
) -> Iterator[Problem]:
    """Prompt ids that the panel does not know, and prompts without a baseline."""
    graded = mapping_at(value, "prompts")
    unknown = [prompt_id for prompt_id in graded if prompt_id not in known]
    for count, prompt_id in enumerate(unknown):
        hint = nearest(prompt_id, known) if count < _HINTED else ""
        yield document.problem(
            ("prompts", prompt_id), f"unknown prompt {prompt_id!r}: the panel has none of it{hint}"
        )
    missing = sorted(set(known) - set(graded))
    if missing:
        names = f"{', '.join(missing[:5])}{' ...' if len(missing) > 5 else ''}"
        yield document.problem(
            ("prompts",),
            f"{len(missing)} prompts have no baseline and are not measured against one: {names}",
            warning=True,
        )


def _claims(document: Document, prompt_id: str, one: Mapping[str, Any]) -> Iterator[Problem]:
    """Claim ids used twice."""
    first: dict[str, int] = {}
    for index, claim in _with_ids(one):
        at = ("prompts", prompt_id, "claims", index, "id")
        if claim in first:
            line = document.line(("prompts", prompt_id, "claims", first[claim], "id"))
            yield document.problem(
                at, f"claim id {claim!r} is used twice in prompt {prompt_id!r} (first on {line})"
            )
        first.setdefault(claim, index)


def _with_ids(one: Mapping[str, Any]) -> list[tuple[int, str]]:
    """(index, id) of every claim that has one."""
    return [
        (index, claim["id"])
        for index, claim in enumerate(list_at(one, "claims"))
        if isinstance(claim, dict) and isinstance(claim.get("id"), str)
    ]


def _sources(
    document: Document,
    prompt_id: str,
    one: Mapping[str, Any],
    *,
    client: Collection[str],
    locate: Locate,
) -> Iterator[Problem]:
    """Sources that name claims that are not there, grade one target twice, or are wishes."""
    claims = {claim for _, claim in _with_ids(one)}
    first: dict[tuple[Match, str], int] = {}
    for index, raw in enumerate(list_at(one, "sources")):
        at: Place = ("prompts", prompt_id, "sources", index)
        yield from _supports(document, at, raw, claims)
        source = _readable(raw)
        if source is None:
            continue
        target = locate(source)
        if isinstance(target, str):
            yield document.problem(at, target)
            continue
        key = (target.match, target.key)
        if key in first:
            line = document.line((*at[:-1], first[key]))
            yield document.problem(
                at,
                f"two items of prompt {prompt_id!r} grade the same {target.match.value} "
                f"{target.key!r} (first on line {line}); keep one",
            )
        first.setdefault(key, index)
        yield from _wish(document, at, source, client=client, target=target)
        yield from _dates(document, at, source)


def _readable(raw: Any) -> SourceFile | None:
    """A source as a value, or None where it cannot be known what it grades.

    What is wrong with its other keys is told elsewhere, and hides neither a twin nor a wish.
    """
    if not isinstance(raw, dict):
        return None
    kept = {key: raw[key] for key in ("url", "family", "unit", "match", "grade") if key in raw}
    supports = tuple(s for s in list_at(raw, "supports") if isinstance(s, str))
    for part in (raw, {**kept, "supports": supports}, {**kept, "grade": GivenGrade.OPTIONAL}):
        try:
            return SourceFile.model_validate(part)
        except ValidationError:
            continue
    return None


def _unsupported(document: Document, prompt_id: str, one: Mapping[str, Any]) -> Iterator[Problem]:
    """Claims that nothing in the baseline evidences: they can only be missed."""
    if list_at(one, "claims") and not list_at(one, "sources"):
        message = f"prompt {prompt_id!r} has claims but no sources that could evidence them"
        yield document.problem(("prompts", prompt_id), message, warning=True)
        return
    evidenced = {
        claim
        for source in list_at(one, "sources")
        if isinstance(source, dict) and source.get("grade") != GivenGrade.OUT_OF_SCOPE.value
        for claim in list_at(source, "supports")
        if isinstance(claim, str)
    }
    for index, claim in _with_ids(one):
        if claim not in evidenced and list_at(one, "claims")[index].get("required", True) is True:
            message = f"required claim {claim!r} is in the `supports` of no source"
            yield document.problem(("prompts", prompt_id, "claims", index), message, warning=True)


def _supports(
    document: Document, at: Place, raw: Any, claims: Collection[str]
) -> Iterator[Problem]:
    """Claims a source supports that its prompt does not have."""
    for index, claim in enumerate(list_at(raw, "supports")):
        if isinstance(claim, str) and claim not in claims:
            yield document.problem(
                (*at, "supports", index),
                f"supports unknown claim {claim!r}{nearest(claim, claims)}",
            )


def _wish(
    document: Document, at: Place, source: SourceFile, *, client: Collection[str], target: Target
) -> Iterator[Problem]:
    """The client's own domain required without a claim that needs it."""
    if source.grade is not GivenGrade.REQUIRED or source.supports:
        return
    host = urlsplit((target.place.clean_url if target.place else None) or "").hostname or ""
    own = any(
        target.key == domain
        or (target.place is not None and target.place.family == domain)
        or host == domain
        or host.endswith(f".{domain}")
        for domain in client
    )
    if own:
        yield document.problem(
            at,
            f"the client's own {target.key!r} is required without a claim that needs it: "
            "a baseline is an evidence standard, not a wish list",
            warning=True,
        )


def _dates(document: Document, at: Place, source: SourceFile) -> Iterator[Problem]:
    """A page that was updated before it was published."""
    if source.published and source.updated and source.updated < source.published:
        yield document.problem(
            (*at, "updated"),
            f"updated {source.updated} lies before published {source.published}",
            warning=True,
        )
