"""What every measure counts, in words: the one text that pages explain measures by."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

BOUNDS = (
    "Lowest where all that could not be assessed is a miss: hits / (total + not assessable). "
    "Highest where all of it is a hit: (hits + not assessable) / (total + not assessable)."
)
"""The rule of bounds of every rate that has no other."""

_IR = "Definition of this monitor; precision and recall as in Kent et al. (1955)."
_OWN = "Definition of this monitor."
_ALCE = "Gao et al. (2023), the benchmark ALCE."
_TRACE = "Venkit et al. (2025), DeepTRACE."
_JUDGED = "pages that cannot be read, and what the judge is not sure of"
_BASELINE = "no baseline for the prompt, or one older than the prompt"
_REQUIRED = f"{_BASELINE}; nothing required by it"
_MATRIX = "the support matrix was not asked for (judge.matrix); no visible citation"
_SOURCES = (
    "a required source not found while citations of unknown publisher stand beside it, at most as "
    "many as those; any of them where a surface shows no citations at all"
)


@dataclass(frozen=True, slots=True)
class Formula:
    """How one measure is counted, in words that stand beside numbers."""

    hits: str
    """What is above the line, after its count."""
    total: str
    """What is below it."""
    left_out: str
    """What is not assessable, and why."""
    undefined: str
    """When there is no value at all."""
    origin: str
    """Who defined it, and when."""
    example: str
    function: str
    """Path of the function of the code that counts it."""
    bounds: str = BOUNDS
    note: str = ""
    is_seeded: bool = False
    """Whether the example of four statements applies."""


FORMULAS: Mapping[str, Formula] = MappingProxyType(
    {
        "source_precision": Formula(
            "pages graded required, acceptable or optional", "pages graded",
            "citations that the baseline does not grade; publishers that could not be found out",
            f"no visible citation; {_BASELINE}", _IR,
            "Five pages, three accepted, one out of scope, one ungraded: 3 of 4, bounds 3/5 to "
            "4/5.", "monitor.scoring.sources.source_precision"),
        "source_precision_independent": Formula(
            "evidence groups graded required, acceptable or optional", "evidence groups graded",
            "groups that the baseline does not grade; publishers that could not be found out",
            f"no visible citation; {_BASELINE}", _IR,
            "Three copies of one accepted text and one page out of scope: 1 of 2.",
            "monitor.scoring.sources.independent_pages",
            note="Copies of one text are one piece of evidence: the group counts as its original "
            "where that is cited, else as the first cited."),
        "weighted_source_precision": Formula(
            "summed relevance", "pages graded",
            "citations that the baseline does not grade: 0 and 1 in the bounds",
            f"no visible citation; {_BASELINE}", _OWN,
            "Topical fit 1, authority 0.5, one claim fully and one partly supported: "
            "(1 + 0.5 + 0.75) / 3 = 0.75.",
            "monitor.scoring.relevance.weighted_source_precision",
            note="Relevance is 0 out of scope; the grade alone (required 1, acceptable 1, optional "
            "0.5) where nothing else is recorded; else the weighted mean of topical fit, "
            "authority, freshness and support."),
        "required_source_recall": Formula(
            "required sources cited visibly", "required sources", _SOURCES, _REQUIRED, _IR,
            "Three required, one cited, one citation unresolved: 1 of 2, bounds 1/3 to 2/3.",
            "monitor.scoring.sources.required_source_recall"),
        "acceptable_set_recall": Formula(
            "baseline claims with a required or acceptable source cited",
            "baseline claims that have such a source", _SOURCES, _REQUIRED, _OWN,
            "Claim 1 has three sources and one is cited, claim 2 has one and it is not: 1 of 2.",
            "monitor.scoring.sources.acceptable_set_recall",
            note="Ten interchangeable pages are one obligation, not ten."),
        "retrieved_source_recall": Formula(
            "required sources that the engine's search brought", "required sources", _SOURCES,
            f"the engine does not tell what it searched; {_REQUIRED}", _IR,
            "Two required, one of them searched but not cited: 1 of 2.",
            "monitor.scoring.sources.retrieved_source_recall"),
        "citation_recall": Formula(
            "statements entailed by their cited pages together", "statements counted",
            f"{_JUDGED}; answers whose citations are tied to no sentence",
            "no answer", _ALCE,
            "Four statements of which two are entailed: 2 of 4.",
            "monitor.scoring.citations.citation_recall",
            note="Counted are statements that are cited or are claims needing a citation; one "
            "without any citation is a miss. Profile alce counts every statement.",
            is_seeded=True),
        "citation_precision": Formula(
            "citations that are not irrelevant", "citations of counted statements",
            f"{_JUDGED}; answers whose citations are tied to no sentence",
            "no visible citation", _ALCE,
            "Four citations of which two are needed: 2 of 4.",
            "monitor.scoring.citations.citation_precision",
            note="None of a statement's citations counts unless together they entail it. Then one "
            "is irrelevant when it does not entail alone and the others still do without it.",
            is_seeded=True),
        "claim_citation_precision": Formula(
            "claims of cited statements supported (partial by policy)",
            "claims of cited statements assessed", _JUDGED, "no cited claim",
            "Definition of this monitor; the question is that of Liu et al. (2023).",
            "Policy half: one full, one partial, one unsupported: 1.5 of 3.",
            "monitor.scoring.claims.claim_citation_precision"),
        "contradiction_rate": Formula(
            "cited claims contradicted by their own source", "cited claims assessed",
            f"{_JUDGED}; claims whose markers lead to no address", "no cited claim", _OWN,
            "One contradicted, two supported, one undecided: 1 of 3, 1 not assessable.",
            "monitor.scoring.claims.contradiction_rate"),
        "claim_evidence_recall": Formula(
            "required claims with an adequate visible citation", "required claims assessed",
            "claims for which no page is adequate while one that could be is not assessable",
            _REQUIRED, _OWN,
            "Two required claims, one supported by a cited page, the other perhaps by a page "
            "behind a paywall: 1 of 1, bounds 1/2 to 1.",
            "monitor.scoring.claims.claim_evidence_recall",
            note="Adequate is a visible page of a grade that the risk class allows that fully "
            "supports the claim by itself. Whether the answer states it is another measure."),
        "required_claim_coverage": Formula(
            "required claims that the answer states (partial by policy)", "required claims",
            "claims on which the judge is not sure", _REQUIRED, _OWN,
            "Policy half: one stated, one in part: 1.5 of 2.",
            "monitor.scoring.claims.required_claim_coverage",
            note="Guards against short, perfectly cited, useless answers."),
        "qualifier_fidelity": Formula(
            "required limitations stated with their qualifier", "required limitations stated",
            "limitations on which the judge is not sure",
            f"{_BASELINE}; no limitation required by it", _OWN,
            "Of three limitations one is stated fully, one without its condition, one not at all: "
            "1 of 2.", "monitor.scoring.claims.qualifier_fidelity"),
        "uncited_claims": Formula(
            "claims of statements without page or marker", "claims", "nothing", "no answer", _OWN,
            "Of three claims two have no citation: 2 of 3.",
            "monitor.scoring.claims.uncited_claims"),
        "uncited_needing": Formula(
            "uncited claims for which a reader may ask for a source", "uncited claims", "nothing",
            "no answer", _OWN, "Of two uncited claims one is an opinion: 1 of 2.",
            "monitor.scoring.claims.uncited_needing"),
        "uncited_accurate": Formula(
            "that the baseline's claims entail", "uncited claims needing a citation assessed",
            "claims on which the judge is not sure", _BASELINE, _OWN, "Of four, one: 1 of 4.",
            "monitor.scoring.claims.uncited_by_baseline"),
        "uncited_outside_baseline": Formula(
            "of which the baseline says nothing or only part",
            "uncited claims needing a citation assessed", "claims on which the judge is not sure",
            _BASELINE, _OWN, "Of four, two: 2 of 4.", "monitor.scoring.claims.uncited_by_baseline",
            note="Neither good nor bad by itself."),
        "uncited_contradicting": Formula(
            "that contradict the baseline", "uncited claims needing a citation assessed",
            "claims on which the judge is not sure", _BASELINE, _OWN, "Of four, one: 1 of 4.",
            "monitor.scoring.claims.uncited_by_baseline"),
        "matrix_citation_accuracy": Formula(
            "cited pairs that support", "cited pairs", _JUDGED, _MATRIX, _TRACE,
            "Of three cited pairs one supports, one does not, one is unknown: 1 of 2, bounds 1/3 "
            "to 2/3.", "monitor.scoring.support_matrix.cited_support"),
        "matrix_thoroughness": Formula(
            "supporting pairs that are cited", "supporting pairs",
            "unknown pairs: each could be a supporting one or none at all", _MATRIX, _TRACE,
            "Of two supporting pairs one is cited, two are unknown: 1 of 2, bounds 1/4 to 3/4.",
            "monitor.scoring.support_matrix.thoroughness",
            note="Low where an answer had more evidence than it names: no fault by itself."),
        "matrix_unsupported_statements": Formula(
            "statements without any supporting page", "statements",
            "statements without a supporting page but with an unknown pair", _MATRIX, _TRACE,
            "The first is supported, the second hangs on an unreadable page, the third is not "
            "supported: 1 of 2, bounds 1/3 to 2/3.",
            "monitor.scoring.support_matrix.unsupported_statements"),
        "uncited_sources": Formula(
            "pages listed and cited nowhere", "visible pages", "nothing",
            f"{_MATRIX}; a surface that lists no sources beside those its text cites", _TRACE,
            "Page 2 of three is cited nowhere: 1 of 3.",
            "monitor.scoring.support_matrix.uncited_sources"),
        "source_necessity": Formula(
            "pages in the smallest set that supports as much", "visible pages",
            "what lies between the least and the most that the set could need", _MATRIX,
            f"{_TRACE} Bound of the greedy set: Chvatal (1979).",
            "At least 1, at most 2 of three pages: 1 of 2, bounds 1/3 to 2/3.",
            "monitor.scoring.support_matrix.source_necessity",
            note="Read the bounds: the point is their lower part."),
        "statements_counted": Formula(
            "statements that are cited or are claims needing a citation", "statements", "nothing",
            "no answer", _OWN, "Seven statements, two of them headings: 5 of 7.",
            "monitor.scoring.claims.statements_counted"),
        "no_answer_rate": Formula(
            "captures without an answer", "captures heard", "nothing", "nothing was heard", _OWN,
            "One of three repeats declined: 1 of 3.", "monitor.scoring.tally.tally"),
    }
)  # fmt: skip
"""Measure of a scorecard -> how it is counted."""
