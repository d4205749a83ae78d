"""How a plan of labelling stands: for the lead alone, since it holds what others said."""

from collections.abc import Sequence
from dataclasses import dataclass

from monitor.baseline.agreement import Agreement
from monitor.pipeline.adjudicating import disagreements_of, support_decisions
from monitor.pipeline.bench import Bench
from monitor.pipeline.label_desk import Planned, work_of
from monitor.pipeline.label_list import between
from monitor.store import support_labels
from monitor.store.support_labels import SupportLabel


@dataclass(frozen=True, slots=True)
class PlanProgress:
    """What all annotators did of a plan."""

    by_annotator: tuple[tuple[str, int, int], ...]
    """(annotator, labelled, assigned)."""
    double: int
    """Pairs that were drawn for two annotators."""
    both: int
    """Those of them that both of theirs labelled."""
    disagreements: int
    """Pairs whose labels differ and that nobody decided since."""
    labels: tuple[SupportLabel, ...]
    """Labels of pairs that both of their annotators labelled."""


def plan_progress(bench: Bench, planned: Planned, history: Sequence[SupportLabel]) -> PlanProgress:
    """How a plan stands, by all that was ever labelled of its panel."""
    works = {who: work_of(planned, who, history) for who in planned.plan.annotators}
    doubled = [one for one in planned.plan.assignments if len(one.annotators) > 1]
    keys = {planned.pair(one.position).pair for one in planned.plan.assignments}
    here = [one for one in support_labels.counting(history) if one.pair in keys]
    decisions = support_decisions(bench, planned.plan.panel)
    open_ones = [one for one in disagreements_of(here, decisions) if not one.settled]
    given = [[works[who].labelled.get(one.position) for who in one.annotators] for one in doubled]
    both = [tuple(filter(None, labels)) for labels in given if None not in labels]
    return PlanProgress(
        tuple((who, len(work.labelled), len(work.positions)) for who, work in works.items()),
        len(doubled),
        len(both),
        len(open_ones),
        tuple(label for labels in both for label in labels),
    )


def double_agreement(planned: Planned, progress: PlanProgress) -> tuple[Agreement, ...]:
    """How far annotators agree on pairs labelled twice; nothing while there are none."""
    return between(progress.labels, [planned.draw]).measures if progress.labels else ()
