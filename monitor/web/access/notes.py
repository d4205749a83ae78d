"""Notes of what was done, for the transaction that does it."""

from functools import partial

from monitor.domain.access import Visitor
from monitor.pipeline.bench import Also, Bench
from monitor.store import audit


def noting(bench: Bench, who: Visitor, action: str, subject: str) -> Also:
    """What notes that a visitor did something, called inside the transaction of the change."""
    at = bench.clock.now()
    return partial(audit.note, who=who, action=action, subject=subject, at=at)
