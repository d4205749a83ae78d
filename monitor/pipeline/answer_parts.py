"""What stands beside an answer: bytes kept, pages fetched, labels of people, other answers."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from monitor.claims.shown import shown_blocks
from monitor.domain.assessment import AssessedCapture
from monitor.domain.claim import Statement, Support
from monitor.domain.engine import Access, Reading
from monitor.domain.screenshot import Screenshot
from monitor.pipeline.bench import Bench
from monitor.pipeline.cited_pairs import statement_pairs
from monitor.pipeline.label_desk import still_open
from monitor.pipeline.reporting import engine_label
from monitor.pipeline.run_pages import RunPages
from monitor.report.answer_view import (
    BesideView,
    BlockView,
    ExchangeView,
    FetchView,
    FileView,
    HumanLabelView,
    ProofView,
    ShotView,
)
from monitor.scoring.citations import is_unmapped
from monitor.store import Connection, captures, citations, neighbours, notes, proofs, screenshots
from monitor.store import pages as stored_pages
from monitor.store.adjudications import Subject, decided, load_adjudications
from monitor.store.support_labels import SupportLabel, label_mark, load_labels

Removed = Mapping[str, datetime]


@dataclass(frozen=True, slots=True)
class Kept:
    """Bytes that are kept of a capture."""

    exchanges: tuple[ExchangeView, ...]
    shots: tuple[ShotView, ...]
    snapshots: tuple[FileView, ...]
    proof: ProofView | None


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Other answers to the same prompt."""

    beside: tuple[BesideView, ...]
    earlier: BesideView | None
    later: BesideView | None


def blocks_of(reading: Reading, statements: Sequence[Statement]) -> tuple[BlockView, ...]:
    """An answer as a reader saw it."""
    return tuple(
        BlockView(one.kind.value, one.statements, one.cells, one.text)
        for one in shown_blocks(reading, statements)
    )


def kept_of(bench: Bench, capture_id: int, payloads: Sequence[captures.StoredPayload]) -> Kept:
    """Payloads, pictures, snapshots and proof of a capture."""
    shots = bench.read(lambda c: screenshots.load_screenshots(c, capture_id))
    snapshots = bench.read(lambda c: screenshots.load_snapshots(c, capture_id))
    made = bench.read(lambda c: proofs.load_proof(c, capture_id))
    hashes = {
        *(one.sha256 for one in payloads),
        *(one.sha256 for one in shots),
        *(one.sha256 for one in snapshots),
    }
    gone = bench.read(lambda c: notes.load_removed(c, hashes))
    return Kept(
        tuple(_exchange(n, one, gone) for n, one in enumerate(payloads, start=1)),
        tuple(_shot(one, gone) for one in shots),
        tuple(
            FileView(one.kind.value, one.sha256, gone.get(one.sha256), one.name or "")
            for one in snapshots
        ),
        _proof(made),
    )


def _exchange(number: int, one: captures.StoredPayload, gone: Removed) -> ExchangeView:
    return ExchangeView(
        number=number,
        file=FileView("payload", one.sha256, gone.get(one.sha256)),
        status=one.status,
        failure=one.failure,
        started_at=one.started_at,
        duration_ms=one.duration_ms,
        has_request=one.request is not None,
    )


def _shot(one: Screenshot, gone: Removed) -> ShotView:
    return ShotView(
        file=FileView(one.kind.value, one.sha256, gone.get(one.sha256), one.name or ""),
        url=one.url,
        taken_at=one.taken_at,
        browser=one.browser,
        viewport=one.viewport,
        size=one.size,
        locale=one.locale,
        masked=one.masked,
        altered=one.altered,
    )


def _proof(made: proofs.Proof | None) -> ProofView | None:
    if made is None:
        return None
    return ProofView(
        made.manifest_sha256, made.signature_sha256, made.key_id, made.token_sha256, made.made_at
    )


