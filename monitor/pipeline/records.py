"""The records of a run's exchanges: where they lie, and what the database holds of each."""

from monitor.capture.envelope import Envelope
from monitor.domain.keys import content_key
from monitor.pipeline.bench import Bench
from monitor.store import StoredArtifacts, captures, runs


def own_artifacts(bench: Bench, run: runs.Run) -> StoredArtifacts:
    """The artifacts with the pointers of one run, which name the records of its exchanges.

    Another database counts its captures from 1 too, so a run's pointers are its own.
    """
    return bench.artifacts.owned_by(content_key([run.public_id, run.created_at.isoformat()], 16))


def payload_of(capture_id: int, envelope: Envelope) -> captures.StoredPayload:
    """Row of an exchange that lies in the artifacts."""
    return captures.StoredPayload(
        capture_id=capture_id,
        seq=envelope.seq,
        attempt=envelope.attempt,
        request=envelope.request,
        request_hash=envelope.request_hash,
        status=envelope.status,
        headers=envelope.headers,
        sha256=envelope.body_sha256,
        started_at=envelope.started_at,
        duration_ms=envelope.duration_ms,
        failure=envelope.failure,
    )
