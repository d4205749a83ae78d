"""Labelling pair by pair: what an annotator has to do, gives, and takes back.

Labels are only ever inserted. Who gives one names the newest row that was seen, so that what
another window stored meanwhile is told and not buried.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from monitor.domain.claim import Support
from monitor.errors import MonitorError, StoreError
from monitor.pipeline.bench import Bench
from monitor.store import Connection, label_plans, support_labels
from monitor.store.label_plans import Assignment, LabelPlan
from monitor.store.support_labels import DrawnPair, LabelDraw, PairKey, SupportLabel

MOST_SECONDS = 600.0
"""Longest time that is kept for one label: who looks longer was away."""
LONGEST_NOTE = 4_000


class NotAssignedError(MonitorError):
    """A pair is not this annotator's to label."""


class LabelRefusedError(MonitorError):
    """A label lacks something, such as its reason."""


class OtherLabelError(StoreError):
    """Another window of the same annotator labelled the pair meanwhile, or took a label back."""


@dataclass(frozen=True, slots=True)
class Planned:
    """A plan with the pairs of its draw; neither ever changes."""

    plan: LabelPlan
    draw: LabelDraw

    def positions_of(self, annotator: str | None) -> tuple[int, ...]:
        """Places of the pairs that an annotator labels, in order."""
        return tuple(one.position for one in self.plan.assignments if annotator in one.annotators)

    def pair(self, position: int) -> DrawnPair:
        """The pair at a place."""
        return self.draw.pairs[position - 1]

    def assignment(self, position: int) -> Assignment:
        """Who labels the pair at a place, and what is shown of it."""
        return self.plan.assignments[position - 1]

    def has(self, position: int) -> bool:
        """Whether there is such a place."""
        return 1 <= position <= len(self.plan.assignments)


@dataclass(frozen=True, slots=True)
class OwnWork:
    """What one annotator has of a plan."""

    positions: tuple[int, ...]
    labelled: Mapping[int, SupportLabel]
    """Place -> the label that counts."""
    newest: Mapping[int, int]
    """Place -> newest row, one that takes a label back among them; 0 where there is none."""

    @property
    def open(self) -> tuple[int, ...]:
        """Places without a label."""
        return tuple(at for at in self.positions if at not in self.labelled)

    @property
    def last(self) -> tuple[int, SupportLabel] | None:
        """The label given last that still counts, with its place."""
        found = self.labelled.items()
        return max(found, key=lambda one: one[1].id, default=None)

    def next_open(self, after: int = 0) -> int | None:
        """The next place without a label, from the first one again at the end."""
        later = (at for at in self.open if at > after)
        return next(later, next(iter(self.open), None))


@dataclass(frozen=True, slots=True)
class Given:
    """A label as it is handed in."""

    annotator: str
    support: Support
    note: str | None
    seconds: float | None
    seen: int
    """Newest row of this annotator for this pair that was seen; 0 for none."""


def load_planned(bench: Bench, plan_id: int) -> Planned | None:
    """A plan with its pairs."""
    plan = bench.read(lambda c: label_plans.load_plan(c, plan_id))
    return None if plan is None else with_pairs(bench, plan)


def with_pairs(bench: Bench, plan: LabelPlan) -> Planned:
    """A plan beside the pairs of its draw; StoreError where the draw is not there."""
    draw = bench.read(lambda c: support_labels.load_draw(c, plan.draw))
    if draw is None:
        raise StoreError(f"plan {plan.id}: the store has no draw {plan.draw}; restore a backup")
    return Planned(plan, draw)


def own_work(bench: Bench, planned: Planned, annotator: str | None) -> OwnWork:
    """What an annotator has of a plan, done or not."""
    if annotator is None:
        return work_of(planned, None, ())
    history = bench.read(
        lambda c: support_labels.load_label_history(c, planned.plan.panel, annotator=annotator)
    )
    return work_of(planned, annotator, history)


_PLANS = 200
"""Newest plans of a panel in which open pairs are looked for."""


def has_open(bench: Bench, panel: str, annotator: str | None) -> bool:
    """Whether an annotator has pairs of a panel to label that have no label of theirs."""
    if annotator is None:
        return False
    plans = bench.read(lambda c: label_plans.load_plans(c, panel, limit=_PLANS))
    mine = (one for one in plans if annotator in one.annotators)
    return any(own_work(bench, with_pairs(bench, one), annotator).open for one in mine)


