"""How far annotators of a draft agree on the sources that two of them graded."""

from collections.abc import Sequence

from monitor.baseline.agreement import Agreement, agreement
from monitor.baseline.assembling import GradedSource
from monitor.baseline.labels import Labels
from monitor.domain.keys import content_key
from monitor.domain.source import Grade
from monitor.statistics import Level

_SCALE = (Grade.OUT_OF_SCOPE, Grade.OPTIONAL, Grade.ACCEPTABLE, Grade.REQUIRED)
"""From least to most; who could not tell gave no label."""


def grade_agreement(graded: Sequence[GradedSource]) -> tuple[Agreement, ...]:
    """Raw agreement, Krippendorff's alpha over ordered grades, Gwet's AC1; none without doubles."""
    double = [one for one in graded if len(one.source.annotators) > 1]
    labels = _labels(double)
    if not labels.given:
        return ()
    seed = int(content_key([list(labels.subjects), [list(r) for r in labels.ratings]], 8), 16)
    ordered = agreement(labels, level=Level.ORDINAL, seed=seed)
    nominal = agreement(labels, level=Level.NOMINAL, seed=seed)
    wanted = {"raw_agreement", "krippendorff_alpha"}
    return (
        *(one for one in ordered.measures if one.name in wanted),
        *(one for one in nominal.measures if one.name == "gwet_ac1"),
    )


def _labels(graded: Sequence[GradedSource]) -> Labels:
    """Grades as a table of annotators x sources; sources of one prompt are resampled together."""
    names = sorted({label.annotator for one in graded for label in one.labels})
    prompts = list(dict.fromkeys(one.source.prompt for one in graded))
    given = {
        (label.annotator, place): float(_SCALE.index(label.grade))
        for place, one in enumerate(graded)
        for label in one.labels
        if label.grade in _SCALE
    }
    return Labels(
        tuple(names),
        tuple(f"{one.source.prompt} {one.source.page_hash}" for one in graded),
        tuple(one.value for one in _SCALE),
        tuple(float(place) for place in range(len(_SCALE))),
        tuple(tuple(given.get((n, place)) for place in range(len(graded))) for n in names),
        tuple(prompts.index(one.source.prompt) for one in graded),
        len(given),
    )
