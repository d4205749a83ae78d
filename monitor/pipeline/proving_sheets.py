"""Captures as a bundle shows them to people: what was asked, said and cited, and the files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from monitor.domain.moments import utc_second
from monitor.domain.source import UrlIdentity
from monitor.engines import ENGINES
from monitor.pipeline.bench import Bench
from monitor.pipeline.counting import mapped
from monitor.proofs.manifest import Manifest
from monitor.proofs.page import CaptureSheet, CitationSheet, FileSheet, PageSheet
from monitor.store import citations, pages, proofs, runs

_ACCESS: Mapping[str, str] = {
    "api": "the vendor's API, which may answer otherwise than its web page",
    "browser": "the web page, captured live",
    "import": "handed in by a person",
}
_LOCALE: Mapping[str | None, str] = {
    None: "as requested, not confirmed",
    "requested": "as requested, not confirmed",
    "confirmed": "confirmed by what it said of the country",
    "contradicted": "contradicted by what it said of the country",
}


@dataclass(frozen=True, slots=True)
class Proven:
    """A capture with its manifest, as it goes into a bundle or an archive."""

    facts: proofs.Facts
    proof: proofs.Proof
    manifest: Manifest
    content: bytes
    """The manifest's bytes."""
    reading: citations.StoredReading | None
    stamped_at: str | None = None

    @property
    def folder(self) -> str:
        """Its folder in a bundle."""
        return f"captures/{self.facts.id}"


@dataclass(frozen=True, slots=True)
class Gathered:
    """What goes into a bundle or an archive of one run."""

    run: runs.Run
    captures: tuple[Proven, ...]
    fetches: Mapping[str, pages.StoredFetch]
    """Cited pages that were fetched, by page key."""
    removed: Mapping[str, str]
    """Hash -> the day on which retention removed its bytes."""


def identities_of(bench: Bench, one: Proven) -> tuple[UrlIdentity, ...]:
    """Identity of every citation of an answer, by the family map of now."""
    return tuple(mapped(bench, one.reading.identities)) if one.reading else ()


def cited_fetches(
    reading: citations.StoredReading | None,
    identities: Sequence[UrlIdentity],
    fetches: Mapping[str, pages.StoredFetch],
) -> tuple[pages.StoredFetch, ...]:
    """What was fetched of the pages that an answer cites, in its order, each once."""
    if reading is None:
        return ()
    keys = dict.fromkeys(one.page_key for one in identities if one.page_key)
    return tuple(fetches[key] for key in keys if key in fetches)


def page_path(sha256: str) -> str:
    """Where the bytes of a cited page lie in a bundle: as text, for a click must run nothing."""
    return f"pages/{sha256}.txt"


def sheet_of(bench: Bench, found: Gathered, one: Proven) -> CaptureSheet:
    """A capture for people."""
    facts, stored, run = one.facts, one.reading, found.run
    reason = f" ({facts.reason})" if facts.reason else ""
    identities = identities_of(bench, one)
    cited = zip(stored.reading.citations, identities, strict=True) if stored else ()
    models = (("asked for", facts.requested_model), ("served", facts.served_model))
    return CaptureSheet(
        id=facts.id,
        run=run.public_id,
        fictional=run.fictional,
        engine=ENGINES[facts.engine].label if facts.engine in ENGINES else facts.engine,
        access=_ACCESS[facts.access],
        prompt=facts.prompt.text,
        prompt_id=facts.prompt.id,
        locale=facts.prompt.locale,
        locale_state=_LOCALE[facts.locale_state],
        outcome=f"{facts.outcome.replace('_', ' ')}{reason}",
        asked_at=None if facts.asked_at is None else utc_second(facts.asked_at),
        models=", ".join(f"{word} {name}" for word, name in models if name) or "not told",
        answer=stored.reading.text if stored else "",
        citations=tuple(
            CitationSheet(
                raw=said.url,
                clean_url=identity.clean_url,
                title=said.title,
                role=said.role.value,
                marks=said.marks,
                family=identity.family,
            )
            for said, identity in cited
        ),
        hidden_citations=stored.reading.hidden_citations if stored else None,
        warnings=stored.reading.warnings if stored else (),
        files=_files(one, found.removed),
        pages=tuple(
            _page(fetch, found.removed)
            for fetch in cited_fetches(stored, identities, found.fetches)
        ),
        manifest_sha256=one.proof.manifest_sha256,
        key_id=one.proof.key_id,
        stamped_at=one.stamped_at,
    )


def _files(one: Proven, removed: Mapping[str, str]) -> tuple[FileSheet, ...]:
    """The files of a manifest, pictures with what was done to them."""
    done = {
        shot.sha256: "; ".join(
            (
                *((f"{shot.masked} areas painted over",) if shot.masked else ()),
                *((f"altered for the picture: {shot.altered}",) if shot.altered else ()),
            )
        )
        for shot in one.facts.screenshots
    }
    return tuple(
        FileSheet(
            href="" if file.sha256 in removed else f"{one.folder}/{file.path}",
            path=file.path,
            kind=file.kind.value,
            sha256=file.sha256,
            size=file.bytes,
            note=_gone(removed, file.sha256) or done.get(file.sha256, ""),
        )
        for file in one.manifest.files
    )


def _page(fetch: pages.StoredFetch, removed: Mapping[str, str]) -> PageSheet:
    fetched = fetch.fetched
    kept = (("as sent", fetch.body_sha256), ("text", fetch.text_sha256))
    return PageSheet(
        url=fetched.final_url or fetched.url,
        status=fetched.status.value.replace("_", " "),
        fetched_at=None if fetched.fetched_at is None else utc_second(fetched.fetched_at),
        files=tuple(
            FileSheet(
                href="" if sha256 in removed else page_path(sha256),
                path=page_path(sha256),
                kind=kind,
                sha256=sha256,
                size=None,
                note=_gone(removed, sha256),
            )
            for kind, sha256 in kept
            if sha256 is not None
        ),
    )


def _gone(removed: Mapping[str, str], sha256: str) -> str:
    return f"removed by retention on {removed[sha256]}" if sha256 in removed else ""