def fetch_of(
    assessed: AssessedCapture, stored: citations.StoredReading, pages: RunPages, number: int
) -> stored_pages.StoredFetch | None:
    """What fetching a cited page gave, by the number of its chip: the one that was read, if any."""
    keys = (stored.identities[c].page_key for c in assessed.pages[number - 1].citations)
    found = [fetch for key in keys if key and (fetch := pages.fetches.get(key))]
    text = pages.texts.get(assessed.pages[number - 1].page_key)
    read = (one for one in found if text is not None and one.text_sha256 == text.sha256)
    return next(read, found[0] if found else None)


def fetches_of(
    bench: Bench, assessed: AssessedCapture, stored: citations.StoredReading, pages: RunPages
) -> Mapping[int, FetchView]:
    """Number of a cited page -> what fetching it gave; those that nobody fetched are left out."""
    numbers = range(1, len(assessed.pages) + 1)
    found = {n: one for n in numbers if (one := fetch_of(assessed, stored, pages, n))}
    hashes = {h for one in found.values() for h in (one.body_sha256, one.text_sha256) if h}
    gone = bench.read(lambda c: notes.load_removed(c, hashes))
    return {n: _fetch(one, gone) for n, one in found.items()}


def _fetch(one: stored_pages.StoredFetch, gone: Removed) -> FetchView:
    def file(kind: str, sha256: str | None) -> FileView | None:
        return None if sha256 is None else FileView(kind, sha256, gone.get(sha256))

    fetched, about = one.fetched, one.about
    return FetchView(
        status=fetched.status.value,
        http_status=fetched.http_status,
        fetched_at=fetched.fetched_at,
        final_url=fetched.final_url,
        media_type=fetched.media_type,
        detail=fetched.detail,
        published=about.published if about else None,
        updated=about.updated if about else None,
        body=file("page", one.body_sha256),
        text=file("text", one.text_sha256),
    )


def labels_of(
    bench: Bench, panel: str, assessed: AssessedCapture, pages: RunPages
) -> tuple[HumanLabelView, ...]:
    """What people say of the claims of an answer and the pages they cite, and what was settled.

    Nothing of a pair that somebody still has to label: they label without knowing what others say.
    """
    if is_unmapped(assessed):
        return ()
    places = [
        (place, pair.claim, pair.key)
        for place, statement in enumerate(assessed.statements)
        for pair, _ in statement_pairs(assessed, statement, pages)
    ]

    def load(connection: Connection) -> tuple[HumanLabelView, ...]:
        if not any(label_mark(connection, panel)):
            return ()
        given = {key: load_labels(connection, panel, pair=key) for _, _, key in places}
        hidden = still_open(
            connection, panel, {key: found for key, found in given.items() if found}
        )
        return tuple(
            label
            for place, claim, key in places
            if key not in hidden
            for label in _labels(
                connection, panel, given[key], partial(HumanLabelView, place, claim)
            )
        )

    return bench.read(load)


def _labels(
    connection: Connection,
    panel: str,
    given: Sequence[SupportLabel],
    made: "partial[HumanLabelView]",
) -> Iterable[HumanLabelView]:
    for one in given:
        yield made(one.support, one.annotator, one.note or "", is_decision=False)
    if len(given) < 2:
        return
    subject = given[0].pair.identity
    found = load_adjudications(connection, panel, Subject.SUPPORT, subject=subject)
    for settled in decided(found).values():
        support = Support(settled.body["support"])
        yield made(support, settled.adjudicator, settled.reason, is_decision=True)


def beside_of(bench: Bench, capture_id: int, panel: str) -> Neighbours:
    """Answers to the same prompt: in the same run, and before and after it."""

    def load(connection: Connection) -> Neighbours:
        earlier = neighbours.load_nearest(connection, capture_id, panel, later=False)
        later = neighbours.load_nearest(connection, capture_id, panel, later=True)
        return Neighbours(
            tuple(map(_beside, neighbours.load_beside(connection, capture_id))),
            _beside(earlier) if earlier else None,
            _beside(later) if later else None,
        )

    return bench.read(load)


def _beside(one: neighbours.Neighbour) -> BesideView:
    return BesideView(
        id=one.id,
        run=one.run,
        slot=one.slot,
        engine=one.engine,
        label=engine_label(one.engine, Access(one.access)),
        repeat=one.repeat,
        outcome=one.outcome,
    )
