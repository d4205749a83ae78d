"""One prompt of a draft as its annotators grade it: no engine, no answer, no count of citations."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from typing import Any

from monitor.domain.baseline import ClaimCategory, EvidenceType, Match
from monitor.domain.drafted import DraftedClaim, PooledSource, SourceDetails, SourceLabel
from monitor.domain.source import Grade
from monitor.report.screens.links import page_address

GRADES: tuple[tuple[str, Grade, str, str], ...] = (
    ("1", Grade.REQUIRED, "required", "a good answer should show this source"),
    ("2", Grade.ACCEPTABLE, "acceptable", "as welcome as a required one, not asked for"),
    ("3", Grade.OPTIONAL, "optional", "harmless background"),
    ("4", Grade.OUT_OF_SCOPE, "out of scope", "should not stand behind an answer"),
    ("u", Grade.UNGRADED, "cannot tell", "left out of the baseline; say why"),
)
"""Key, grade, its word on the button, and what it means."""


@dataclass(frozen=True, slots=True)
class GradeChoice:
    """A button of the form."""

    key: str
    grade: str
    word: str
    meaning: str


@dataclass(frozen=True, slots=True)
class ClaimView:
    """A claim of the prompt as it reads now."""

    row: int
    """Row that a form names, so that nobody overwrites what they did not see."""
    claim: str
    fields: Mapping[str, str]
    annotator: str


@dataclass(frozen=True, slots=True)
class PlaceView:
    """One source among those of the annotator."""

    number: int
    href: str
    word: str
    """Own grade in words, or `open`."""
    is_here: bool


@dataclass(frozen=True, slots=True)
class SourceView:
    """The source at hand, with the form as it is filled in."""

    page: str
    number: int
    title: str
    url: str
    family: str
    is_page: bool
    matches: tuple[str, ...]
    text: str
    text_note: str
    published: str
    updated: str
    seen: int | None
    """Own newest label that the form shows."""
    grade: str
    """Own grade, empty where none is given."""
    fields: Mapping[str, str]
    supports: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UndoView:
    """The own newest grade, which one key takes back."""

    prompt: str
    page: str
    seen: int
    word: str


@dataclass(frozen=True, slots=True)
class GradingScreen:
    """A prompt with its claims and the sources that this annotator grades."""

    draft: int
    panel: str
    version: str
    guideline: str
    is_open: bool
    annotator: str
    is_asked: bool
    """Whether the visitor is among the annotators of the draft."""
    prompt: str
    question: str
    number: int
    prompts: int
    claims: tuple[ClaimView, ...]
    places: tuple[PlaceView, ...]
    done: int
    source: SourceView | None
    undo: UndoView | None
    earlier: str | None
    later: str | None
    choices: tuple[GradeChoice, ...]
    categories: tuple[str, ...]
    evidence_types: tuple[str, ...]
    new_claim: Mapping[str, str]
    """The form for another claim, filled in where it was refused."""
    problems: tuple[str, ...] = ()
    other: ClaimView | None = None
    """A claim as somebody else saved it while the form was open."""


@dataclass(frozen=True, slots=True)
class Reading:
    """Text of a source as its own fetch gave it."""

    text: str = ""
    note: str = ""


def choices() -> tuple[GradeChoice, ...]:
    """The grades as buttons."""
    return tuple(GradeChoice(key, grade.value, word, says) for key, grade, word, says in GRADES)


def grade_word(grade: Grade | None) -> str:
    """A grade in words, or `open` where there is none."""
    return next((word for _, one, word, _ in GRADES if one is grade), "open")


def categories() -> tuple[str, ...]:
    """Kinds of claims, as files write them."""
    return tuple(one.value for one in ClaimCategory)


def evidence_types() -> tuple[str, ...]:
    """Kinds of evidence, as files write them."""
    return tuple(one.value for one in EvidenceType)


def grading_address(draft: int, prompt: str, *, source: int | None = None) -> str:
    """Where a prompt of a draft is graded."""
    return page_address("baselines", "drafts", draft, "prompts", prompt, source=source)


def claim_view(one: DraftedClaim) -> ClaimView:
    """A claim with every field as a form shows it."""
    written = _strings(one.words) if one.words else {}
    if one.words:
        written["required"] = "yes" if one.words.required else "no"
    return ClaimView(one.id, one.claim, written, one.annotator)


def source_view(source: PooledSource, label: SourceLabel | None, reading: Reading) -> SourceView:
    """A source with its text and the annotator's own label, where there is one."""
    grade = label.grade if label else None
    details = label.details if label else SourceDetails(match=source.only_match or Match.PAGE)
    only = source.only_match
    return SourceView(
        page=source.page_hash,
        number=source.position,
        title=source.title or "",
        url=source.url,
        family=source.family or "",
        is_page=source.is_page,
        matches=(only.value,) if only else tuple(one.value for one in Match),
        text=reading.text,
        text_note=reading.note,
        published=_day(source.note.published),
        updated=_day(source.note.updated),
        seen=label.id if label else None,
        grade=grade.value if grade else "",
        fields=details_fields(details),
        supports=details.supports,
    )


def details_fields(details: SourceDetails) -> dict[str, str]:
    """Details of a grade as the fields of its form."""
    written = _strings(details)
    for part in (details.relevance, details.roles):
        if part is not None:
            written |= _strings(part)
    return written


def _strings(value: Any) -> dict[str, str]:
    """The plain fields of a value as a form shows them; what is absent is empty."""
    found = {}
    for field in fields(value):
        one = getattr(value, field.name)
        if isinstance(one, float):
            found[field.name] = f"{one:g}"
        elif one is None or isinstance(one, str | date):
            found[field.name] = "" if one is None else str(one)
    return found


def _day(one: date | None) -> str:
    return one.isoformat() if one else "not given"


def place_views(
    draft: int,
    sources: Sequence[PooledSource],
    labels: Mapping[str, SourceLabel],
    here: PooledSource | None,
) -> tuple[PlaceView, ...]:
    """The annotator's sources of a prompt in their drawn order."""
    return tuple(
        PlaceView(
            number,
            grading_address(draft, one.prompt, source=one.position),
            grade_word(labels[one.page_hash].grade if one.page_hash in labels else None),
            one is here,
        )
        for number, one in enumerate(sources, 1)
    )
