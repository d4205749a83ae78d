"""The judge of a run: how far it agrees with people, and the rates that their labels correct."""

from monitor.domain.access import Role, Visitor
from monitor.domain.trust import JudgeTrust
from monitor.pipeline.bench import Bench
from monitor.pipeline.label_desk import has_open
from monitor.pipeline.trusting import count_labels, run_trust
from monitor.report.screens.trust import TrustScreen, trust_screen, trust_table
from monitor.report.view import ReportView
from monitor.store import runs, scores, support_labels
from monitor.web.access.visiting import VisitorOf
from monitor.web.counting import StillCountingError
from monitor.web.desk import Desk
from monitor.web.pages.finding import DeskOf, RunOf
from monitor.web.screens import Screen

_SOON = 0.25
"""Seconds that a page waits which shows other things as well."""
_PATIENCE = 2.0


_BLIND = (
    "What people say is not shown to you while you have pairs of this panel to label: you label "
    "without knowing where others disagree."
)


def load_trust(desk: DeskOf, run: RunOf, who: VisitorOf) -> TrustScreen:
    """How far the judge of a run agrees with people, and what their labels correct."""
    return trust_of(desk, run, who, patience=_PATIENCE)


def trust_of(desk: Desk, run: runs.Run, who: Visitor, *, patience: float = _SOON) -> TrustScreen:
    """Trust in a run's judge, counted in the background; says so while it is being counted.

    Who has pairs to label and does not lead is told nothing of other people's labels.
    """
    is_lead = who.role.covers(Role.ADMIN)
    withheld = "" if is_lead or not has_open(desk.bench, run.panel, who.name) else _BLIND
    view = desk.view(run)
    key = (
        "trust",
        run.id,
        desk.bench.read(lambda c: support_labels.label_mark(c, run.panel)),
        desk.bench.read(lambda c: scores.scoring_mark(c, run.id)),
    )
    try:
        found = desk.counting.get(key, lambda: _trust(desk.bench, run), patience=patience)
    except StillCountingError:
        return trust_screen(view, None, counting=True)
    signatures = _signatures(view, found)
    return trust_screen(view, found, signatures=signatures, withheld=withheld)


def _signatures(view: ReportView, trust: JudgeTrust | None) -> tuple[str, ...]:
    """Signatures of the engines that labels correct, with their number."""
    cards = [engine.card for engine in view.engines]
    counted = count_labels(cards, trust)
    return tuple(
        now.signature
        for before, now in zip(cards, counted, strict=True)
        if now.signature != before.signature
    )


def _trust(bench: Bench, run: runs.Run) -> JudgeTrust | None:
    return run_trust(bench, run, bench.read(lambda c: scores.load_scorecards(c, run.id)))


SCREENS = (
    Screen("/runs/{run}/trust", load_trust, TrustScreen, "trust.html.j2", table=trust_table),
)
