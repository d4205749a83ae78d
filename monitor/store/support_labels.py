"""Labels of people for pairs of claim and evidence, and the draws such pairs came from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, func, select

from monitor.domain.claim import Support
from monitor.domain.keys import content_key
from monitor.store.rows import alone, insert_many, insert_new, insert_one
from monitor.store.tables import adjudication, label, label_draw


@dataclass(frozen=True, slots=True)
class PairKey:
    """What a label is about: a claim and the texts that were read together."""

    claim: str
    """Hash of the claim's text."""
    evidence: str
    """Hash of the distinct hashes of the texts, sorted: as verdicts have it."""

    @property
    def identity(self) -> str:
        """One hash of both."""
        return content_key([self.claim, self.evidence])


@dataclass(frozen=True, slots=True)
class SupportLabel:
    """One label of one annotator."""

    pair: PairKey
    claim: str
    evidence: tuple[str, ...]
    """Hashes of the texts."""
    support: Support
    annotator: str
    guideline: str
    """Version of the written rules it was given by."""
    note: str | None = None
    labelled_at: datetime | None = None
    seconds: float | None = None
    """How long the annotator looked; None where nobody told."""
    id: int = field(default=0, compare=False)
    """Row of the store; 0 before it is stored."""
    withdrawn: bool = field(default=False, compare=False)
    """Takes the label before it back, and is none itself."""
    saved_at: datetime | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class DrawnPair:
    """One pair of a draw, as its file shows it."""

    name: str
    """Names draw, place and pair; what a filled file gives back."""
    prompt: str
    engine: str
    claim: str
    evidence: tuple[str, ...]
    """Hashes of the texts that were read together."""
    pair: PairKey


@dataclass(frozen=True, slots=True)
class LabelDraw:
    """A random sample of a run's pairs, in the order in which it was drawn."""

    key: str
    panel: str
    run: str
    """Public id."""
    engine: str | None
    """None where pairs of all engines could be drawn."""
    seed: int
    frame: str
    """Hash of all pairs that could be drawn."""
    frame_pairs: int
    pairs: tuple[DrawnPair, ...]


def save_draw(connection: Connection, draw: LabelDraw, *, at: datetime) -> bool:
    """Store a draw; the same one is stored once. Whether it is new."""
    row = {
        "key": draw.key,
        "panel": draw.panel,
        "run": draw.run,
        "engine": draw.engine,
        "seed": str(draw.seed),
        "frame": draw.frame,
        "frame_pairs": draw.frame_pairs,
        "pairs": [_pair_row(one) for one in draw.pairs],
        "drawn_at": at,
    }
    return insert_new(connection, label_draw, [row]) > 0


def load_draws(connection: Connection, panel: str) -> tuple[LabelDraw, ...]:
    """Draws of a panel, oldest first."""
    query = select(label_draw).where(label_draw.c.panel == panel).order_by(label_draw.c.id)
    return tuple(_draw_of(row) for row in connection.execute(query))


def load_draw(connection: Connection, key: str) -> LabelDraw | None:
    """The draw of a key."""
    row = connection.execute(select(label_draw).where(label_draw.c.key == key)).first()
    return None if row is None else _draw_of(row)


def save_labels(
    connection: Connection, panel: str, labels: Sequence[SupportLabel], *, at: datetime
) -> int:
    """Store labels that say something new, and how many did.

    A label that its annotator gave before, alike in support, guideline and note, is not stored
    again: the latest one of a pair counts.
    """
    hold_labels(connection, panel)
    known = {(one.pair, one.annotator): one for one in load_labels(connection, panel)}
    fresh = [one for one in labels if not _is_known(known.get((one.pair, one.annotator)), one)]
    insert_many(connection, label, [_label_row(panel, one, at) for one in fresh])
    return len(fresh)


def hold_labels(connection: Connection, panel: str) -> None:
    """Wait until nobody else labels or adjudicates a pair of a panel."""
    alone(connection, "labels", panel)


def save_label(connection: Connection, panel: str, one: SupportLabel, *, at: datetime) -> int:
    """Store one label, or that one is taken back, and its row; nothing else changes."""
    return insert_one(connection, label, _label_row(panel, one, at))


def load_labels(
    connection: Connection, panel: str, *, annotator: str | None = None, pair: PairKey | None = None
) -> tuple[SupportLabel, ...]:
    """The label of each annotator that counts for each pair of a panel, oldest first."""
    return counting(load_label_history(connection, panel, annotator=annotator, pair=pair))


