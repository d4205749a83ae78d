"""What annotators said of pooled sources and claims -> the parts of a baseline, or what blocks it.

A settled grade is the adjudicated one, else the one on which all agree, else the only one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from monitor.baseline.checks import Identify
from monitor.domain.baseline import (
    BaselineSource,
    Match,
    PromptBaseline,
)
from monitor.domain.drafted import (
    DraftedClaim,
    PooledSource,
    SourceLabel,
    SourceRuling,
)
from monitor.domain.source import Grade


@dataclass(frozen=True, slots=True)
class GradedSource:
    """A pooled source with every label that counts, and how it was settled."""

    source: PooledSource
    labels: tuple[SourceLabel, ...]
    """The newest one of each annotator, none taken back, oldest first."""
    ruling: SourceRuling | None = None

    @property
    def disagrees(self) -> bool:
        """Whether annotators gave it different grades or matches, settled or not."""
        return len({(one.grade, one.details.match) for one in self.labels}) > 1

    @property
    def ruled(self) -> SourceRuling | None:
        """The ruling over these very labels; one over others is void."""
        now = tuple(sorted(one.id for one in self.labels))
        if self.ruling is None or not self.disagrees:
            return None
        return self.ruling if tuple(sorted(self.ruling.originals)) == now else None

    @property
    def is_open(self) -> bool:
        """Whether a disagreement over it waits to be settled."""
        return self.disagrees and self.ruled is None

    @property
    def settled(self) -> Grade | None:
        """Its settled grade; None where there is none."""
        if self.ruled is not None:
            return self.ruled.grade
        if self.disagrees or not self.labels:
            return None
        return self.labels[0].grade

    @property
    def is_kept(self) -> bool:
        """Whether it goes into the baseline."""
        return self.settled not in {None, Grade.UNGRADED}


@dataclass(frozen=True, slots=True)
class Assembled:
    """Prompts of a baseline as far as they are settled, and what stands against freezing."""

    prompts: Mapping[str, PromptBaseline]
    open: tuple[GradedSource, ...]
    """Disagreements that nobody settled: they block."""
    clashes: tuple[str, ...]
    """Sources that grade one target differently: they block, too."""
    unlabelled: tuple[PooledSource, ...]
    """Nobody graded them; they are left out."""
    ungraded: tuple[PooledSource, ...]
    """Whoever graded them could not tell; they are left out."""
    remarks: tuple[str, ...]
    counted: tuple[SourceLabel, ...]
    """Labels that the prompts were made of."""

    @property
    def blocks(self) -> bool:
        """Whether something stands against freezing."""
        return bool(self.open or self.clashes)


def graded_sources(
    pool: Iterable[PooledSource],
    labels: Iterable[SourceLabel],
    rulings: Mapping[tuple[str, str], SourceRuling],
) -> tuple[GradedSource, ...]:
    """Each source of a pool with its labels; rulings are by prompt and hash of the page."""
    given: dict[tuple[str, str], list[SourceLabel]] = {}
    for one in labels:
        if one.grade is not None:
            given.setdefault((one.prompt, one.page_hash), []).append(one)
    return tuple(
        GradedSource(
            source,
            tuple(sorted(given.get(key, ()), key=lambda one: one.id)),
            rulings.get(key),
        )
        for source in pool
        for key in [(source.prompt, source.page_hash)]
    )


def assemble(
    prompt_ids: Sequence[str],
    graded: Sequence[GradedSource],
    claims: Sequence[DraftedClaim],
    identify: Identify,
) -> Assembled:
    """A baseline's prompts of everything that is settled; a prompt without anything is left out."""
    kept = [one for one in graded if one.is_kept]
    prompts: dict[str, PromptBaseline] = {}
    clashes: list[str] = []
    remarks: list[str] = []
    for prompt_id in prompt_ids:
        written = tuple(c.words for c in claims if c.prompt == prompt_id and c.words)
        made = _merged(
            prompt_id, [_source(g, identify) for g in kept if g.source.prompt == prompt_id]
        )
        sources, lost = _supporting(made.sources, {claim.id for claim in written})
        clashes += made.clashes
        remarks += [*made.remarks, *(f"{prompt_id}: {one}" for one in lost)]
        if sources or written:
            prompts[prompt_id] = PromptBaseline(prompt_id, sources, written)
    return Assembled(
        prompts,
        tuple(one for one in graded if one.is_open),
        tuple(clashes),
        tuple(one.source for one in graded if not one.labels),
        tuple(one.source for one in graded if one.settled is Grade.UNGRADED),
        tuple(remarks),
        tuple(label for one in kept for label in one.labels),
    )


