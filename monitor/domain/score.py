"""Numbers with their counts: rates, bounds, tallies and scorecards.

Undefined is a value with a reason, never 0 and never NaN. Rates are stored as counts; the value
is derived. Nothing here blends measures into one.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from types import MappingProxyType


class UndefinedReason(StrEnum):
    """Why a measure has no value."""

    NO_BASELINE = "no_baseline"
    BASELINE_STALE = "baseline_stale"
    NO_REQUIRED = "no_required"
    NO_ANSWERED = "no_answered"
    NO_VISIBLE = "no_visible"
    NOT_EXPOSED = "not_exposed"
    NOT_JUDGED = "not_judged"
    """Nobody asked for the verdicts it rests on."""
    NO_CRAWLER = "no_crawler"
    """No crawler is known that decides for the engine."""
    NOT_CHECKED = "not_checked"
    """`monitor eligibility` looked at none of it."""


@dataclass(frozen=True, slots=True)
class Undefined:
    """A measure that was not measured, and why."""

    reason: UndefinedReason


@dataclass(frozen=True, slots=True)
class Interval:
    """Lower and upper end at a confidence level, with the method's name."""

    low: float
    high: float
    level: float = 0.95
    method: str = ""


def interval_json(interval: Interval | None) -> dict[str, float | str] | None:
    """An interval as JSON values: both ends, level and method; null where there is none."""
    if interval is None:
        return None
    return {
        "low": interval.low,
        "high": interval.high,
        "level": interval.level,
        "method": interval.method,
    }


@dataclass(frozen=True, slots=True)
class Bounds:
    """What the value could be once the not assessable part is known (no sampling error)."""

    low: float
    high: float


_EMPTY: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Rate:
    """Hits of a total, and what could not be assessed, by reason.

    `hits` may be fractional where a stated policy gives half credit. `total` is the assessed
    number; `not_assessable` stands beside it and widens the bounds.
    """

    hits: float
    total: float
    not_assessable: Mapping[str, float] = field(default_factory=lambda: _EMPTY)

    def __post_init__(self) -> None:
        """Refuse impossible counts."""
        if self.total < 0 or self.hits < 0 or self.hits > self.total + 1e-9:
            raise ValueError(f"impossible rate: {self.hits} of {self.total}")
        if self.not_assessable and any(n < 0 for n in self.not_assessable.values()):
            raise ValueError(f"negative not assessable count in {dict(self.not_assessable)}")

    @property
    def value(self) -> float | None:
        """Hits of the total, or None when nothing was assessed."""
        return self.hits / self.total if self.total else None

    @property
    def unresolved(self) -> float:
        """How many could not be assessed, over all reasons."""
        return sum(self.not_assessable.values())

    @property
    def assessed_share(self) -> float | None:
        """Assessed / all, or None when there was nothing at all."""
        everything = self.total + self.unresolved
        return self.total / everything if everything else None

    @property
    def bounds(self) -> Bounds | None:
        """Value if all not assessable ones were misses, and if all were hits."""
        everything = self.total + self.unresolved
        if not everything:
            return None
        return Bounds(self.hits / everything, (self.hits + self.unresolved) / everything)

    def __add__(self, other: "Rate") -> "Rate":
        """Pool counts; reasons add."""
        return summed((self, other))


Measured = Rate | Undefined


def summed(rates: Sequence[Rate]) -> Rate:
    """Counts of one rate or more in one; reasons add."""
    hits, total = rates[0].hits, rates[0].total
    reasons = dict(rates[0].not_assessable)
    for rate in rates[1:]:
        hits += rate.hits
        total += rate.total
        for reason, n in rate.not_assessable.items():
            reasons[reason] = reasons.get(reason, 0) + n
    return Rate(hits, total, reasons)


