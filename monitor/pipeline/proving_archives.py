"""Captures as web archives: WARC, and WACZ around it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from monitor import __version__
from monitor.domain.keys import canonical_json
from monitor.domain.moments import utc_second
from monitor.pipeline.bench import Bench
from monitor.pipeline.plain_files import drafted
from monitor.pipeline.proving_bundles import (
    gather,
    pages_json,
    signature_of,
    token_of,
)
from monitor.pipeline.proving_sheets import Gathered, Proven, sheet_of
from monitor.pipeline.secret_guard import SecretGuard
from monitor.proofs import bundle, wacz, warc
from monitor.proofs.page import capture_page, index_page
from monitor.proofs.warc import BASE, Call, Record, Resource
from monitor.store import captures, runs


def export_warc(bench: Bench, run: runs.Run, path: Path, *, capture_id: int | None = None) -> int:
    """Write a run or one capture as a gzipped WARC; how many captures it holds."""
    warc.require()
    found = gather(bench, run, capture_id)
    with drafted(path) as draft:
        _write(bench, found, draft, path.name)
    return len(found.captures)


def export_wacz(bench: Bench, run: runs.Run, path: Path, *, capture_id: int | None = None) -> int:
    """Write a run or one capture as a WACZ; how many captures it holds."""
    wacz.require()
    found = gather(bench, run, capture_id)
    rows = (
        {
            "url": f"{BASE}capture-{one.facts.id}.html",
            "ts": utc_second(_moment(one)),
            "title": f"Capture {one.facts.id} of {run.public_id}",
        }
        for one in found.captures
    )
    with drafted(path) as draft, TemporaryDirectory(dir=draft.parent, prefix=".wacz-") as folder:
        inner, listed = Path(folder) / "data.warc.gz", Path(folder) / "pages.jsonl"
        _write(bench, found, inner, path.name)
        listed.write_bytes(wacz.pages_jsonl(rows))
        wacz.write_wacz(draft, inner, listed, f"Captures of {run.public_id}")
    return len(found.captures)


def _write(bench: Bench, found: Gathered, path: Path, name: str) -> None:
    about = {
        "software": f"citation-monitor {__version__}",
        "format": "WARC File Format 1.0",
        "description": (
            f"captures of {found.run.public_id}; requests without keys, responses with the headers "
            f"that are kept and bodies as decoded; files of ours lie at {BASE}"
        ),
    }
    with path.open("wb") as stream:
        warc.write_warc(stream, _Records(bench, found, name).every(), about)


def _moment(one: Proven) -> datetime:
    """When a capture was made."""
    return one.facts.asked_at or one.facts.stored_at or one.proof.made_at


@dataclass(frozen=True, slots=True)
class _Records:
    """The records of an archive, made one after the other."""

    bench: Bench
    found: Gathered
    name: str

    def every(self) -> Iterator[Record]:
        """All of them; EvidenceError where a secret of ours stands in one."""
        guard = SecretGuard(self.bench.settings)
        for one in self._plain():
            read = partial(guard.read, one.uri, one.read)
            if isinstance(one, Call):
                guard.read(one.uri, partial(bytes, one.request_body))
                yield Call(
                    one.uri, one.at, one.method, one.request_headers, one.request_body,
                    one.status, one.headers, read,
                )  # fmt: skip
            else:
                yield Resource(one.uri, one.at, one.media_type, read, one.kind)

    def _plain(self) -> Iterator[Record]:
        found = self.found
        gone: dict[str, str] = {}
        sheets = tuple(sheet_of(self.bench, found, one) for one in found.captures)
        at = _moment(found.captures[0])
        yield self._own(
            "index.html",
            at,
            "text/html",
            partial(index_page, found.run.public_id, sheets, self.name),
        )
        for sheet, one in zip(sheets, found.captures, strict=True):
            name = f"capture-{sheet.id}.html"
            read = partial(capture_page, sheet, self.name)
            yield self._own(name, _moment(one), "text/html", read)
            yield from self._capture(one, gone)
        if found.fetches:
            yield self._own("pages.json", at, "application/json", partial(pages_json, found))
        yield from self._pages()
        if gone:
            read_gone = partial(bundle.removed_json, gone)
            yield self._own(bundle.REMOVED, at, "application/json", read_gone)

    def _own(self, path: str, at: datetime, media_type: str, read: Callable[[], bytes]) -> Resource:
        return Resource(f"{BASE}{path}", at, media_type, read)

    def _capture(self, one: Proven, gone: dict[str, str]) -> Iterator[Record]:
        """The files of one capture; exchanges over HTTP as such."""
        at = _moment(one)
        proofs = bundle.proof_files(
            one.folder, one.content, signature_of(self.bench, one), token_of(self.bench, one)
        )
        for path, content in proofs.items():
            media = "application/json" if path.endswith(".json") else "application/octet-stream"
            yield self._own(path, at, media, partial(bytes, content))
        calls = self._calls(one)
        for file in one.manifest.files:
            path = f"{one.folder}/{file.path}"
            if file.sha256 in self.found.removed:
                gone[path] = self.found.removed[file.sha256]
                continue
            read = partial(self.bench.artifacts.get, file.sha256)
            call = calls.get(file.path)
            yield call or self._own(path, at, file.media_type, read)
        said = {
            "capture": one.facts.id,
            "engine": one.facts.engine,
            "access": one.facts.access,
            "outcome": one.facts.outcome,
            "manifest_sha256": one.proof.manifest_sha256,
        }
        uri = f"{BASE}{one.folder}/"
        yield Resource(uri, at, "application/json", partial(canonical_json, said), kind="metadata")

    def _calls(self, one: Proven) -> dict[str, Call]:
        """Exchanges that were HTTP as it went over the wire, by the path of their body.

        What a browser captured is our own record of a page, and no answer of its address.
        """
        if one.facts.access != "api":
            return {}
        found = {}
        for payload in one.facts.payloads:
            if payload.request is None or payload.status is None or payload.failure is not None:
                continue
            place = f"payloads/{payload.seq:03d}-{payload.attempt:03d}."
            path = next(f.path for f in one.manifest.files if f.path.startswith(place))
            found[path] = self._call(one, payload)
        return found

    def _call(self, one: Proven, payload: captures.StoredPayload) -> Call:
        request = payload.request
        if request is None or payload.status is None:
            raise ValueError("an exchange without its request")
        query = "&".join(f"{warc.web_uri(k)}={warc.web_uri(v)}" for k, v in request.query)
        body = b"" if request.json is None else canonical_json(request.json)
        heads = (("content-type", "application/json"),) if body else ()
        return Call(
            uri=request.url + (f"?{query}" if query else ""),
            at=payload.started_at or _moment(one),
            method=request.method,
            request_headers=(*request.headers, *heads),
            request_body=body,
            status=payload.status,
            headers=payload.headers,
            read=partial(self.bench.artifacts.get, payload.sha256),
        )

    def _pages(self) -> Iterator[Record]:
        """Cited pages at their own addresses, and the texts read from them."""
        for fetch in self.found.fetches.values():
            fetched = fetch.fetched
            at = fetched.fetched_at or _moment(self.found.captures[0])
            if fetch.body_sha256 and fetch.body_sha256 not in self.found.removed:
                yield Resource(
                    fetched.final_url or fetched.url,
                    at,
                    fetched.media_type or "application/octet-stream",
                    partial(self.bench.artifacts.get, fetch.body_sha256),
                )
            if fetch.text_sha256 and fetch.text_sha256 not in self.found.removed:
                read = partial(self.bench.artifacts.get, fetch.text_sha256)
                yield self._own(f"pages/{fetch.text_sha256}.txt", at, "text/plain", read)
