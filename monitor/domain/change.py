"""Changes between two samples of the same prompts: what moved, by how much, is it noise?"""

from dataclasses import dataclass
from enum import StrEnum

from monitor.domain.estimate import NoEstimate
from monitor.domain.score import Concentration, Coverage, Interval, Rate

ROUNDING = 1e-12
"""What a sum of fractions may be short of a limit and still reach it."""


class ChangeVerdict(StrEnum):
    """What is said of a change; a missing one is never called stable."""

    CHANGED = "changed"
    WATCH = "watch"
    NO_CLEAR_CHANGE = "no clear change"
    NOT_ENOUGH_DATA = "not enough data"
    NOT_COMPARABLE = "not comparable"


class Subject(StrEnum):
    """What a change is a change of."""

    FAMILY_SHARE = "family_share"
    MEASURE = "measure"


class Appearance(StrEnum):
    """Whether a source family came or went; a report line, no alert by itself."""

    APPEARED = "appeared"
    DISAPPEARED = "disappeared"


class EventKind(StrEnum):
    """What happened between two samples that may explain a change but never suppresses it."""

    SERVED_MODEL = "served_model"
    QUERIES = "queries"
    FAMILY_MAP = "family_map"
    BASELINE = "baseline"
    PANEL_VERSION = "panel_version"
    RESCORED = "rescored"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class Event:
    """Something that changed around the answers: printed first, drawn in the trend."""

    kind: EventKind
    before: str
    after: str
    note: str = ""


class LeftOutReason(StrEnum):
    """Why a prompt has no part in a comparison."""

    EDITED = "edited"
    RENAMED = "renamed"
    ONLY_BEFORE = "only before"
    ONLY_AFTER = "only after"
    UNANSWERED = "not answered in both"


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A prompt of either sample that was not compared."""

    prompt_id: str
    reason: LeftOutReason
    note: str = ""
    """The other name of a renamed prompt."""


@dataclass(frozen=True, slots=True)
class ChangeRules:
    """When a difference is called a change; all of it may be configured, none of it per family."""

    min_citations: int = 20
    """Counted over both samples, for eligibility."""
    min_prompts: int = 10
    """Prompts citing a family, or with something assessed of a measure, for eligibility."""
    counts_below: int = 10
    """With fewer matched prompts only counts are given."""
    alerts_from: int = 20
    """With fewer matched prompts there are intervals but no verdict of change."""
    q_changed: float = 0.05
    q_watch: float = 0.10
    """False discovery rates, after Benjamini and Hochberg."""
    min_change: float = 0.01
    """Least absolute change, as a fraction: one point."""
    min_relative: float = 0.2
    """Least change as a part of the larger share, or of the larger number of effective sources."""
    min_overlap: float = 0.05
    """Least absolute change of an overlap, as a fraction: five points."""
    min_matched: float = 0.8
    """Least part of the panel that is matched."""
    min_heard: float = 0.9
    """Least part of the plan that was heard, on both sides."""
    level: float = 0.95
    """Of the intervals."""
    resamples: int = 9_999
    """Random swaps where not all can be tried."""
    bootstraps: int = 2_000
    """Samples of prompts drawn for the intervals of overlaps."""

    def is_heard(self, coverage: Coverage) -> bool:
        """Whether enough of a plan was heard to be compared; nothing is asked of no plan."""
        share = coverage.heard_share
        return share is None or share >= self.min_heard - ROUNDING


@dataclass(frozen=True, slots=True)
class Side:
    """One sample's part in a change."""

    share: float | None
    """Mean-per-answer share on the matched prompts; what the test compares."""
    pooled: Rate
    """Raw counts on the matched prompts: the headline level."""
    prompts: int
    """Prompts citing the family, or with something assessed of the measure."""

    @property
    def levels_differ(self) -> bool:
        """Whether both shares must be shown: they lie more than half a point apart."""
        value = self.pooled.value
        return value is not None and self.share is not None and abs(value - self.share) > 0.005


@dataclass(frozen=True, slots=True)
class PairedTest:
    """Difference of a share with its error, interval and permutation test."""

    difference: float
    standard_error: float
    interval: Interval
    p_value: float
    adjusted: float | None
    """p after Benjamini-Hochberg over the eligible ones; None where not eligible."""
    smallest_detectable: float | None
    """Change that would be found with 80 % power: 2.8 standard errors."""


@dataclass(frozen=True, slots=True)
class Change:
    """One family's share or one measure, before and after."""

    subject: Subject
    name: str
    """Source family, or measure."""
    before: Side
    after: Side
    test: PairedTest | None
    """None where only counts are given."""
    prompts: int
    """Prompts citing the family in either sample, or assessed for the measure in either."""
    counted: float
    """Citations of the family, or the measure's total, over both samples."""
    verdict: ChangeVerdict
    because: str
    appearance: Appearance | None = None

    @property
    def is_tested(self) -> bool:
        """Whether it took part in the false discovery rate: there was enough for a test."""
        return self.test is not None and self.test.adjusted is not None

    @property
    def difference(self) -> float | None:
        """After minus before, as a fraction; None where one side has no share."""
        if self.before.share is None or self.after.share is None:
            return None
        return self.after.share - self.before.share


