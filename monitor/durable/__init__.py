"""Durable work: idempotent handlers by id, run by a runner.

The store is the truth about what is planned, asked and done; a runner only decides when a handler
is called. `local` works one process off; other runners live behind the same two functions.
"""

from monitor.durable.local import LocalRunner, Poisoned

__all__ = ["LocalRunner", "Poisoned"]
