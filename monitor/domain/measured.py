"""How well a judge agrees with people, as it was measured: what a report says beside a rate."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Fitted(StrEnum):
    """Whether a judge's weights saw the rows that it was measured on."""

    NO = "false"
    YES = "true"
    """The figures flatter: the weights were fitted on these very rows."""
    OUT_OF_FOLD = "out_of_fold"
    """Each row was judged by weights that did not see it, nor any row of its question."""


@dataclass(frozen=True, slots=True)
class PeopleFigures:
    """A judge's verdicts beside people's labels of one set, in the binary view full or not."""

    corpus: str
    sha256: str
    """Of the set's bytes."""
    rows: int
    fitted: Fitted
    licence: str
    """What may be done with the set, in a few words."""
    macro_f1: float
    """Mean over sources of the two-class F1 at score 0.5, in [0, 1]."""
    decided: int
    """Rows on which the judge committed itself."""
    right: int
    """Decided rows on which judge and people both say full, or both not."""
    kappa: float | None
    """Cohen's kappa over decided rows; None where it has no value."""
    alpha: float | None
    """Krippendorff's alpha over decided rows; None where it has no value."""
    ranking: Mapping[str, float]
    """Probability that a full row scores above one of another label (AUROC), by that label."""

    @property
    def decided_share(self) -> float:
        """Share of rows on which the judge committed itself."""
        return self.decided / self.rows

    @property
    def right_share(self) -> float | None:
        """Share of decided rows that it got right; None where it decided none."""
        return self.right / self.decided if self.decided else None


@dataclass(frozen=True, slots=True)
class FlaggedFigures:
    """Pairs of one kind in one half of the perturbation suite, and how many were flagged."""

    half: str
    """`open`: rules may be tuned on it; `blind`: only measured."""
    kind: str
    """What was changed in the claims, or in which way they say what their passage says."""
    changed: bool
    """Whether the passage does not support these claims in full; else it does, and to accuse one
    is a false alarm."""
    pairs: int
    flagged: int
    """Pairs whose verdict is anything but full."""
    accused: int
    """Of those, pairs that got a verdict: what was left open is flagged, and no accusation."""

    @property
    def share(self) -> float:
        """Share of the pairs that was flagged."""
        return self.flagged / self.pairs


@dataclass(frozen=True, slots=True)
class MeasuredFigures:
    """What was measured of one version of a judge."""

    judge: str
    """Name and version, for example embedded@1."""
    day: str
    """ISO day on which it was measured."""
    headline: PeopleFigures
    """The set nearest to answers of engines with their cited pages."""
    people: tuple[PeopleFigures, ...]
    """Every set, the one of the headline among them."""
    suite: tuple[FlaggedFigures, ...]
    """Empty while the suite was not run."""

    def flagged(self, *halves: str) -> tuple[int, int]:
        """Flagged and all changed pairs of these halves, or of every half."""
        return _sums(one for one in self._of(halves) if one.changed)

    def false_alarms(self, *halves: str) -> tuple[int, int]:
        """Accused and all unchanged pairs of these halves; what is left open accuses nobody."""
        kept = [one for one in self._of(halves) if not one.changed]
        return sum(one.accused for one in kept), sum(one.pairs for one in kept)

    def _of(self, halves: tuple[str, ...]) -> list[FlaggedFigures]:
        return [one for one in self.suite if not halves or one.half in halves]


def _sums(found: Iterable[FlaggedFigures]) -> tuple[int, int]:
    kept = tuple(found)
    return sum(one.flagged for one in kept), sum(one.pairs for one in kept)
