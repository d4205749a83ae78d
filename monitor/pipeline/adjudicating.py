"""Pairs on which annotators disagree, and what is decided of them; their labels stay."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from monitor.domain.access import Visitor
from monitor.domain.claim import Support
from monitor.domain.moments import utc_second
from monitor.errors import StoreError
from monitor.pipeline.bench import Bench
from monitor.pipeline.label_desk import LONGEST_NOTE, LabelRefusedError
from monitor.store import Connection, adjudications, audit, support_labels
from monitor.store.adjudications import Adjudication, Subject
from monitor.store.support_labels import PairKey, SupportLabel

Decisions = Mapping[str, Adjudication]
"""Identity of a pair -> the decision that counts."""


class OtherDecisionError(StoreError):
    """Somebody decided a pair, or labelled it anew, since it was looked at."""


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A pair with the labels that differ, and what was decided of it."""

    pair: PairKey
    labels: tuple[SupportLabel, ...]
    decision: Adjudication | None

    @property
    def settled(self) -> bool:
        """Whether the decision is about these very labels."""
        return self.decision is not None and _ids(self.decision.originals) == self.seen

    @property
    def seen(self) -> tuple[int, ...]:
        """Rows of the labels: what a decision is about."""
        return tuple(sorted(one.id for one in self.labels))


@dataclass(frozen=True, slots=True)
class Decision:
    """What an adjudicator says of a pair."""

    support: Support
    reason: str
    adjudicator: str
    labels: tuple[int, ...]
    """Rows of the labels that were seen."""
    seen: int
    """Newest decision that was seen; 0 for none."""


def support_decisions(bench: Bench, panel: str) -> Decisions:
    """What was decided of a panel's pairs."""
    found = bench.read(lambda c: adjudications.load_adjudications(c, panel, Subject.SUPPORT))
    return adjudications.decided(found)


def adjudicated(bench: Bench, panel: str) -> Mapping[str, Support]:
    """Identity of a pair -> the support that was decided."""
    found = support_decisions(bench, panel)
    return {identity: support_of(one) for identity, one in found.items()}


def support_of(one: Adjudication) -> Support:
    """The support that a decision gives."""
    return Support(one.body["support"])


def disagreements(bench: Bench, panel: str) -> tuple[Disagreement, ...]:
    """Pairs of a panel whose labels differ, in the order in which they were labelled first."""
    labels = bench.read(lambda c: support_labels.load_labels(c, panel))
    return disagreements_of(labels, support_decisions(bench, panel))


def disagreements_of(
    labels: Iterable[SupportLabel], decisions: Decisions
) -> tuple[Disagreement, ...]:
    """Of labels that count, the pairs on which annotators do not say the same."""
    by_pair: dict[PairKey, list[SupportLabel]] = {}
    for one in labels:
        by_pair.setdefault(one.pair, []).append(one)
    return tuple(
        Disagreement(pair, tuple(sorted(given, key=_who)), decisions.get(pair.identity))
        for pair, given in by_pair.items()
        if len({one.support for one in given}) > 1
    )


def _who(one: SupportLabel) -> str:
    return one.annotator


def adjudicate(
    bench: Bench, panel: str, pair: PairKey, said: Decision, *, who: Visitor | None = None
) -> Adjudication:
    """Store a decision beside the labels it is about; the same one twice is stored once.

    That `who` decided is noted with it.

    LabelRefusedError without a reason, OtherDecisionError where labels or the decision are others
    than those that were seen.
    """
    reason = said.reason.strip()
    if not reason:
        raise LabelRefusedError("reason: got none; a decision takes one, for both annotators")
    if len(reason) > LONGEST_NOTE:
        raise LabelRefusedError(
            f"reason: {len(reason)} characters; expected at most {LONGEST_NOTE}"
        )
    at = bench.clock.now()

    def save(connection: Connection) -> Adjudication:
        support_labels.hold_labels(connection, panel)
        labels = support_labels.load_labels(connection, panel, pair=pair)
        known = adjudications.load_adjudications(
            connection, panel, Subject.SUPPORT, subject=pair.identity
        )
        newest = known[-1] if known else None
        made = Adjudication(
            panel, Subject.SUPPORT, pair.identity, {"support": said.support.value},
            tuple(map(original_json, labels)), reason, said.adjudicator, at,
        )  # fmt: skip
        if newest is not None and _says(newest) == _says(made):
            return newest
        if tuple(sorted(one.id for one in labels)) != tuple(sorted(said.labels)):
            raise OtherDecisionError(
                "an annotator labelled this pair anew meanwhile; nothing was stored: look at the "
                "labels again and decide"
            )
        if (newest.id if newest else 0) != said.seen:
            raise OtherDecisionError(
                "somebody decided this pair meanwhile; nothing was stored: look at both and decide"
            )
        if who is not None:
            subject = f"{panel}/{pair.identity}"
            audit.note(connection, who, "adjudicate pair", subject, at=at)
        return replace(made, id=adjudications.save_adjudication(connection, made))

    return bench.write(save)


def original_json(one: SupportLabel) -> dict[str, Any]:
    """A label as a decision keeps it."""
    return {
        "label": one.id,
        "annotator": one.annotator,
        "support": one.support.value,
        "note": one.note,
        "guideline": one.guideline,
        "saved_at": utc_second(one.saved_at) if one.saved_at else None,
    }


def _says(one: Adjudication) -> tuple[object, ...]:
    return one.body["support"], one.reason, one.adjudicator, _ids(one.originals)


def _ids(originals: Sequence[Mapping[str, Any]]) -> tuple[int, ...]:
    return tuple(sorted(one["label"] for one in originals))