@dataclass(frozen=True, slots=True)
class ConcentrationTest:
    """Change of the cross-prompt HHI, paired by prompt, on the log scale."""

    ratio: float
    """HHI after / HHI before; above 1 is more concentrated, on fewer effective sources."""
    interval: Interval
    """Of the ratio."""
    p_value: float
    adjusted: float | None = None
    """p after Benjamini-Hochberg, together with the measures; None where not eligible."""

    @property
    def effective_change(self) -> float:
        """Change of effective sources (1 / HHI) as a part of the larger, in (-1, 1)."""
        return 1 / self.ratio - 1 if self.ratio > 1 else 1 - self.ratio


@dataclass(frozen=True, slots=True)
class ConcentrationChange:
    """Concentration of citations on families, before and after, on the matched prompts."""

    before: Concentration
    """Plug-in HHI of the pooled counts, the headline, with the cross-prompt estimate beside it."""
    after: Concentration
    test: ConcentrationTest | None
    reason: NoEstimate | None
    """Why there is no test; None where there is one."""
    prompts: int
    """Matched prompts that cite a family in either sample."""
    verdict: ChangeVerdict
    because: str

    @property
    def difference(self) -> float | None:
        """Headline HHI after minus before; None where one side has none."""
        if self.before.hhi is None or self.after.hhi is None:
            return None
        return self.after.hhi - self.before.hhi


@dataclass(frozen=True, slots=True)
class OverlapLevel:
    """Mean over prompts of the Jaccard overlap of cited families, in [0, 1]."""

    mean: float | None
    interval: Interval | None
    prompts: int
    """Prompts with an overlap."""
    undefined: int = 0
    """Matched prompts without one: a single answer, or no family cited."""
    reason: NoEstimate | None = None
    """Why there is no interval; None where there is one."""


@dataclass(frozen=True, slots=True)
class OverlapChange:
    """How alike repeats of a prompt are, before and after; never an alert by itself.

    An overlap grows with the number of families an answer cites: a change of that is told beside.
    """

    before: OverlapLevel
    after: OverlapLevel
    difference: float | None
    """Mean after minus before, each over its own defined prompts."""
    interval: Interval | None
    verdict: ChangeVerdict
    because: str
    reason: NoEstimate | None = None
    """Why there is no interval; None where there is one."""
    dropped: int = 0
    """Resamples without a value."""


@dataclass(frozen=True, slots=True)
class Gates:
    """What must hold before any change is called one."""

    matched: int
    panel: int
    """Prompts of the larger of the two samples."""
    heard_before: float | None
    """Heard / planned captures; None where the plan is not known."""
    heard_after: float | None
    failures: tuple[str, ...] = ()
    """What failed, in words; empty when everything holds."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two samples of one engine's answers to the same prompts, compared."""

    engine: str
    panel_version: str
    before_id: str
    after_id: str
    gates: Gates
    events: tuple[Event, ...]
    families: tuple[Change, ...]
    measures: tuple[Change, ...]
    seed: int
    rules: ChangeRules
    left_out: tuple[LeftOut, ...] = ()
    """Prompts that are not the same on both sides, or not answered; ordered by reason."""
    concentration: ConcentrationChange | None = None
    """None where a gate failed, and in comparisons stored before there was one."""
    stability: OverlapChange | None = None
    """Overlap between repeats of a prompt, before against after; None as above."""
    overlap: OverlapLevel | None = None
    """Overlap between answers before and answers after to the same prompt; None as above."""

    @property
    def is_comparable(self) -> bool:
        """Whether all gates hold."""
        return not self.gates.failures

    @property
    def changed(self) -> tuple[Change, ...]:
        """Everything called changed, families first."""
        every = (*self.families, *self.measures)
        return tuple(c for c in every if c.verdict is ChangeVerdict.CHANGED)

    @property
    def detectable(self) -> tuple[float, ...]:
        """Change that would be found four times in five, of the share of every tested family."""
        tests = (c.test for c in self.families if c.is_tested)
        return tuple(
            t.smallest_detectable for t in tests if t and t.smallest_detectable is not None
        )

    @property
    def verdict(self) -> ChangeVerdict:
        """The strongest thing that can be said of the two samples as a whole.

        Families, measures and concentration speak; the overlap, which has no p value, does not.
        """
        if not self.is_comparable:
            return ChangeVerdict.NOT_COMPARABLE
        said = {c.verdict for c in (*self.families, *self.measures)}
        if self.concentration:
            said.add(self.concentration.verdict)
        order = (ChangeVerdict.CHANGED, ChangeVerdict.WATCH, ChangeVerdict.NO_CLEAR_CHANGE)
        return next((v for v in order if v in said), ChangeVerdict.NOT_ENOUGH_DATA)
