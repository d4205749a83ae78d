"""Verdicts by what was judged: claim text, evidence texts, judge. Nothing is judged twice."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Row, delete, select

from monitor.domain.claim import Gap, GapKind, NotAssessable, Support, Verdict, Votes, gap_json
from monitor.domain.engine import Usage
from monitor.domain.keys import content_key
from monitor.store.rows import chunks, insert_new
from monitor.store.tables import verdict

_PASSING = frozenset({NotAssessable.JUDGE_ERROR.value, NotAssessable.PENDING.value})
"""Reasons that say nothing about the claim: such a verdict gives way to a later one."""


@dataclass(frozen=True, slots=True)
class VerdictKey:
    """What a verdict is about; the order of the evidence is the caller's and no identity."""

    claim: str
    """Hash of the claim's text."""
    evidence: tuple[str, ...]
    """Hashes of the evidence texts, in the order `Verdict.evidence` counts them."""
    judge: str
    """Name and version."""

    @property
    def evidence_hash(self) -> str:
        """Hash of the distinct evidence hashes, sorted."""
        return content_key(sorted(set(self.evidence)))

    @property
    def identity(self) -> str:
        """What the store tells verdicts apart by: a hash of claim, evidence and judge."""
        return content_key([self.claim, self.evidence_hash, self.judge])


def load_verdicts(connection: Connection, keys: Iterable[VerdictKey]) -> dict[VerdictKey, Verdict]:
    """Verdicts that are stored, by the keys asked for.

    Absent ones are left out, and so are a judge's errors: they are to be judged again.
    """
    wanted: dict[str, list[VerdictKey]] = {}
    for key in keys:
        wanted.setdefault(key.identity, []).append(key)
    rows = {one: row for one, row in _rows(connection, wanted).items() if not _is_temporary(row)}
    return {
        key: _verdict_of(rows[identity], key)
        for identity, asked in wanted.items()
        if identity in rows
        for key in asked
    }


def save_verdicts(
    connection: Connection, verdicts: Mapping[VerdictKey, Verdict], *, made_at: datetime
) -> int:
    """Store verdicts; the first one of a key stays unless it was an error. Number inserted."""
    new = {key.identity: _verdict_row(key, one) for key, one in reversed(list(verdicts.items()))}
    known = _rows(connection, new)
    temporary = [row.id for row in known.values() if _is_temporary(row)]
    for part in chunks(temporary):
        connection.execute(delete(verdict).where(verdict.c.id.in_(part)))
    kept = {identity for identity, row in known.items() if not _is_temporary(row)}
    rows = [row | {"made_at": made_at} for identity, row in new.items() if identity not in kept]
    insert_new(connection, verdict, rows)
    return len(rows)


def is_temporary(one: Verdict) -> bool:
    """Whether a verdict says nothing about the claim, so that a later one takes its place."""
    return _passes(one.support, one.reasons)


def _is_temporary(row: Row[Any]) -> bool:
    return _passes(Support(row.support), row.reasons)


def _passes(support: Support, reasons: Sequence[str]) -> bool:
    return support is Support.NOT_ASSESSABLE and (not reasons or reasons[0] in _PASSING)


def _rows(connection: Connection, identities: Iterable[str]) -> dict[str, Row[Any]]:
    found: dict[str, Row[Any]] = {}
    for part in chunks(identities):
        for row in connection.execute(select(verdict).where(verdict.c.key.in_(part))):
            found[row.key] = row
    return found


def _verdict_row(key: VerdictKey, one: Verdict) -> dict[str, Any]:
    span = one.quote_span or (None, None)
    # The index is kept as the hash it stands for: another caller lists the texts otherwise.
    quoted = None if one.evidence is None else key.evidence[one.evidence]
    return {
        "key": key.identity,
        "claim_hash": key.claim,
        "evidence_hash": key.evidence_hash,
        "judge": key.judge,
        "evidence": sorted(set(key.evidence)),
        "support": one.support.value,
        "reasons": list(one.reasons),
        "score": one.score,
        "quote": one.quote,
        "quote_start": span[0],
        "quote_end": span[1],
        "quote_evidence": quoted,
        "judged_by": one.judge,
        "cost_micros": one.cost_micros,
        "gaps": [gap_json(gap) for gap in one.gaps] or None,
        "votes_agreeing": one.votes.agreeing if one.votes else None,
        "votes_total": one.votes.total if one.votes else None,
        "input_tokens": one.usage.input_tokens if one.usage else None,
        "output_tokens": one.usage.output_tokens if one.usage else None,
    }


def _verdict_of(row: Row[Any], key: VerdictKey) -> Verdict:
    span = None if row.quote_start is None else (row.quote_start, row.quote_end)
    quoted = row.quote_evidence
    return Verdict(
        support=Support(row.support),
        reasons=tuple(row.reasons),
        score=row.score,
        quote=row.quote,
        quote_span=span,
        evidence=None if quoted is None else key.evidence.index(quoted),
        judge=row.judged_by,
        cost_micros=row.cost_micros,
        gaps=tuple(_gap_of(one) for one in row.gaps or ()),
        votes=None if row.votes_total is None else Votes(row.votes_agreeing, row.votes_total),
        usage=_usage_of(row),
    )


def _gap_of(stored: Mapping[str, Any]) -> Gap:
    return Gap(
        GapKind(stored["kind"]),
        stored["start"],
        stored["end"],
        stored["claimed"],
        stored["source"],
    )


def _usage_of(row: Row[Any]) -> Usage | None:
    if row.input_tokens is None and row.output_tokens is None:
        return None
    return Usage(row.input_tokens, row.output_tokens)
