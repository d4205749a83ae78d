"""When a store may be touched as a whole: while no run of it is being worked on."""

from collections.abc import Iterator
from contextlib import contextmanager

from monitor.pipeline.bench import Bench
from monitor.store import removals


@contextmanager
def at_rest(bench: Bench) -> Iterator[None]:
    """Nobody works on a run of this store; StoreError says who does.

    A run that one process works on is kept from going on; one that was left to workers is named.
    """
    with bench.database.exclusive():
        bench.read(removals.refuse_worked_on)
        yield
