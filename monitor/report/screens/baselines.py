"""Baselines: every version of a panel's, what is in one, and how two of them differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.domain.baseline import Baseline, BaselineClaim, BaselineSource
from monitor.domain.source import Grade
from monitor.report.numbers import moment
from monitor.report.screens.links import page_address
from monitor.report.tables import Table

GRADE_WORDS = ("required", "acceptable", "optional", "out_of_scope")
NEW_DRAFT: Mapping[str, str] = {
    "version": "",
    "guideline": "1",
    "annotators": "",
    "double_percent": "20",
    "starts_from": "",
    "seed": "",
}
"""What the form for another draft proposes, beside its version."""


@dataclass(frozen=True, slots=True)
class PanelLine:
    """A panel with how many versions of its baseline there are."""

    panel: str
    href: str
    versions: int
    open_drafts: int


@dataclass(frozen=True, slots=True)
class BaselinesScreen:
    """All panels that have a baseline or could have one."""

    panels: tuple[PanelLine, ...]


@dataclass(frozen=True, slots=True)
class VersionLine:
    """One stored version."""

    version: str
    label: str
    href: str
    file: str
    frozen_at: datetime | None
    frozen_text: str
    drawn_blind: bool
    annotators: tuple[str, ...]
    guideline: str
    prompts: int
    grades: tuple[tuple[str, int], ...]
    """(grade, sources of it)."""
    claims: int
    required_claims: int
    saved_at: datetime
    follows_answers: bool
    """Whether the panel was asked before it was frozen."""
    differs: str | None
    """Page of the differences from the version saved before it."""


@dataclass(frozen=True, slots=True)
class DraftLine:
    """One draft of a panel."""

    draft: int
    version: str
    state: str
    href: str
    annotators: tuple[str, ...]
    made_at: datetime


@dataclass(frozen=True, slots=True)
class PanelBaselinesScreen:
    """Versions and drafts of one panel's baseline."""

    panel: str
    versions: tuple[VersionLine, ...]
    drafts: tuple[DraftLine, ...]
    may_begin: bool
    """Whether the visitor may begin drafts and store files."""
    prompts: int | None
    """How many prompts the panel has now; None where its file is not sound."""
    new_draft: Mapping[str, str]
    """The form for another draft, filled in where it was refused."""
    problems: tuple[str, ...] = ()
    """Why no draft was begun with what was typed."""


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A graded source as a page shows it."""

    prompt: str
    target: str
    url: str | None
    match: str
    grade: str
    supports: tuple[str, ...]
    evidence_type: str
    published: str
    updated: str
    jurisdiction: str
    known_limitation: str
    reason: str
    annotator: str
    adjudication: str
    relevance: str
    roles: str


@dataclass(frozen=True, slots=True)
class ClaimRow:
    """A claim as a page shows it."""

    prompt: str
    claim: str
    text: str
    category: str
    required: bool
    evidence_type: str
    jurisdiction: str
    known_limitation: str
    reason: str


@dataclass(frozen=True, slots=True)
class PromptPart:
    """What a version says of one prompt."""

    prompt: str
    question: str
    sources: tuple[SourceRow, ...]
    claims: tuple[ClaimRow, ...]


@dataclass(frozen=True, slots=True)
class VersionScreen:
    """One version of a baseline with all its sources and claims."""

    panel: str
    line: VersionLine
    note: str
    prompts: tuple[PromptPart, ...]


@dataclass(frozen=True, slots=True)
class DifferenceLine:
    """One thing that the later version says otherwise."""

    prompt: str
    """Empty for the head of the file."""
    says: str


@dataclass(frozen=True, slots=True)
class DifferencesScreen:
    """How a later version differs from an earlier one."""

    panel: str
    before: str
    after: str
    differences: tuple[DifferenceLine, ...]


def baselines_address(panel: str | None = None) -> str:
    """The list of panels with baselines, or the versions of one."""
    return page_address("baselines", *([panel] if panel else []))


def version_address(panel: str, version: str) -> str:
    """One version of a baseline."""
    return page_address("baselines", panel, "versions", version)


def draft_address(draft: int, *more: str) -> str:
    """A draft, or a page of it."""
    return page_address("baselines", "drafts", draft, *more)


def version_line(
    baseline: Baseline, saved_at: datetime, *, first_run: datetime | None, before: str | None
) -> VersionLine:
    """A version with its counts; `before` is the version that was saved before it."""
    sources = [one for prompt in baseline.prompts.values() for one in prompt.sources]
    claims = [one for prompt in baseline.prompts.values() for one in prompt.claims]
    frozen = baseline.frozen_at
    address = version_address(baseline.panel, baseline.version)
    return VersionLine(
        version=baseline.version,
        label=baseline.label,
        href=address,
        file=f"{address}/file",
        frozen_at=frozen,
        frozen_text=moment(frozen) if frozen else "draft",
        drawn_blind=baseline.drawn_blind,
        annotators=baseline.annotators,
        guideline=baseline.guideline,
        prompts=len(baseline.prompts),
        grades=tuple((g, sum(1 for s in sources if s.grade.value == g)) for g in GRADE_WORDS),
        claims=len(claims),
        required_claims=sum(1 for one in claims if one.required),
        saved_at=saved_at,
        follows_answers=bool(frozen and first_run and first_run < frozen),
        differs=None
        if before is None
        else page_address(
            "baselines", baseline.panel, "differences", before=before, after=baseline.version
        ),
    )


def version_table(screen: VersionScreen) -> Table:
    """Sources and claims of a version as rows."""
    header = (
        "prompt", "kind", "id", "grade_or_category", "match", "supports_or_required", "text_or_url",
        "evidence_type", "published", "updated", "jurisdiction", "known_limitation", "reason",
        "annotator", "adjudication", "relevance", "roles",
    )  # fmt: skip
    rows: Table = (header, [])
    for part in screen.prompts:
        for s in part.sources:
            rows[1].append(
                (
                    part.prompt, "source", s.target, s.grade, s.match, " ".join(s.supports),
                    s.url or "", s.evidence_type, s.published, s.updated, s.jurisdiction,
                    s.known_limitation, s.reason, s.annotator, s.adjudication, s.relevance, s.roles,
                )
            )  # fmt: skip
        for c in part.claims:
            rows[1].append(
                (
                    part.prompt, "claim", c.claim, c.category, "", "yes" if c.required else "no",
                    c.text, c.evidence_type, "", "", c.jurisdiction, c.known_limitation, c.reason,
                    "", "", "", "",
                )
            )  # fmt: skip
    return rows


def versions_table(screen: PanelBaselinesScreen) -> Table:
    """Versions of a panel as rows."""
    header = (
        "panel", "version", "frozen_at", "drawn_blind", "annotators", "guideline", "prompts",
        *GRADE_WORDS, "claims", "required_claims", "frozen_after_first_run",
    )  # fmt: skip
    rows = [
        (
            screen.panel, one.version, one.frozen_at.isoformat() if one.frozen_at else None,
            "yes" if one.drawn_blind else "no", " ".join(one.annotators), one.guideline,
            one.prompts, *(count for _, count in one.grades), one.claims, one.required_claims,
            "yes" if one.follows_answers else "no",
        )
        for one in screen.versions
    ]  # fmt: skip
    return header, [*rows]


def differences_table(screen: DifferencesScreen) -> Table:
    """Differences as rows."""
    return ("prompt", "says"), [(one.prompt, one.says) for one in screen.differences]


def panels_table(screen: BaselinesScreen) -> Table:
    """Panels as rows."""
    header = ("panel", "versions", "open_drafts")
    return header, [(one.panel, one.versions, one.open_drafts) for one in screen.panels]


def prompt_parts(baseline: Baseline, questions: dict[str, str]) -> tuple[PromptPart, ...]:
    """What a version says, prompt by prompt."""
    return tuple(
        PromptPart(
            prompt_id,
            questions.get(prompt_id, ""),
            tuple(_source(prompt_id, source) for source in _by_grade(one.sources)),
            tuple(_claim(prompt_id, claim) for claim in one.claims),
        )
        for prompt_id, one in baseline.prompts.items()
    )


def _by_grade(sources: Sequence[BaselineSource]) -> list[BaselineSource]:
    order = list(Grade)
    return sorted(sources, key=lambda one: order.index(one.grade))


def _source(prompt: str, one: BaselineSource) -> SourceRow:
    return SourceRow(
        prompt,
        one.key,
        one.url,
        one.match.value,
        one.grade.value,
        one.supports,
        one.evidence_type.value,
        one.published.isoformat() if one.published else "",
        one.updated.isoformat() if one.updated else "",
        one.jurisdiction or "",
        one.known_limitation,
        one.reason,
        one.annotator or "",
        one.adjudication,
        _parts(one.relevance, ("topical_fit", "authority", "freshness")),
        _parts(one.roles, ("authoritative", "relevant", "current", "sufficient")),
    )


def _parts(value: object | None, names: tuple[str, ...]) -> str:
    """The parts that were judged, in one line."""
    given = ((name, getattr(value, name, None)) for name in names)
    return ", ".join(
        f"{name.replace('_', ' ')} {str(one).removesuffix('.0').replace('_', ' ')}"
        for name, one in given
        if one is not None
    )


def _claim(prompt: str, one: BaselineClaim) -> ClaimRow:
    return ClaimRow(
        prompt,
        one.id,
        one.text,
        one.category.value,
        one.required,
        one.evidence_type.value if one.evidence_type else "",
        one.jurisdiction or "",
        one.known_limitation,
        one.reason,
    )
