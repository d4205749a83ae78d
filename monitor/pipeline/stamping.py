"""Time stamps of manifests: asked for where a service is set, added later where it failed."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
from cryptography.x509 import Certificate

from monitor.config.logs import log
from monitor.config.settings import Settings
from monitor.errors import EvidenceError, MonitorError
from monitor.pipeline.bench import Bench
from monitor.proofs.stamp_service import open_client, token_for
from monitor.proofs.stamps import load_certificates
from monitor.store import proofs, runs

_AT_ONCE = 4
"""Questions under way."""

_ENOUGH = 3
"""Failures after which a `Stamper` asks its service no more."""


def certificates_of(settings: Settings) -> tuple[Certificate, ...]:
    """Certificates that tokens are held against; none where the settings name none."""
    file = settings.evidence.timestamp_certificates_file
    return load_certificates(Path(file)) if file else ()


@dataclass(frozen=True, slots=True)
class Stamped:
    """What became of asking."""

    stamped: int
    failed: tuple[str, ...]
    """Why, once for each that failed."""
    left: int
    """Manifests that still have no time stamp."""


class Stamper:
    """Asks the service of the settings, if there is one; a failure is told and harms nothing."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._url = bench.settings.evidence.timestamp_url
        self._certificates = certificates_of(bench.settings) if self._url else ()
        self._client: httpx.AsyncClient | None = None
        self._failures: list[str] = []

    async def close(self) -> None:
        """Let connections go."""
        if self._client is not None:
            await self._client.aclose()

    async def stamp_new(self, made: Sequence[proofs.Proof]) -> int:
        """Time stamps for manifests that have none; how many came."""
        if self._url is None or not made:
            return 0
        self._client = self._client or open_client()
        places = asyncio.Semaphore(_AT_ONCE)

        async def stamp(one: proofs.Proof) -> bool:
            async with places:
                return await self._stamp(one)

        return sum(await asyncio.gather(*map(stamp, made)))

    @property
    def failures(self) -> tuple[str, ...]:
        """Why stamps did not come."""
        return tuple(self._failures)

    async def _stamp(self, one: proofs.Proof) -> bool:
        client, bench = self._client, self._bench
        if self._url is None or client is None or len(self._failures) >= _ENOUGH:
            return False
        try:
            content = await asyncio.to_thread(bench.artifacts.get, one.manifest_sha256)
            token = await token_for(client, self._url, content, certificates=self._certificates)
            sha256 = await asyncio.to_thread(bench.artifacts.put, token)
            await bench.writer.do(lambda c: proofs.add_token(c, one.capture_id, sha256))
        except MonitorError as error:
            self._failures.append(str(error))
            log("time_stamp_failed", level="warning", capture=one.capture_id, error=error)
            return False
        return True


def stamp_run(bench: Bench, run: runs.Run) -> Stamped:
    """Ask for the time stamps that the manifests of a run lack."""
    if bench.settings.evidence.timestamp_url is None:
        raise EvidenceError(
            "no time stamp service: set evidence.timestamp_url in config.yaml to one's address"
        )
    every = bench.read(lambda c: proofs.load_run_proofs(c, run.id)).values()
    rest = [one for one in every if one.token_sha256 is None]

    async def work() -> tuple[int, tuple[str, ...]]:
        stamper = Stamper(bench)
        try:
            return await stamper.stamp_new(rest), stamper.failures
        finally:
            await stamper.close()

    came, failures = asyncio.run(work())
    return Stamped(came, failures, len(rest) - came)
