"""Trust in a judge as JSON values; fields may be added, never renamed."""

from collections.abc import Mapping
from typing import Any

from monitor.domain.measured import MeasuredFigures, PeopleFigures
from monitor.domain.score import Rate, Scorecard, interval_json
from monitor.domain.trust import (
    CLASSES,
    NEEDED,
    CorrectedMeasure,
    Figure,
    JudgeTrust,
    PanelAgreement,
    PanelLabels,
)
from monitor.scoring.segments import EVERYTHING


def trust_json(trust: JudgeTrust) -> dict[str, Any]:
    """What ships of a judge, what the panel's labels say of it, and what they correct."""
    return {
        "judge": trust.judge,
        "measured": _measured(trust.measured),
        "labels": labels_json(trust.here),
        "corrected": [
            {"engine": one.engine, "measure": one.measure, **_judged(one), **_corrected(one)}
            for one in trust.corrected
        ],
        "notes": list(trust.notes),
    }


def agreement_json(trust: JudgeTrust | None) -> dict[str, Any]:
    """How a judge agrees with people, in few numbers; null where nobody measured it."""
    headline = trust.measured.headline if trust and trust.measured else None
    here = trust.here.agreement if trust and trust.here else None
    return {
        "measured": None
        if headline is None
        else {
            "corpus": headline.corpus,
            "agreeing": headline.right,
            "decided": headline.decided,
            "rows": headline.rows,
        },
        "panel": None if here is None else {"agreeing": here.agreeing, "pairs": here.pairs},
    }


def corrections_of(trust: JudgeTrust | None, card: Scorecard) -> Mapping[str, dict[str, Any]]:
    """Measure -> its corrected rate, for the scorecard of an engine's whole run alone."""
    if trust is None or card.segment != EVERYTHING:
        return {}
    return {one.measure: _corrected(one) for one in trust.corrected if one.engine == card.engine}


def _judged(one: CorrectedMeasure) -> dict[str, Any]:
    """The judge's own rate."""
    own = one.judged if isinstance(one.judged, Rate) else None
    return {
        "judged": {
            "hits": own.hits if own else None,
            "total": own.total if own else None,
            "value": own.value if own else None,
            "interval": interval_json(one.judged_interval),
        }
    }


def _corrected(one: CorrectedMeasure) -> dict[str, Any]:
    """The rate as people would have counted it; null with fewer labels than it takes."""
    return {
        "value": one.value,
        "interval": interval_json(one.interval),
        "labels": one.labelled,
        "labels_needed": NEEDED,
        "pairs": one.pairs,
        "weight": one.weight,
    }


def _measured(figures: MeasuredFigures | None) -> dict[str, Any] | None:
    """Figures that ship for this version of the judge."""
    if figures is None:
        return None
    flagged, changed = figures.flagged()
    alarms, unchanged = figures.false_alarms()
    return {
        "day": figures.day,
        "headline": figures.headline.corpus,
        "people": [_people(one) for one in figures.people],
        "suite": {
            "flagged": flagged,
            "changed": changed,
            "false_alarms": alarms,
            "unchanged": unchanged,
        },
    }


def _people(one: PeopleFigures) -> dict[str, Any]:
    return {
        "corpus": one.corpus,
        "sha256": one.sha256,
        "rows": one.rows,
        "decided": one.decided,
        "agreeing": one.right,
        "fitted_on": one.fitted.value,
        "macro_f1": one.macro_f1,
        "kappa": one.kappa,
        "alpha": one.alpha,
    }


def labels_json(here: PanelLabels | None) -> dict[str, Any] | None:
    """What people labelled of a panel; null while nobody did."""
    if here is None:
        return None
    return {
        "labelled": here.labelled,
        "disputed": here.disputed,
        "not_assessable": here.not_assessable,
        "left_open": here.left_open,
        "both_decided": here.both,
        "needed": NEEDED,
        "agreement": _agreement(here.agreement),
    }


def _agreement(one: PanelAgreement | None) -> dict[str, Any] | None:
    if one is None:
        return None
    return {
        "pairs": one.pairs,
        "agreeing": one.agreeing,
        "raw": _figure(one.raw),
        "kappa": _figure(one.kappa),
        "alpha": _figure(one.alpha),
        "classes": [support.value for support in CLASSES],
        "confusion": [list(row) for row in one.confusion],
    }


def _figure(one: Figure) -> dict[str, Any]:
    return {"value": one.value, "interval": interval_json(one.interval)}
