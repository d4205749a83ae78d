"""What can still be done for a run whose bytes retention removed."""

from collections.abc import Collection

from monitor.errors import LostBytesError, StoreError
from monitor.pipeline.bench import Bench
from monitor.store import notes, runs


def refuse_removed(bench: Bench, run: runs.Run, hashes: Collection[str]) -> None:
    """StoreError where payloads of a run were removed: it cannot be read again."""
    found = bench.read(lambda c: notes.load_removed(c, hashes))
    if found:
        raise StoreError(
            f"{run.public_id}: {len(found)} of its payloads were removed by retention, the last on "
            f"{max(found.values()):%Y-%m-%d}, so it cannot be read again; its readings, verdicts "
            "and scorecards are there as they were (`monitor rescore`, `report`, `compare`)"
        )


def text_of(bench: Bench, sha256: str) -> str | None:
    """A page's text, or None where retention removed it; StoreError where it is lost."""
    try:
        return bench.artifacts.get(sha256).decode("utf-8")
    except LostBytesError:
        if not bench.read(lambda c: notes.load_removed(c, [sha256])):
            raise
        return None


def picture_of(bench: Bench, sha256: str) -> bytes | None:
    """A screenshot's bytes, or None where retention removed them."""
    try:
        return bench.artifacts.get(sha256)
    except LostBytesError:
        if not bench.read(lambda c: notes.load_removed(c, [sha256])):
            raise
        return None


def unjudgeable(sha256: str) -> StoreError:
    """Why a new verdict cannot be given."""
    return StoreError(
        f"the page text {sha256} was removed by retention, and a verdict that is not there yet "
        "needs it: take the judge that gave the run's verdicts, fetch its pages again with "
        "`monitor refetch`, or restore the artifacts from a backup"
    )