def load_label_history(
    connection: Connection, panel: str, *, annotator: str | None = None, pair: PairKey | None = None
) -> tuple[SupportLabel, ...]:
    """Every label of a panel that was ever given, and what was taken back, oldest first."""
    query = select(label).where(label.c.panel == panel).order_by(label.c.id)
    if annotator is not None:
        query = query.where(label.c.annotator == annotator)
    if pair is not None:
        query = query.where(
            label.c.claim_hash == pair.claim, label.c.evidence_hash == pair.evidence
        )
    return tuple(map(_label_of, connection.execute(query)))


def counting(history: Sequence[SupportLabel]) -> tuple[SupportLabel, ...]:
    """Of labels in the order in which they were given, those that count.

    The latest one of an annotator counts; taken back, it makes way for the one before it.
    """
    standing, _ = _sorted_out(history)
    return tuple(sorted((one[-1] for one in standing.values() if one), key=lambda one: one.id))


def taken_back(history: Sequence[SupportLabel]) -> frozenset[int]:
    """Rows of the labels that their annotators took back."""
    _, taken = _sorted_out(history)
    return frozenset(one.id for one in taken)


def _sorted_out(
    history: Sequence[SupportLabel],
) -> tuple[dict[tuple[PairKey, str], list[SupportLabel]], list[SupportLabel]]:
    """Labels of each pair and annotator that stand, in order, and those taken back."""
    standing: dict[tuple[PairKey, str], list[SupportLabel]] = {}
    taken: list[SupportLabel] = []
    for one in history:
        before = standing.setdefault((one.pair, one.annotator), [])
        if not one.withdrawn:
            before.append(one)
        elif before:
            taken.append(before.pop())
    return standing, taken


def labelled_panels(connection: Connection) -> tuple[str, ...]:
    """Panels of which anybody labelled a pair."""
    return tuple(connection.execute(select(label.c.panel).distinct()).scalars())


def label_mark(connection: Connection, panel: str) -> tuple[int, int]:
    """Another value once anybody labels or adjudicates a pair of a panel."""
    newest = select(func.max(label.c.id)).where(label.c.panel == panel)
    decided = select(func.max(adjudication.c.id)).where(adjudication.c.panel == panel)
    return (
        connection.execute(newest).scalar() or 0,
        connection.execute(decided).scalar() or 0,
    )


def _is_known(before: SupportLabel | None, now: SupportLabel) -> bool:
    if before is None:
        return False
    said = (before.support, before.guideline, before.note)
    return said == (now.support, now.guideline, now.note)


def _label_of(row: Row[Any]) -> SupportLabel:
    return SupportLabel(
        PairKey(row.claim_hash, row.evidence_hash),
        row.claim,
        tuple(row.evidence),
        Support(row.support),
        row.annotator,
        row.guideline,
        row.note,
        row.labelled_at,
        row.seconds,
        row.id,
        bool(row.withdrawn),
        row.saved_at,
    )


def _label_row(panel: str, one: SupportLabel, at: datetime) -> dict[str, Any]:
    return {
        "panel": panel,
        "claim_hash": one.pair.claim,
        "claim": one.claim,
        "evidence": list(one.evidence),
        "evidence_hash": one.pair.evidence,
        "support": one.support.value,
        "annotator": one.annotator,
        "guideline": one.guideline,
        "note": one.note,
        "labelled_at": one.labelled_at,
        "saved_at": at,
        "seconds": one.seconds,
        "withdrawn": int(one.withdrawn),
    }


def _pair_row(one: DrawnPair) -> dict[str, Any]:
    return {
        "name": one.name,
        "prompt": one.prompt,
        "engine": one.engine,
        "claim": one.claim,
        "evidence": list(one.evidence),
        "claim_hash": one.pair.claim,
        "evidence_hash": one.pair.evidence,
    }


def _pair_of(stored: Mapping[str, Any]) -> DrawnPair:
    return DrawnPair(
        stored["name"],
        stored["prompt"],
        stored["engine"],
        stored["claim"],
        tuple(stored["evidence"]),
        PairKey(stored["claim_hash"], stored["evidence_hash"]),
    )


def _draw_of(row: Row[Any]) -> LabelDraw:
    pairs = tuple(_pair_of(one) for one in row.pairs)
    return LabelDraw(
        row.key, row.panel, row.run, row.engine, int(row.seed), row.frame, row.frame_pairs, pairs
    )
