"""Notes of what was done, for forms that write nothing else beside them."""

from collections.abc import Mapping
from typing import Any

from monitor.domain.access import Visitor
from monitor.pipeline.bench import Bench
from monitor.store import audit


def note(
    bench: Bench, who: Visitor, action: str, subject: str, *, body: Mapping[str, Any] | None = None
) -> int:
    """Note what a visitor did; `audit.note` does it inside a transaction that changes something."""
    at = bench.clock.now()
    return bench.write(lambda c: audit.note(c, who, action, subject, at=at, body=body))
