"""Bytes that are kept of one answer: which there are, and that no others are given out."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

from monitor.errors import LostBytesError
from monitor.pipeline.bench import Bench
from monitor.pipeline.one_answer import OneAnswer
from monitor.report.answer_view import FileView
from monitor.store import captures, notes, proofs, screenshots


@dataclass(frozen=True, slots=True)
class KeptBytes:
    """Bytes under their hash, or when they were removed."""

    kind: str
    sha256: str
    content: bytes | None
    removed_at: datetime | None
    """When retention removed them; None where they are there, or were lost."""


def kept_bytes(bench: Bench, capture_id: int, sha256: str) -> KeptBytes | None:
    """Payload, picture, snapshot or proof of a capture; None where it has none of that hash."""
    kind = next((k for k, one in _own(bench, capture_id) if one == sha256), None)
    return None if kind is None else read_bytes(bench, kind, sha256)


def page_bytes(bench: Bench, one: OneAnswer, number: int) -> KeptBytes | None:
    """A cited page as it was fetched, by the number of its chip; None where nothing came."""
    fetch = one.view.fetches.get(number)
    return _file(bench, fetch.body if fetch else None)


def page_text(bench: Bench, one: OneAnswer, number: int) -> KeptBytes | None:
    """Text of a cited page, as verdicts read it; None where there is none."""
    fetch = one.view.fetches.get(number)
    return _file(bench, fetch.text if fetch else None)


def _file(bench: Bench, file: FileView | None) -> KeptBytes | None:
    return None if file is None else read_bytes(bench, file.kind, file.sha256)


def read_bytes(bench: Bench, kind: str, sha256: str) -> KeptBytes:
    """Bytes of a hash, or when retention removed them; LostBytesError where they are lost."""
    try:
        return KeptBytes(kind, sha256, bench.artifacts.get(sha256), None)
    except LostBytesError:
        removed = bench.read(lambda c: notes.load_removed(c, [sha256]))
        if not removed:
            raise
        return KeptBytes(kind, sha256, None, removed[sha256])


def _own(bench: Bench, capture_id: int) -> Iterator[tuple[str, str]]:
    """Kind and hash of everything that is kept of a capture alone."""
    for payload in bench.read(lambda c: captures.load_payloads(c, capture_id)):
        yield "payload", payload.sha256
    for shot in bench.read(lambda c: screenshots.load_screenshots(c, capture_id)):
        yield "screenshot", shot.sha256
    for one in bench.read(lambda c: screenshots.load_snapshots(c, capture_id)):
        yield "snapshot", one.sha256
    made = bench.read(lambda c: proofs.load_proof(c, capture_id))
    if made is not None:
        hashes = {
            "manifest": made.manifest_sha256,
            "signature": made.signature_sha256,
            "token": made.token_sha256,
        }
        yield from ((kind, sha256) for kind, sha256 in hashes.items() if sha256 is not None)
