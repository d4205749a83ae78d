"""Statements, claims and verdicts: does the cited text support what the answer says?"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from monitor.domain.engine import Usage


class Support(StrEnum):
    """Support class for a claim and the passages read for it."""

    FULL = "full"
    PARTIAL = "partial"
    UNSUPPORTED = "unsupported"
    CONTRADICTED = "contradicted"
    NOT_ASSESSABLE = "not_assessable"


class NotAssessable(StrEnum):
    """Why nobody could check, beyond the fetch statuses."""

    UNMAPPED = "unmapped"
    NO_CITATIONS = "no_citations"
    JUDGE_UNCLEAR = "judge_unclear"
    JUDGE_ERROR = "judge_error"
    PENDING = "pending"
    DISPUTED = "disputed"
    UNGRADED = "ungraded"
    UNRESOLVED = "unresolved"
    NOT_EXACT = "not_exact"
    """Too much for an exact search: what lies between the two ends that are known."""


class StatementKind(StrEnum):
    """Does a statement need a citation, and if not, why not."""

    CLAIM = "claim"
    HEADING = "heading"
    QUESTION = "question"
    TRANSITION = "transition"
    SUMMARY = "summary"
    OPINION = "opinion"
    ADVICE = "advice"


class AnswerFormat(StrEnum):
    """Shape of an answer by a pure rule."""

    PROSE = "prose"
    LIST = "list"
    TABLE = "table"
    COMPARISON = "comparison"


@dataclass(frozen=True, slots=True)
class Claim:
    """One verifiable proposition of a statement; offsets are code points of the answer text."""

    index: int
    statement: int
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Statement:
    """A sentence or list item of an answer, with the citations that stand behind it."""

    index: int
    text: str
    """Prose: markers and markup removed."""
    start: int
    end: int
    kind: StatementKind
    citations: tuple[int, ...]
    """Indexes into Reading.citations, displayed or listed with a span; duplicates collapsed."""
    unmapped: int = 0
    """Markers that map to no URL: imprecise citations in the `monitor` profile."""
    claims: tuple[Claim, ...] = ()

    @property
    def needs_citation(self) -> bool:
        """Whether a reader may ask for a source."""
        return self.kind is StatementKind.CLAIM

    @property
    def counted(self) -> bool:
        """Whether profile `monitor` counts it: cited, or a claim that needs a citation."""
        return self.needs_citation or bool(self.citations) or self.unmapped > 0


class GapKind(StrEnum):
    """In which way a part of a claim goes beyond its evidence."""

    MISSING = "missing"
    """The evidence says nothing of it."""
    NAME = "name"
    NUMBER = "number"
    UNIT = "unit"
    DATE = "date"
    NEGATION = "negation"
    OPPOSITE = "opposite"
    DIRECTION = "direction"
    """A comparison turned round: more for less, A above B for B above A."""
    HEDGE_LOST = "hedge_lost"
    """The evidence says `may`, the claim says `does`."""
    SCOPE_WIDENED = "scope_widened"
    """The evidence speaks of some, or of a group, the claim of all."""


@dataclass(frozen=True, slots=True)
class Gap:
    """A part of a claim that its evidence does not bear out."""

    kind: GapKind
    start: int
    """Code points of the claim's text; start equals end where the claim lacks a word."""
    end: int
    claimed: str
    """The claim's words there; empty where it lacks a word."""
    source: str | None = None
    """What the evidence has in its place, verbatim; None where it has nothing."""


def gap_json(gap: Gap) -> dict[str, str | int | None]:
    """A gap as JSON values, with its place in the claim."""
    return {
        "kind": gap.kind.value,
        "start": gap.start,
        "end": gap.end,
        "claimed": gap.claimed,
        "source": gap.source,
    }


@dataclass(frozen=True, slots=True)
class Votes:
    """How often a judge that votes gave the label it settled on."""

    agreeing: int
    total: int
    """Valid votes."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a judge says of a claim and the passages it read."""

    support: Support
    reasons: tuple[str, ...] = ()
    """For not_assessable the first one is the closed reason; else what decided."""
    score: float | None = None
    """Calibrated probability of full support, also where the support is not_assessable."""
    quote: str | None = None
    """Verbatim part of the evidence; needed for full, partial and contradicted."""
    quote_span: tuple[int, int] | None = None
    """Code points of the evidence text that `evidence` names."""
    evidence: int | None = None
    """Index of the evidence text that holds the quote."""
    judge: str = ""
    """Name and version, for example embedded@1."""
    cost_micros: int = 0
    gaps: tuple[Gap, ...] = ()
    """Parts of the claim that are not borne out, in text order; what `partial` rests on."""
    votes: Votes | None = None
    """None where the judge gives one and the same answer every time."""
    usage: Usage | None = None
    """Tokens that the vendor counted; None for judges that count none."""

    @property
    def reason(self) -> str | None:
        """The closed reason of a not_assessable verdict, else None."""
        if self.support is not Support.NOT_ASSESSABLE:
            return None
        return self.reasons[0] if self.reasons else NotAssessable.JUDGE_ERROR.value


@dataclass(frozen=True, slots=True)
class Question:
    """What a judge is asked: do these texts, read together, support the claim?"""

    claim: str
    evidence: tuple[str, ...]


class Judge(Protocol):
    """A program that gives verdicts; one per run."""

    @property
    def version(self) -> str:
        """Name and version, for example embedded@1."""
        ...

    def verdict(self, claim: str, evidence: tuple[str, ...]) -> Verdict:
        """Judge one claim against all evidence texts read together."""
        ...

    def verdicts(self, asked: Iterable[Question]) -> Iterator[Verdict]:
        """A verdict for each question, in order, as they are wanted.

        A judge may work ahead on a bounded number of them. One that is paid gives
        not_assessable(pending) to whatever its caps do not reach, and never raises for that.
        """
        ...

    @property
    def held(self) -> str | None:
        """Which cap ended the judge's calls, in words; None while none did."""
        ...
