"""The judge in a report: who judged, how far it agrees with people, what their labels correct."""

from dataclasses import dataclass

from monitor.domain.measured import Fitted, MeasuredFigures, PeopleFigures
from monitor.domain.score import Rate
from monitor.domain.trust import (
    NEEDED,
    CorrectedMeasure,
    JudgeTrust,
    PanelAgreement,
    PanelLabels,
)
from monitor.report.numbers import NOT_MEASURED, interval, percent, rate_text
from monitor.report.view import ReportView
from monitor.report.words import plural
from monitor.statistics import cohen_kappa


@dataclass(frozen=True, slots=True)
class TrustRow:
    """One thing that is known of the judge: what was held against what, counts, share."""

    what: str
    against: str
    counts: str
    share: str
    """In percent with its interval where there is one."""


@dataclass(frozen=True, slots=True)
class CorrectedRow:
    """One judged measure of one engine beside its corrected rate."""

    engine: str
    measure: str
    judged: str
    corrected: str


@dataclass(frozen=True, slots=True)
class TrustSection:
    """Everything a report says of its judge."""

    line: str
    """One sentence for the first page."""
    rows: tuple[TrustRow, ...]
    corrected: tuple[CorrectedRow, ...]
    notes: tuple[str, ...]


def trust_section(view: ReportView) -> TrustSection | None:
    """The judge of a report and how far it may be trusted; None where nobody told."""
    trust = view.trust
    if trust is None:
        return None
    labels = {engine.name: engine.label for engine in view.engines}
    shown = [one for one in trust.corrected if one.value is not None]
    return TrustSection(
        line=judge_line(trust),
        rows=(*_measured_rows(trust.measured), *_panel_rows(trust.here)),
        corrected=tuple(
            CorrectedRow(
                labels.get(one.engine, one.engine),
                note.label if (note := view.measures.get(one.measure)) else one.measure,
                judged_text(one),
                corrected_text(one),
            )
            for one in shown
        ),
        notes=trust.notes,
    )


def judge_line(trust: JudgeTrust) -> str:
    """The judge, its measured agreement, and its agreement on this panel, in one sentence."""
    parts = [f"Judge: {trust.judge}", *_shipped(trust.measured)]
    agreement = trust.here.agreement if trust.here else None
    if agreement is not None:
        right, kappa = _full_or_not(agreement)
        parts.append(
            f"here: {_SCALE}, on {percent(right / agreement.pairs)} of "
            f"{plural(agreement.pairs, 'labelled pair')}, {_kappa(kappa)}"
        )
    elif trust.here is not None:
        parts.append(f"here: {trust.here.both} of {NEEDED} labels")
    if len(parts) == 1:
        parts.append("nobody measured yet how far it agrees with people")
    return "; ".join(parts)


_SCALE = "fully supported or not"
"""What judge and people are compared on, on the first page: the scale of what ships."""


def _full_or_not(one: PanelAgreement) -> tuple[int, float | None]:
    """Pairs that both call full or both do not, and kappa of these two classes."""
    both_full = one.confusion[0][0]
    only_people = sum(one.confusion[0]) - both_full
    only_judge = sum(row[0] for row in one.confusion) - both_full
    neither = one.pairs - both_full - only_people - only_judge
    kappa = cohen_kappa([[both_full, only_people], [only_judge, neither]])
    return both_full + neither, kappa.value


def _kappa(value: float | None) -> str:
    """Agreement beyond chance in words."""
    return "kappa not measured" if value is None else f"kappa {value:.2f}"


def _shipped(figures: MeasuredFigures | None) -> list[str]:
    """What was measured of this version before it was shipped."""
    if figures is None:
        return []
    said = []
    best = figures.headline
    if best.right_share is not None:
        said.append(
            f"{_SCALE}, it agrees with people on {percent(best.right_share)} of "
            f"{best.decided:,} labelled claims it decided ({_set_name(best)}), "
            f"{_kappa(best.kappa)}"
        )
    flagged, changed = figures.flagged(_BLIND)
    if changed:
        said.append(f"notices {percent(flagged / changed)} of {changed:,} changed claims")
    return said


_FITTED = {
    Fitted.NO: "",
    Fitted.YES: "; its weights were fitted on these very claims, which flatters",
    Fitted.OUT_OF_FOLD: "; by weights that did not see them",
}


_BLIND = "blind"
"""Half of the suite that rules may not be tuned on: the one for the first page."""

_HALVES = {_BLIND: "half that no rule was tuned on", "open": "half that rules may be tuned on"}


def _set_name(one: PeopleFigures) -> str:
    """Name of a set of labelled claims, for a reader."""
    return one.corpus.replace("_", " ")


def _measured_rows(figures: MeasuredFigures | None) -> tuple[TrustRow, ...]:
    """Rows of the figures that ship."""
    if figures is None:
        return ()
    rows = [
        TrustRow(
            "Agrees with people: fully supported or not",
            f"{_set_name(one)}, {one.rows:,} claims, {one.decided:,} decided; "
            f"{_kappa(one.kappa)}{_FITTED[one.fitted]}",
            f"{one.right:,} of {one.decided:,}",
            percent(one.right_share),
        )
        for one in figures.people
    ]
    for half in sorted({one.half for one in figures.suite}):
        against = f"perturbation suite, {_HALVES.get(half, half)}"
        for what, (hits, total) in (
            ("Does not call full a claim that was changed", figures.flagged(half)),
            ("Accuses a claim that was not", figures.false_alarms(half)),
        ):
            if total:
                share = percent(hits / total)
                rows.append(TrustRow(what, against, f"{hits:,} of {total:,}", share))
    return tuple(rows)


def _panel_rows(here: PanelLabels | None) -> tuple[TrustRow, ...]:
    """Rows of the panel's own labels."""
    if here is None:
        return ()
    what = "Agrees with people on this panel: one of four classes"
    if here.agreement is None:
        return (TrustRow(what, "labels of this panel", f"{here.both} of {NEEDED} labels", ""),)
    one = here.agreement
    ends = f" ({interval(one.raw.interval)})" if one.raw.interval else ""
    right, kappa = _full_or_not(one)
    left = f", {here.left_open} left open" if here.left_open else ""
    return (
        TrustRow(
            f"Agrees with people on this panel: {_SCALE}",
            f"labels of this panel{left}; {_kappa(kappa)}",
            f"{right} of {one.pairs}",
            percent(right / one.pairs),
        ),
        TrustRow(
            what,
            f"labels of this panel{left}; {_kappa(one.kappa.value)}",
            f"{one.agreeing} of {one.pairs}",
            f"{percent(one.raw.value)}{ends}",
        ),
    )


def judged_text(one: CorrectedMeasure) -> str:
    """The judge's own rate with its counts."""
    if not isinstance(one.judged, Rate):
        return NOT_MEASURED
    return rate_text(one.judged, one.judged_interval)


def corrected_text(one: CorrectedMeasure) -> str:
    """The corrected rate with its interval and labels; with too few, how many there are."""
    if one.value is None:
        return (
            f"{one.labelled} of {NEEDED} labels needed" if one.labelled < NEEDED else NOT_MEASURED
        )
    ends = f", {interval(one.interval)}" if one.interval else ""
    return f"{percent(one.value)}{ends} by {plural(one.labelled, 'label')} of {one.pairs} pairs"