def pooled(parts: Iterable[Measured]) -> Measured:
    """Sum of the rates among `parts`; Undefined with the commonest reason when there is none."""
    rates: list[Rate] = []
    reasons: dict[UndefinedReason, int] = {}
    for part in parts:
        if isinstance(part, Rate):
            rates.append(part)
        else:
            reasons[part.reason] = reasons.get(part.reason, 0) + 1
    if rates:
        return summed(rates)
    if reasons:
        return Undefined(max(reasons, key=lambda r: (reasons[r], r.value)))
    return Undefined(UndefinedReason.NO_ANSWERED)


MATRIX_MEASURES = frozenset(
    {
        "matrix_citation_accuracy",
        "matrix_thoroughness",
        "matrix_unsupported_statements",
        "uncited_sources",
        "source_necessity",
    }
)
"""Measures read from the support matrix: levels, of which no change is tested or told."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Counts of one capture: a rate per measure, per measure and category, and per family."""

    prompt_id: str
    repeat: int
    measures: Mapping[str, Measured]
    """Measure name -> counts of this capture."""
    categories: Mapping[tuple[str, str], Measured] = field(
        default_factory=lambda: MappingProxyType({})
    )
    """(measure, claim category) -> counts."""
    families: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Family -> visible pages cited; unresolved ones are under UNRESOLVED_FAMILY."""
    groups: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    """Family -> visible evidence groups credited to it (a copied text counts once)."""
    required: Mapping[str, Rate] = field(default_factory=lambda: MappingProxyType({}))
    """Key of a required baseline source -> cited (1 of 1), not (0 of 1), or not assessable."""

    @property
    def answered(self) -> bool:
        """Whether the capture was answered: no measure is undefined for want of an answer."""
        absent = UndefinedReason.NO_ANSWERED
        # No generator: it takes half as long again, and each answer is asked many times.
        for part in self.measures.values():
            if isinstance(part, Undefined) and part.reason is absent:
                return False
        return True

    @property
    def cited_families(self) -> frozenset[str]:
        """Families cited visibly; citations of unknown family belong to none."""
        return frozenset(f for f, n in self.families.items() if n and f != UNRESOLVED_FAMILY)


UNRESOLVED_FAMILY = "?"
"""Key under which citations of unknown family are counted; never a publisher."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure's value for one sample: counts, value, sampling interval, bounds."""

    name: str
    rate: Measured
    interval: Interval | None = None
    prompts: int = 0
    """Prompts behind the counts: the number of clusters."""


@dataclass(frozen=True, slots=True)
class FamilyShare:
    """One family's part of all visible citations of a sample."""

    family: str
    rate: Rate
    interval: Interval | None
    independent: Rate
    """The same with every evidence group counted once per capture."""
    prompts: int
    """Prompts with at least one answer citing it."""
    bounds: Bounds | None = None


@dataclass(frozen=True, slots=True)
class Concentration:
    """HHI of a sample: the plug-in, its bounds, and the cross-prompt estimate beside it."""

    hhi: float | None
    effective_sources: float | None
    bounds: Bounds | None
    citations: int
    families: int
    cross_prompt: float | None = None
    cross_prompt_interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Coverage:
    """Captures by state and outcome: printed beside every rate."""

    planned: int
    attempted: int
    heard: int
    answered: int
    outcomes: Mapping[str, int]
    """`outcome` or `outcome/reason` -> captures."""

    @property
    def heard_share(self) -> float | None:
        """Heard / planned captures; None without a plan."""
        return self.heard / self.planned if self.planned else None


@dataclass(frozen=True, slots=True)
class Scorecard:
    """One engine's measures for one run (and one segment), with the recipe that made them."""

    panel: str
    run: str
    engine: str
    segment: str
    """`all`, or `field=value`."""
    coverage: Coverage
    measures: Mapping[str, Measure]
    families: tuple[FamilyShare, ...]
    concentration: Concentration
    independent_concentration: Concentration
    signature: str
    recipe: str
    """Hash of the recipe part of the signature."""
    uncited: Interval | None = None
    """Interval of the share of a family that no answer cites: 0 at its lower end alone.

    None with too few prompts, and in scorecards stored before there was one.
    """
