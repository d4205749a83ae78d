"""Labels of people for pairs of claim and evidence, and the draws such pairs came from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, select

from monitor.domain.claim import Support
from monitor.domain.keys import content_key
from monitor.store.rows import insert_many, insert_new
from monitor.store.tables import label, label_draw


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


def save_labels(
    connection: Connection, panel: str, labels: Sequence[SupportLabel], *, at: datetime
) -> int:
    """Store labels that say something new, and how many did.

    A label that its annotator gave before, alike in support, guideline and note, is not stored
    again: the latest one of a pair counts.
    """
    known = {(one.pair, one.annotator): one for one in load_labels(connection, panel)}
    fresh = [one for one in labels if not _is_known(known.get((one.pair, one.annotator)), one)]
    insert_many(
        connection,
        label,
        [
            {
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
            }
            for one in fresh
        ],
    )
    return len(fresh)


def load_labels(connection: Connection, panel: str) -> tuple[SupportLabel, ...]:
    """The latest label of each annotator for each pair of a panel, oldest first."""
    query = select(label).where(label.c.panel == panel).order_by(label.c.id)
    latest: dict[tuple[PairKey, str], SupportLabel] = {}
    for row in connection.execute(query):
        one = _label_of(row)
        latest.pop((one.pair, one.annotator), None)
        latest[one.pair, one.annotator] = one
    return tuple(latest.values())


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
    )


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