def still_open(
    connection: Connection, panel: str, given: Mapping[PairKey, Iterable[SupportLabel]]
) -> frozenset[PairKey]:
    """Of pairs and their labels that count, those that somebody has to label still."""
    named = {pair: {one.annotator for one in labels} for pair, labels in given.items()}
    found: set[PairKey] = set()
    for plan in label_plans.load_plans(connection, panel, limit=_PLANS) if named else ():
        draw = support_labels.load_draw(connection, plan.draw)
        for one in plan.assignments if draw else ():
            pair = draw.pairs[one.position - 1].pair if draw else None
            if pair in named and not named[pair].issuperset(one.annotators):
                found.add(pair)
    return frozenset(found)


def work_of(planned: Planned, annotator: str | None, history: Iterable[SupportLabel]) -> OwnWork:
    """What an annotator has of a plan, by all that was ever labelled of its panel.

    Who has no name has nothing.
    """
    mine = [one for one in history if one.annotator == annotator]
    positions = planned.positions_of(annotator)
    counts = {one.pair: one for one in support_labels.counting(mine)}
    newest: dict[PairKey, int] = {one.pair: one.id for one in mine}
    keys = {at: planned.pair(at).pair for at in positions}
    return OwnWork(
        positions,
        {at: counts[key] for at, key in keys.items() if key in counts},
        {at: newest.get(key, 0) for at, key in keys.items()},
    )


def give(bench: Bench, planned: Planned, position: int, given: Given) -> SupportLabel:
    """Store a label, and what is stored; the same one twice is stored once.

    NotAssignedError where the pair is another's, LabelRefusedError where `not_assessable` lacks a
    reason, OtherLabelError where another window was faster and said something else.
    """
    pair = planned.pair(position)
    if given.annotator not in planned.assignment(position).annotators:
        raise NotAssignedError(
            f"pair {position} of plan {planned.plan.id} is not assigned to {given.annotator}; "
            "label those that are: the list is under /label"
        )
    label = SupportLabel(
        pair.pair,
        pair.claim,
        pair.evidence,
        given.support,
        given.annotator,
        planned.plan.guideline,
        _note(given),
        labelled_at=(at := bench.clock.now()),
        seconds=_seconds(given.seconds),
    )

    def save(connection: Connection) -> SupportLabel:
        panel = planned.plan.panel
        support_labels.hold_labels(connection, panel)
        known = support_labels.load_label_history(
            connection, panel, annotator=given.annotator, pair=pair.pair
        )
        counts = next(iter(support_labels.counting(known)), None)
        if counts is not None and _says(counts) == _says(label):
            return counts
        if given.seen != (known[-1].id if known else 0):
            raise OtherLabelError(
                "another window of yours labelled this pair meanwhile, or took its label back; "
                "nothing was stored: look at both and label again"
            )
        return replace(label, id=support_labels.save_label(connection, panel, label, at=at))

    return bench.write(save)


def take_back(bench: Bench, planned: Planned, annotator: str, label_id: int) -> int:
    """Take one's own last label of a plan back, by a row that says so; its place.

    A label that was taken back already stays so; OtherLabelError where it is not the last one.
    """
    at = bench.clock.now()

    def save(connection: Connection) -> int:
        panel = planned.plan.panel
        support_labels.hold_labels(connection, panel)
        history = support_labels.load_label_history(connection, panel, annotator=annotator)
        work = work_of(planned, annotator, history)
        known = next((one for one in history if one.id == label_id and not one.withdrawn), None)
        place = next((p for p in work.positions if known and planned.pair(p).pair == known.pair), 0)
        if known is None or not place:
            raise OtherLabelError(
                f"no label {label_id} of {annotator} in plan {planned.plan.id}; nothing was taken "
                "back"
            )
        if work.last is not None and work.last[1].id == label_id:
            taken = replace(known, note=None, seconds=None, withdrawn=True, labelled_at=at)
            support_labels.save_label(connection, panel, taken, at=at)
        elif label_id not in support_labels.taken_back(history):
            raise OtherLabelError(
                "another window of yours labelled a pair after this one; nothing was taken back"
            )
        return place

    return bench.write(save)


def _says(one: SupportLabel) -> tuple[Support, str, str | None]:
    return one.support, one.guideline, one.note


def _note(given: Given) -> str | None:
    """The reason or note; LabelRefusedError where it is wanting or too long."""
    note = (given.note or "").strip()
    if len(note) > LONGEST_NOTE:
        raise LabelRefusedError(f"reason: {len(note)} characters; expected at most {LONGEST_NOTE}")
    if not note and given.support is Support.NOT_ASSESSABLE:
        raise LabelRefusedError(
            "reason: got none; `not assessable` takes one, such as: the text is cut off"
        )
    return note or None


def _seconds(told: float | None) -> float | None:
    """Seconds within bounds; LabelRefusedError for what is no time."""
    if told is None:
        return None
    if not told >= 0:
        raise LabelRefusedError(f"seconds {told}: expected 0 or more")
    return min(told, MOST_SECONDS)
