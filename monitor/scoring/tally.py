"""One capture's counts for every measure; a scorecard is their sum."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from monitor.domain.assessment import AssessedCapture, Policy
from monitor.domain.baseline import ClaimCategory, PromptBaseline
from monitor.domain.claim import Support
from monitor.domain.engine import HEARD, Outcome
from monitor.domain.score import Measured, Rate, Tally, Undefined, UndefinedReason
from monitor.scoring import claims, sources, support_matrix
from monitor.scoring.citations import citation_precision, citation_recall
from monitor.scoring.relevance import weighted_source_precision
from monitor.scoring.shares import family_counts, group_counts
from monitor.scoring.support_matrix import SupportMatrix

SCORING_VERSION = 3
"""Raised with every change of a number; part of the signature."""

NO_ANSWERED = Undefined(UndefinedReason.NO_ANSWERED)
NO_ANSWER_RATE = "no_answer_rate"


class Direction(StrEnum):
    """Which way is good, where one is."""

    UP = "up"
    DOWN = "down"
    NEITHER = "neither"


@dataclass(frozen=True, slots=True)
class Definition:
    """What a measure is called, means and counts."""

    label: str
    meaning: str
    unit: str
    """What is counted."""
    direction: Direction
    section: str
    """`source`, `claim`, `matrix` or `answer`."""
    needs_baseline: bool = False


_UP, _DOWN, _NEITHER = Direction.UP, Direction.DOWN, Direction.NEITHER

MEASURES: Mapping[str, Definition] = MappingProxyType(
    {
        "source_precision": Definition(
            "Source precision",
            "Visible citations the baseline accepts, of those it grades.",
            "pages", _UP, "source", needs_baseline=True),
        "source_precision_independent": Definition(
            "Source precision, independent",
            "Source precision with every evidence group counted once per capture.",
            "evidence groups", _UP, "source", needs_baseline=True),
        "weighted_source_precision": Definition(
            "Weighted source precision",
            "Mean relevance of the visible citations the baseline grades.",
            "pages", _UP, "source", needs_baseline=True),
        "required_source_recall": Definition(
            "Required-source recall",
            "Required baseline sources that the answer cites visibly.",
            "baseline sources", _UP, "source", needs_baseline=True),
        "acceptable_set_recall": Definition(
            "Acceptable-set recall",
            "Baseline claims for which at least one good source is cited.",
            "baseline claims", _UP, "source", needs_baseline=True),
        "retrieved_source_recall": Definition(
            "Retrieved-source recall",
            "Required baseline sources that the engine found in its search, cited or not.",
            "baseline sources", _UP, "source", needs_baseline=True),
        "citation_recall": Definition(
            "Citation recall",
            "Statements entailed by their cited pages read together.",
            "statements", _UP, "claim"),
        "citation_precision": Definition(
            "Citation precision",
            "Citations that their statement needs or that entail it alone.",
            "citations", _UP, "claim"),
        "claim_citation_precision": Definition(
            "Claim citation precision",
            "Claims presented as cited that the cited pages support.",
            "claims", _UP, "claim"),
        "contradiction_rate": Definition(
            "Contradiction rate",
            "Cited claims that their own source contradicts.",
            "claims", _DOWN, "claim"),
        "claim_evidence_recall": Definition(
            "Claim-evidence recall",
            "Required baseline claims with an adequate visible supporting citation.",
            "baseline claims", _UP, "claim", needs_baseline=True),
        "required_claim_coverage": Definition(
            "Required-claim coverage",
            "Required baseline claims that the answer states.",
            "baseline claims", _UP, "claim", needs_baseline=True),
        "qualifier_fidelity": Definition(
            "Qualifier fidelity",
            "Required limitations stated with their qualifier, of those stated.",
            "baseline claims", _UP, "claim", needs_baseline=True),
        "uncited_claims": Definition(
            "Uncited claims",
            "Claims without any citation.",
            "claims", _DOWN, "claim"),
        "uncited_needing": Definition(
            "Uncited claims needing a citation",
            "Uncited claims for which a reader may ask for a source.",
            "claims", _DOWN, "claim"),
        "uncited_accurate": Definition(
            "Uncited, accurate by baseline",
            "Uncited claims needing a citation that the baseline's claims entail.",
            "claims", _UP, "claim", needs_baseline=True),
        "uncited_outside_baseline": Definition(
            "Uncited, not in the baseline",
            "Uncited claims needing a citation of which the baseline says nothing or only part.",
            "claims", _NEITHER, "claim", needs_baseline=True),
        "uncited_contradicting": Definition(
            "Uncited, contradicts the baseline",
            "Uncited claims needing a citation that contradict the baseline.",
            "claims", _DOWN, "claim", needs_baseline=True),
        "matrix_citation_accuracy": Definition(
            "Citations that hold alone",
            "Cited pages that support, each by itself, the statement they are cited for.",
            "pairs of statement and page", _UP, "matrix"),
        "matrix_thoroughness": Definition(
            "Thoroughness",
            "Pages that support a statement and are cited for it, of all that support it.",
            "pairs of statement and page", _UP, "matrix"),
        "matrix_unsupported_statements": Definition(
            "Unsupported statements",
            "Statements that none of the answer's visible pages supports by itself.",
            "statements", _DOWN, "matrix"),
        "uncited_sources": Definition(
            "Uncited sources",
            "Visible pages that the text of the answer cites nowhere.",
            "pages", _DOWN, "matrix"),
        "source_necessity": Definition(
            "Source necessity",
            "Pages in the smallest set that still supports every supported statement.",
            "pages", _UP, "matrix"),
        "statements_counted": Definition(
            "Statements counted",
            "Statements that are cited or are claims needing a citation.",
            "statements", _NEITHER, "answer"),
        NO_ANSWER_RATE: Definition(
            "No-answer rate",
            "Captures heard in which the engine declined or showed no answer.",
            "captures", _NEITHER, "answer"),
    }
)  # fmt: skip
"""Every per-capture measure by name, in reading order."""

_ACCURATE = frozenset({Support.FULL})
_OUTSIDE = frozenset({Support.PARTIAL, Support.UNSUPPORTED})
_CONTRADICTING = frozenset({Support.CONTRADICTED})

_Free = Callable[[AssessedCapture, Policy], Measured]
_Graded = Callable[[AssessedCapture, PromptBaseline, Policy], Measured]
_ByCategory = Callable[[AssessedCapture, PromptBaseline, Policy, ClaimCategory], Measured]

_FREE: Mapping[str, _Free] = {
    "citation_recall": lambda c, p: citation_recall(c, p.profile),
    "citation_precision": lambda c, p: citation_precision(c, p.profile),
    "claim_citation_precision": lambda c, p: claims.claim_citation_precision(c, p.partial),
    "contradiction_rate": lambda c, _: claims.contradiction_rate(c),
    "uncited_claims": lambda c, _: claims.uncited_claims(c),
    "uncited_needing": lambda c, _: claims.uncited_needing(c),
    "statements_counted": lambda c, _: claims.statements_counted(c),
}

_GRADED: Mapping[str, _Graded] = {
    "source_precision": lambda c, b, _: sources.source_precision(c.pages, b),
    "source_precision_independent": lambda c, b, _: sources.source_precision(
        sources.independent_pages(c.pages), b
    ),
    "weighted_source_precision": weighted_source_precision,
    "required_source_recall": lambda c, b, _: sources.required_source_recall(c, b),
    "acceptable_set_recall": lambda c, b, _: sources.acceptable_set_recall(c, b),
    "retrieved_source_recall": lambda c, b, _: sources.retrieved_source_recall(c, b),
    "claim_evidence_recall": claims.claim_evidence_recall,
    "required_claim_coverage": lambda c, b, p: claims.required_claim_coverage(c, b, p.partial),
    "qualifier_fidelity": lambda c, b, _: claims.qualifier_fidelity(c, b),
    "uncited_accurate": lambda c, _b, _p: claims.uncited_by_baseline(c, _ACCURATE),
    "uncited_outside_baseline": lambda c, _b, _p: claims.uncited_by_baseline(c, _OUTSIDE),
    "uncited_contradicting": lambda c, _b, _p: claims.uncited_by_baseline(c, _CONTRADICTING),
}

_OF_MATRIX: Mapping[str, Callable[[SupportMatrix], Measured]] = {
    "matrix_citation_accuracy": support_matrix.cited_support,
    "matrix_thoroughness": support_matrix.thoroughness,
    "matrix_unsupported_statements": support_matrix.unsupported_statements,
    "uncited_sources": support_matrix.uncited_sources,
    "source_necessity": support_matrix.source_necessity,
}

_BY_CATEGORY: Mapping[str, _ByCategory] = {
    "claim_evidence_recall": claims.claim_evidence_recall,
    "required_claim_coverage": lambda c, b, p, k: claims.required_claim_coverage(
        c, b, p.partial, k
    ),
}

CATEGORY_MEASURES = tuple(_BY_CATEGORY)
"""Measures that are also counted per claim category."""


def tally(capture: AssessedCapture, baseline: PromptBaseline | Undefined, policy: Policy) -> Tally:
    """Counts of one capture for every measure of MEASURES.

    Only an answered capture has rates; for any other each is Undefined(no_answered). Measures
    that need a baseline carry its reason where there is none. The no-answer rate alone also
    counts captures in which the engine gave no answer.
    """
    if capture.outcome is not Outcome.ANSWERED:
        return Tally(capture.prompt.id, capture.repeat, _unanswered(capture))
    return Tally(
        capture.prompt.id,
        capture.repeat,
        _measures(capture, baseline, policy),
        _categories(capture, baseline, policy),
        family_counts(capture.pages),
        group_counts(capture.pages),
        {} if isinstance(baseline, Undefined) else sources.required_sources(capture, baseline),
    )


def _unanswered(capture: AssessedCapture) -> Mapping[str, Measured]:
    """Measures of a capture without an answer."""
    measures: dict[str, Measured] = dict.fromkeys(MEASURES, NO_ANSWERED)
    if capture.outcome in HEARD:
        measures[NO_ANSWER_RATE] = Rate(1, 1)
    return measures


def _measures(
    capture: AssessedCapture, baseline: PromptBaseline | Undefined, policy: Policy
) -> Mapping[str, Measured]:
    """Every measure of an answered capture, in reading order."""
    matrix = support_matrix.support_matrix(capture)
    return {
        name: _read(matrix, name)
        if name in _OF_MATRIX
        else _measure(name, capture, baseline, policy)
        for name in MEASURES
    }


def _read(matrix: SupportMatrix | Undefined, name: str) -> Measured:
    """One measure of the support matrix; why there is none where it was not asked for."""
    return matrix if isinstance(matrix, Undefined) else _OF_MATRIX[name](matrix)


def _measure(
    name: str, capture: AssessedCapture, baseline: PromptBaseline | Undefined, policy: Policy
) -> Measured:
    """One measure of an answered capture."""
    if name == NO_ANSWER_RATE:
        return Rate(0, 1)
    if name in _FREE:
        return _FREE[name](capture, policy)
    return baseline if isinstance(baseline, Undefined) else _GRADED[name](capture, baseline, policy)


def _categories(
    capture: AssessedCapture, baseline: PromptBaseline | Undefined, policy: Policy
) -> Mapping[tuple[str, str], Measured]:
    """Counts per measure and claim category, for the categories this baseline requires."""
    if isinstance(baseline, Undefined):
        return {}
    present = sorted({claim.category for claim in baseline.required_claims})
    return {
        (name, category.value): count(capture, baseline, policy, category)
        for name, count in _BY_CATEGORY.items()
        for category in present
    }
