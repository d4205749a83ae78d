"""Stored bytes that the settings let go of: removed once nothing keeps them, each with a note."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from monitor.capture.envelope import decode
from monitor.pipeline.at_rest import at_rest
from monitor.pipeline.bench import Bench
from monitor.pipeline.records import own_artifacts
from monitor.pipeline.transferring import each
from monitor.store import captures, notes, removals, runs
from monitor.store.evidence import EvidenceKind

_BATCH = 500
"""Bytes that are removed while no run can start."""


def retain(bench: Bench, *, dry_run: bool = False) -> dict[EvidenceKind, int]:
    """Remove what is past its limit; how many of each kind that has one went, or would go.

    StoreError while a run is being worked on, or a backup is made: try again later.
    """
    limits = _limits(bench)
    if dry_run:
        kept = _unread_bodies(bench)
        return {kind: len(_wanted(bench, kind, limits, kept)) for kind in limits}
    if not limits:
        return {}
    with at_rest(bench), bench.database.exclusive("bytes"):
        kept = _unread_bodies(bench)
        removed = {kind: _remove(bench, kind, limits, kept) for kind in limits}
        _settle(bench)
    return removed


def _limits(bench: Bench) -> dict[EvidenceKind, datetime]:
    """Moments before which a run must have ended, for the kinds that are not kept for ever."""
    part, now = bench.settings.retention, bench.clock.now()
    days = {
        EvidenceKind.PAYLOAD: part.payload_days,
        EvidenceKind.SCREENSHOT: part.screenshot_days,
        EvidenceKind.SNAPSHOT: part.screenshot_days,
        EvidenceKind.PAGE: part.page_days,
        EvidenceKind.TEXT: part.text_days,
    }
    return {kind: now - timedelta(days=n) for kind, n in days.items() if n is not None}


def _unread_bodies(bench: Bench) -> frozenset[str]:
    """Bodies of exchanges that no row tells of yet: `resume` reads them and pays for none."""
    found: set[str] = set()
    for run in bench.read(runs.list_runs):
        if run.state in {runs.RunState.DONE, runs.RunState.CANCELLED}:
            continue
        todo = {c.id for c in bench.read(partial(captures.load_open, run_id=run.id))}
        own = own_artifacts(bench, run)
        names = [n for n in own.names("capture") if int(n.split("/")[1]) in todo]
        found |= {decode(own.get(own.target(name))).body_sha256 for name in names}
    return frozenset(found)


def _wanted(
    bench: Bench, kind: EvidenceKind, limits: removals.Limits, kept: frozenset[str]
) -> list[str]:
    """Hashes of one kind that may go."""
    found = bench.read(lambda c: removals.removable(c, kind, limits))
    return [one for one in found if one not in kept]


def _remove(bench: Bench, kind: EvidenceKind, limits: removals.Limits, kept: frozenset[str]) -> int:
    """Note and remove the bytes of one kind, some at a time; how many went."""
    wanted, done = _wanted(bench, kind, limits, kept), 0
    bench.progress(f"{kind.value}s", 0, len(wanted))
    for start in range(0, len(wanted), _BATCH):
        part = wanted[start : start + _BATCH]
        at = bench.clock.now()
        bench.write(partial(removals.note, kind=kind, hashes=part, at=at))
        done += _remove_noted(bench, kind, limits, part)
        bench.progress(f"{kind.value}s", min(start + _BATCH, len(wanted)), len(wanted))
    return done


def _remove_noted(
    bench: Bench, kind: EvidenceKind, limits: removals.Limits, part: Sequence[str]
) -> int:
    """Remove noted bytes that are still past their limit, while no run can start."""
    with bench.database.write() as connection:
        removals.hold_runs(connection)
        still = removals.removable(connection, kind, limits, among=part)
        for _ in each(bench.artifacts.remove, still):
            pass
        removals.confirm(connection, still)
    return len(still)


def _settle(bench: Bench) -> None:
    """Bring notes of removals that were cut, or are no longer due, in line with what is there."""
    noted = [sha256 for sha256, _ in bench.read(removals.pending)]
    there = dict(zip(noted, each(bench.artifacts.has, noted), strict=True))
    bench.write(lambda c: notes.clear(c, (one for one, is_there in there.items() if is_there)))
    bench.write(
        lambda c: removals.confirm(c, [one for one, is_there in there.items() if not is_there])
    )
