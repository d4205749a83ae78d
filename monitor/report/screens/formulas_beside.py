"""What is counted beside the measures of a scorecard: shares, concentration, overlap, agreement."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from monitor.report.screens.formulas import BOUNDS, Formula


@dataclass(frozen=True, slots=True)
class Beside:
    """A number that is no rate of one capture."""

    label: str
    meaning: str
    unit: str
    formula: Formula
    whose: str = "Engine"
    """Whose counts its examples are: the head of their column."""


_UNRESOLVED = "citations whose publisher could not be found out"
_NO_CITATION = "no visible citation of a known publisher"

BESIDE: Mapping[str, Beside] = MappingProxyType(
    {
        "citation_share": Beside(
            "Citation share", "A family's part of all visible citations.", "pages",
            Formula(
                "pages of the family cited visibly", "visible pages cited", _UNRESOLVED,
                "no visible citation", "Definition of this monitor.",
                "Six of ten pages are one family's and one is unresolved: 6 of 10, bounds 6/10 to "
                "7/10.", "monitor.scoring.shares.family_shares",
                "Unresolved pages stay below the line: n / N to (n + unresolved) / N.")),
        "hhi": Beside(
            "HHI", "How much citations gather on few families: 1 is one family alone.", "index",
            Formula(
                "squared shares of the families, summed", "1", _UNRESOLVED, _NO_CITATION,
                "Hirschman (1945), Herfindahl (1950).",
                "Six and two citations: 0.75 x 0.75 + 0.25 x 0.25 = 0.625.",
                "monitor.statistics.concentration.hhi",
                "Unresolved citations as new families each, to all of them in the largest.",
                "Beside it stands the cross-prompt HHI: pairs of citations of different prompts "
                "that share a family / all such pairs.")),
        "effective_sources": Beside(
            "Effective sources", "As many equal families would be as concentrated.", "families",
            Formula(
                "1", "HHI", _UNRESOLVED, _NO_CITATION, "Laakso and Taagepera (1979).",
                "HHI 0.625: 1 / 0.625 = 1.6.", "monitor.statistics.concentration.effective",
                "Those of the HHI, turned over.")),
        "overlap": Beside(
            "Overlap", "How alike two sets of answers are in the families they cite.", "prompts",
            Formula(
                "families that both answers cite", "families that either cites",
                "nothing; prompts for which both cite nothing are left out and counted",
                "no prompt with a family cited", "Jaccard (1901).",
                "Families {a, b} and {b, c}: 1 of 3.", "monitor.scoring.overlaps.family_overlap",
                "None: it is a mean over prompts, with an interval.",
                "First over the pairs of answers of a prompt, then over prompts. Repeats are never "
                "united. The overlap of everything cited anywhere in two panels is another figure "
                "with another name."), whose="Answers of"),
        "visible_citation_recall": Beside(
            "Visible citation recall", "Relevant pages of the pool that an engine cites.", "pages",
            Formula(
                "relevant pages that the engine cites",
                "those, relevant pages that only others cite, and unjudged ones",
                "pages of the pool that the baseline does not grade",
                "no relevant page known; an engine alone of its kind",
                "Definition of this monitor; pooling after Sparck Jones and van Rijsbergen (1975).",
                "Four relevant and two unjudged of its own, four relevant elsewhere: 0.5 to 0.6.",
                "monitor.scoring.bounded.pooled_recall",
                "Lower: own relevant / (own relevant + relevant and unjudged elsewhere). Upper: "
                "(own relevant + own unjudged) / (the same + relevant elsewhere). No point is "
                "shown under 70 % judged.")),
        "agreement": Beside(
            "Agreement", "How far annotators, or people and a judge, label alike.", "label pairs",
            Formula(
                "pairs of labels that agree", "pairs of labels of the same subject",
                "subjects with fewer than two labels",
                "no subject with two labels; only one label ever used",
                "Krippendorff (2011); Gwet (2008); Cohen (1960, 1968).",
                "Three of four pairs agree: 0.75; by their habits 0.375 would, so kappa is "
                "(0.75 - 0.375) / (1 - 0.375) = 0.600.",
                "monitor.statistics.agreement.krippendorff_alpha",
                "None: intervals resample whole answers.",
                "Beside raw agreement stand Krippendorff's alpha, Gwet's AC1 and AC2, and Cohen's "
                "kappa for two annotators."), whose="Labels of"),
    }
)  # fmt: skip
"""Name -> what it is and how it is counted."""


@dataclass(frozen=True, slots=True)
class Rule:
    """What holds for every number."""

    place: str
    """Its place on the page."""
    heading: str
    text: str


RULES: tuple[Rule, ...] = (
    Rule("counts", "Counts first",
     "A measure is a rate: hits, the total that was assessed, and beside it what could not be "
     f"assessed, by reason. {BOUNDS} Without a value it reads not measured, never 0."),
    Rule("interval", "Interval",
     "Prompts are the clusters: citations and repeats of one prompt are alike. A level's 95 % "
     "interval is Wilson's (1927) with the effective sample size of Korn and Graubard (1998) and "
     "Student's t with one degree of freedom less than prompts. Under ten prompts: counts only."),
    Rule("change", "Change",
     "Two runs are compared prompt by prompt. The p value comes from swapping the two runs of a "
     "prompt at random; over many tests it is adjusted (Benjamini and Hochberg, 1995). Changed: "
     "adjusted p at most 0.05, at least one point, and at least 20 % of the larger share. Watch: "
     "adjusted p at most 0.10. Otherwise no clear change, never stable."),
)  # fmt: skip
"""What holds for every number, in reading order."""
