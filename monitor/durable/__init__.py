"""Durable work: idempotent handlers of jobs, called by a runner.

The store is the truth about what is planned, asked and done; a runner only decides when a handler
is called. Both runners take the same handlers, `async (Job) -> None`:

- `local`: `LocalRunner.drain(jobs, work)` works off what is planned, in one process;
- `pgqueuer`: `QueueWorker.serve(stop)` works off PgQueuer's queues, in any number of processes.
  Jobs are put there, taken back and counted by `monitor.store.queue`, in our own transactions.
"""

from monitor.durable.local import Failure, LocalRunner

__all__ = ["Failure", "LocalRunner"]