@dataclass(frozen=True, slots=True)
class _Merged:
    """Sources of one prompt, one a target, and what was said of those that shared one."""

    sources: tuple[BaselineSource, ...]
    clashes: tuple[str, ...]
    remarks: tuple[str, ...]


def _merged(prompt_id: str, sources: Sequence[BaselineSource | str]) -> _Merged:
    """One source for each target; two of another grade clash, two alike become one."""
    found: dict[tuple[Match, str], BaselineSource] = {}
    clashes, remarks = [], []
    for one in sources:
        if isinstance(one, str):
            clashes.append(f"{prompt_id}: {one}")
            continue
        first = found.setdefault((one.match, one.key), one)
        if first is one:
            continue
        what = f"{prompt_id}: two sources grade the {one.match.value} {one.key!r}"
        if first.grade is not one.grade:
            clashes.append(f"{what}, {first.grade.value} and {one.grade.value}")
            continue
        both = tuple(dict.fromkeys((*first.supports, *one.supports)))
        found[one.match, one.key] = replace(first, supports=both)
        remarks.append(f"{what} alike; they became one")
    return _Merged(tuple(found.values()), tuple(clashes), tuple(remarks))


def _supporting(
    sources: Sequence[BaselineSource], claims: set[str]
) -> tuple[tuple[BaselineSource, ...], list[str]]:
    """Sources without claims that were removed meanwhile, and which those were."""
    gone = sorted({claim for one in sources for claim in one.supports} - claims)
    kept = tuple(
        replace(one, supports=tuple(c for c in one.supports if c in claims)) for one in sources
    )
    return kept, [f"claim {claim!r} was removed; no source supports it any more" for claim in gone]


def _source(one: GradedSource, identify: Identify) -> BaselineSource | str:
    """A source as the baseline has it, or why it can be met by nothing."""
    grade, ruled, given = one.settled, one.ruled, _given(one)
    assert grade is not None
    details = given.details if given else one.labels[0].details
    match = one.source.only_match or (ruled.match if ruled else details.match)
    target = _target(one.source, match, identify)
    if target is None:
        return f"the address {one.source.url!r} has no {match.value} of its own; match another way"
    return BaselineSource(
        key=target,
        match=match,
        grade=grade,
        url=one.source.url if one.source.is_page and match is not Match.UNIT else None,
        supports=details.supports,
        evidence_type=details.evidence_type,
        published=details.published,
        updated=details.updated,
        jurisdiction=details.jurisdiction,
        known_limitation=details.known_limitation,
        reason=ruled.reason if ruled and not given else details.reason,
        annotator=given.annotator if given else None,
        adjudication=_adjudication(one),
        relevance=details.relevance,
        roles=details.roles,
    )


def _given(one: GradedSource) -> SourceLabel | None:
    """The first label that gave the settled grade; None where only a ruling did."""
    ruled = one.ruled
    alike = [label for label in one.labels if label.grade is one.settled]
    exact = [x for x in alike if ruled is None or x.details.match is ruled.match]
    return next(iter((*exact, *alike)), None)


def _target(source: PooledSource, match: Match, identify: Identify) -> str | None:
    """Key of the page, unit or family that a source is met by; None where it has no such part."""
    if source.only_match is not None:
        return source.url
    place = identify(source.url)
    keys = {Match.PAGE: place.page_key, Match.UNIT: place.unit, Match.FAMILY: place.family}
    return keys[match]


def _adjudication(one: GradedSource) -> str:
    """Who settled a disagreement, why, and what each had said."""
    if one.ruled is None:
        return ""
    said = ", ".join(
        f"{label.annotator}: {label.grade.value} ({label.details.match.value})"
        for label in one.labels
        if label.grade is not None
    )
    return f"{one.ruled.adjudicator}: {one.ruled.reason} [{said}]"
