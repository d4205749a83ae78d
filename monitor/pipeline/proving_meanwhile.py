"""Manifests made while a run goes on, beside its captures, which never wait for them.

A capture whose manifest could not be made is whole all the same: `monitor evidence seal` makes it.
"""

import asyncio
from collections.abc import Mapping, Sequence

from monitor.capture.envelope import Envelope, encode
from monitor.config.logs import log
from monitor.errors import MonitorError
from monitor.pipeline.bench import Bench
from monitor.pipeline.proving import Place, prove_captures, signing_key
from monitor.pipeline.stamping import Stamper
from monitor.store import proofs

_AT_ONCE = 50
"""Captures of one turn."""


class Prover:
    """Makes the manifests of what was stored lately, while more is captured; `close` awaits all."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        # A key that is no good stops a run before it asks anybody.
        self._key = signing_key(bench.settings)
        self._stamper = Stamper(bench)
        self._waiting: list[int] = []
        self._records: dict[Place, Envelope] = {}
        self._task: asyncio.Task[None] | None = None

    def notice(self, capture_id: int, exchanges: Sequence[Envelope] = ()) -> None:
        """A capture was stored, with the records of these exchanges; its manifest is made soon."""
        self._waiting.append(capture_id)
        for one in exchanges:
            self._records[capture_id, one.seq, one.attempt] = one
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work())

    async def close(self) -> None:
        """Wait until everything noticed has its manifest."""
        if self._task is not None:
            await self._task
        await self._stamper.close()

    async def _work(self) -> None:
        """Make manifests until nobody waits; those noticed meanwhile go together."""
        while self._waiting:
            taken, self._waiting = self._waiting[:_AT_ONCE], self._waiting[_AT_ONCE:]
            kept = {at: one for at, one in self._records.items() if at[0] in taken}
            self._records = {at: one for at, one in self._records.items() if at[0] not in taken}
            made: Sequence[proofs.Proof] = ()
            try:
                made = await asyncio.to_thread(self._prove, taken, kept)
            except (MonitorError, OSError) as error:
                log("manifests_failed", level="warning", count=len(taken), error=error)
            await self._stamper.stamp_new(made)

    def _prove(
        self, taken: Sequence[int], exchanges: Mapping[Place, Envelope]
    ) -> tuple[proofs.Proof, ...]:
        records = {place: encode(one) for place, one in exchanges.items()}
        return prove_captures(self._bench, taken, self._key, records)
