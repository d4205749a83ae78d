"""A store as the version of revision 0001 left it: every table has rows, two runs, one cut short.

Everything is synthetic and written out as that version wrote it, bytes and pointers included: no
function of today's store has a hand in it except the migration to 0001 and the folder of bytes.
"""

import hashlib
import json
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import MetaData, select

from monitor.store import open_artifacts, open_database, upgrade
from monitor.store.tables import metadata

JANUARY, FEBRUARY = "run:trees:2026-01", "run:trees:2026-02"
AT = datetime(2026, 1, 1, 6, 0, 0, 123456, tzinfo=UTC)
LATE = datetime(2026, 1, 31, 23, 59, 59, 999999, tzinfo=UTC)
"""The last moment of a month, at which a call was reserved."""
MONTHS = {"2026-01": (3, 45_000 + 45_000 + 7), "2026-02": (1, 45_000)}
"""Calls and micro-USD by month: two settled and one at the edge of January; one open call."""

_RECIPE = "a420d98791d7d871"
_SIGNATURE = (
    "panel:trees@1|engine:openai|access:api|locale:en-GB|baseline:trees@2026-01|urls:1|families:1"
    "|claims:1|judge:embedded@1|profile:monitor|partial:half"
    "|adequate:any,ymyl=required_or_acceptable|relevance:9b869400|request:ebb0ff4b928b|parse:1"
    "|pages:1|scoring:1||window:2026-01|served:made-up-1-2026-01-01|n:2|answered:2/2|seed:none"
    "|version:0.1.0"
)
_URL = "https://oak.example/growth"
_COPY = "https://copy.example/growth"
_MARK = f"([oak]({_URL}))"
_ANSWER = f"Oaks grow slowly from acorns {_MARK}."
_SPAN = (_ANSWER.index(_MARK), _ANSWER.index(_MARK) + len(_MARK))
_TEXT = "Oaks grow slowly from acorns. They live for centuries and more, as many people know."
_HTML = f"<p>{_TEXT}</p>"
_PROMPTS = {
    "p1": ("134d50990b83bd8f", "How do oaks grow?"),
    "p2": ("9c38d687ba3e1021", "Where do oaks live?"),
}
_BASELINE = "panel: trees\nversion: 2026-01\nprompts: {p1: {claims: []}}\n"
_PICTURE = b"\xff\xd8synthetic picture\xff\xd9"
_PLAIN = dict.fromkeys(("intent", "topic"))


def answer_body() -> bytes:
    """A payload as the vendor sent it, made up."""
    mark = {"type": "url_citation", "url": _URL, "title": "Oaks",
            "start_index": _SPAN[0], "end_index": _SPAN[1]}  # fmt: skip
    text = {"type": "output_text", "text": _ANSWER, "annotations": [mark]}
    action = {"type": "search", "queries": ["oaks"], "query": None, "sources": None}
    return json.dumps(
        {
            "id": "resp_synthetic", "object": "response", "status": "completed", "error": None,
            "incomplete_details": None, "model": "made-up-1-2026-01-01",
            "output": [
                {"type": "web_search_call", "status": "completed", "action": action},
                {"type": "message", "role": "assistant", "status": "completed", "content": [text]},
            ],
            "usage": {"input_tokens": 900, "output_tokens": 80},
        }
    ).encode()  # fmt: skip


def build_old_store(database_url: str, folder: Any, *, base_url: str | None = None) -> None:
    """Make a store at revision 0001 with its bytes in a folder; February has a capture to go."""
    database = open_database(database_url)
    upgrade(database, "0001")
    with database.write() as connection:
        tables = MetaData()
        tables.reflect(connection)
        rows = old_rows(base_url)
        assert set(rows) == set(tables.tables) - {"alembic_version"}
        for table in tables.sorted_tables:
            for row in rows.get(table.name, ()):
                connection.execute(table.insert(), row)
        if not database.is_sqlite:
            for name in (t.name for t in tables.sorted_tables if "id" in t.c):
                connection.exec_driver_sql(
                    f"SELECT setval(pg_get_serial_sequence('{name}', 'id'), max(id)) FROM {name}"
                )
    database.close()
    _keep_bytes(folder, base_url)


def stored_rows(database_url: str) -> dict[str, list[dict[str, Any]]]:
    """Every row of a store as plain values, times with their zone, by table, in order of its key."""
    database = open_database(database_url)
    with database.read() as connection:
        tables = MetaData()
        tables.reflect(connection)
        found = {
            table.name: [
                {name: _plain(value) for name, value in row.items()}
                for row in connection.execute(select(table).order_by(*table.primary_key)).mappings()
            ]
            for table in tables.sorted_tables
            if table.name in metadata.tables
        }
    database.close()
    return found


def _plain(value: Any) -> Any:
    """A value as both kinds of database give it."""
    if isinstance(value, datetime) and value.tzinfo is None:
        return value.replace(tzinfo=UTC)
    return value


def old_rows(base_url: str | None = None) -> dict[str, list[dict[str, Any]]]:
    """Every row of that store by table."""
    stored = (1, 2, 3)
    return {
        **_asked_rows(base_url),
        "payload": [_payload(n, base_url) for n in stored],
        "reading": [_reading(n) for n in stored],
        "citation": [_source(n) | _CITED for n in stored],
        "retrieved_source": [_source(n) for n in stored],
        "search_query": [
            {"reading_id": n, "position": 0, "capture_id": n, "text": "oaks"} for n in stored
        ],
        "claim_set": [
            {"id": n, "reading_id": n, "capture_id": n, "claims_version": "1",
             "answer_format": "prose", "made_at": AT}
            for n in stored
        ],
        "statement": [
            {"claim_set_id": n, "position": 0, "text": "Oaks grow slowly from acorns.",
             "start_offset": 0, "end_offset": len(_ANSWER), "kind": "claim", "citations": [0],
             "unmapped": 0}
            for n in stored
        ],
        "claim": [
            {"claim_set_id": n, "statement": 0, "position": 0,
             "text": "Oaks grow slowly from acorns.", "start_offset": 0,
             "end_offset": len(_ANSWER)}
            for n in stored
        ],
        **_page_rows(),
        **_number_rows(),
    }  # fmt: skip


def _asked_rows(base_url: str | None) -> dict[str, list[dict[str, Any]]]:
    """Panel, baseline, runs, captures, money and a picture."""
    return {
        "panel_version": [
            {"id": 1, "name": "trees", "version": 1, "content_key": "bf" * 32, "saved_at": AT,
             "body": {
                 "name": "trees", "version": 1, "repeats": 1, "locale": "en-GB",
                 "engines": ["openai"], "schedule": None, "client_domains": [], "watch": [],
                 "engine_plans": [],
                 "prompts": [
                     {"id": name, "text": text, "locale": "en-GB", "persona": None,
                      "risk": "standard", "freshness_matters": False, "recall": "claim_evidence"}
                     | _PLAIN
                     for name, (_, text) in _PROMPTS.items()
                 ],
             }}
        ],
        "prompt_version": [
            {"id": n, "prompt_id": name, "version_key": key, "text": text, "locale": "en-GB",
             "persona": None}
            for n, (name, (key, text)) in enumerate(_PROMPTS.items(), start=1)
        ],
        "panel_prompt": [
            {"panel_version_id": 1, "position": n, "prompt_version_id": n + 1} for n in range(2)
        ],
        "baseline_version": [
            {"id": 1, "panel": "trees", "version": "2026-01", "content_key": "k", "frozen_at": AT,
             "source_text": _BASELINE, "saved_at": AT,
             "body": {
                 "panel": "trees", "version": "2026-01", "annotators": ["r1"], "drawn_blind": True,
                 "frozen_at": "2026-01-01T06:00:00+00:00", "guideline": "1", "content_key": "k",
                 "bound": [["p1", "134d50990b83bd8f"]],
                 "prompts": [["p1", {"prompt_id": "p1", "sources": [], "claims": [
                     {"id": "c1", "text": "Oaks grow slowly.", "category": "core_fact",
                      "required": True}]}]],
             }}
        ],
        "run": [
            _run(1, JANUARY, base_url) | {
                "state": "done", "spent_calls": 3, "spent_micros": 90_007,
                "finished_at": AT + timedelta(hours=1)},
            _run(2, FEBRUARY, base_url) | {
                "state": "running", "spent_calls": 1, "spent_micros": 45_000, "finished_at": None},
        ],
        "capture": [
            _capture(1, 1, 1), _capture(2, 1, 2), _capture(3, 2, 1),
            _capture(4, 2, 2)
            | {"state": "planned", "asked_at": None, "stored_at": None, "reading_id": None},
        ],
        "spend": [
            _spent(1, 1, 1, AT) | {"settled_micros": 45_000, "settled_at": AT},
            _spent(2, 1, 2, AT) | {"settled_micros": 45_000, "settled_at": AT},
            _spent(3, 1, 2, LATE) | {"settled_micros": 7, "settled_at": LATE, "attempt": 2},
            _spent(4, 2, 3, AT + timedelta(days=31)),
        ],
        "screenshot": [
            {"id": 1, "capture_id": 1, "kind": "full", "sha256": _hash(_PICTURE), "url": _URL,
             "taken_at": AT, "browser": "chromium 1", "viewport_width": 1280,
             "viewport_height": 900, "width": 1280, "height": 4000, "locale": "en-GB"}
        ],
    }  # fmt: skip


def _run(n: int, name: str, base_url: str | None) -> dict[str, Any]:
    settings = {"model": "gpt-5.2", "base_url": base_url, "country": None, "options": []}
    return {
        "id": n, "public_id": name, "panel_version_id": 1, "slot": name[-7:],
        "plan": [{"engine": "openai", "access": "api", "settings": settings,
                  "request_key": "ebb0ff4b928b", "prompts": [1, 2], "repeats": 1}],
        "config": {"panels": "prompt_panels", "engines": {}, "sandbox": {"hosts": {}}},
        "cap_calls": 5000, "cap_micros": 50_000_000,
        "created_at": AT, "started_at": AT,
    }  # fmt: skip


def _capture(n: int, run: int, prompt: int) -> dict[str, Any]:
    return {
        "id": n, "run_id": run, "prompt_version_id": prompt, "engine": "openai", "access": "api",
        "repeat": 1, "state": "stored", "request_key": "ebb0ff4b928b", "asked_at": AT,
        "stored_at": AT + timedelta(seconds=4), "reading_id": n,
    }  # fmt: skip


def _spent(n: int, run: int, capture: int, at: datetime) -> dict[str, Any]:
    return {
        "id": n, "run_id": run, "capture_id": capture, "engine": "openai", "attempt": 1,
        "currency": "USD", "reserved_micros": 45_000, "settled_micros": None, "reserved_at": at,
        "settled_at": None,
    }  # fmt: skip


def _request(n: int, base_url: str | None) -> dict[str, Any]:
    return {
        "method": "POST", "url": f"{base_url or 'https://api.openai.com/v1'}/responses",
        "json": {"model": "gpt-5.2", "input": list(_PROMPTS.values())[n == 2][1], "store": False},
        "query": [], "headers": [],
    }  # fmt: skip


def _payload(n: int, base_url: str | None) -> dict[str, Any]:
    request = _request(n, base_url)
    return {
        "id": n, "capture_id": n, "seq": 0, "attempt": 0, "request": request,
        "request_hash": _hash(_canonical(request)), "status": 200,
        "headers": [["content-type", "application/json"]], "sha256": _hash(answer_body()),
        "started_at": AT, "duration_ms": 4000, "failure": None,
    }  # fmt: skip


def _reading(n: int) -> dict[str, Any]:
    return {
        "id": n, "capture_id": n, "parse_version": "1", "urls_version": "1", "made_at": AT,
        "outcome": "answered", "reason": None, "text": _ANSWER, "retrieval": "used",
        "requested_model": "gpt-5.2", "served_model": "made-up-1-2026-01-01",
        "locale_confirmed": None, "usage": {"input_tokens": 900, "output_tokens": 80},
        "cost_micros": None, "cost_currency": None, "cost_basis": None, "warnings": [],
        "shopping": False,
    }  # fmt: skip


def _source(n: int) -> dict[str, Any]:
    return {
        "id": n, "reading_id": n, "capture_id": n, "position": 0, "raw": _URL, "title": "Oaks",
        "clean_url": _URL, "page_key": _URL, "page_hash": _hash(_URL.encode()),
        "family": "oak.example", "unit": None, "flags": [], "resolved": False,
    }  # fmt: skip


_CITED = {"role": "displayed", "marks": 1, "spans": [[*_SPAN, "marker"]], "snippet": None}


def _page_rows() -> dict[str, list[dict[str, Any]]]:
    """Pages, their fetches in both runs, and a pair of copies."""
    urls = (_URL, _COPY)
    plain = {
        "status": "ok", "http_status": 200, "hops": [], "media_type": "text/html",
        "charset": "utf-8", "fetched_at": AT, "detail": None, "body_sha256": _hash(_HTML.encode()),
        "text_sha256": _hash(_TEXT.encode()), "has_text": True, "title": "Oaks",
        "canonical": None, "canonical_key": None, "syndicated_from": None, "published": AT.date(),
        "updated": None, "paywalled": False, "pages_version": "1",
    }  # fmt: skip
    return {
        "page": [
            {"id": n, "page_key": url, "page_hash": _hash(url.encode()), "url": url,
             "family": None, "seen_at": AT}
            for n, url in enumerate(urls, start=1)
        ],
        "page_fetch": [
            plain | {"id": 1, "run_id": 1, "page_id": 1, "url": _URL, "final_url": _URL},
            plain | {"id": 2, "run_id": 1, "page_id": 2, "url": _COPY, "final_url": _COPY},
            plain | {"id": 3, "run_id": 2, "page_id": 1, "url": _URL, "final_url": _URL},
        ],
        "group_set": [{"id": 1, "run_id": 1, "pages_version": "1"}],
        "evidence_group": [
            {"group_set_id": 1, "page_hash": _hash(url.encode()), "page_key": url,
             "group_key": _COPY, "position": n, "original": None}
            for n, url in enumerate(sorted(urls))
        ],
        "page_copy": [
            {"group_set_id": 1, "position": 0, "page_a": _COPY, "page_b": _URL,
             "containment": 0.1 + 0.2, "shared": 12}
        ],
    }  # fmt: skip


def _number_rows() -> dict[str, list[dict[str, Any]]]:
    """Verdicts, tallies, a scorecard and a comparison."""
    nothing = {"hhi": None, "effective_sources": None, "bounds": None, "citations": 0,
               "families": 0, "cross_prompt": None, "cross_prompt_interval": None}  # fmt: skip
    recall = {"name": "citation_recall", "interval": None, "prompts": 2,
              "rate": {"hits": 2, "total": 2, "not_assessable": []}}  # fmt: skip
    return {
        "verdict": [
            {"id": 1, "key": "34" * 32, "claim_hash": "53" * 32, "evidence_hash": "f1" * 32,
             "judge": "embedded@1", "evidence": [_hash(_TEXT.encode())], "support": "full",
             "reasons": ["copied"], "score": 0.97, "quote": "Oaks grow slowly from acorns.",
             "quote_start": 0, "quote_end": 29, "quote_evidence": _hash(_TEXT.encode()),
             "judged_by": "embedded@1", "cost_micros": 0, "made_at": AT}
        ],
        "tally_set": [
            {"id": 1, "run_id": 1, "recipe": _RECIPE, "captures": [1, 2], "made_at": AT}
        ],
        "tally": [
            {"tally_set_id": 1, "capture_id": n, "measure": measure, "category": "", **counts}
            for n in (1, 2)
            for measure, counts in (
                ("citation_recall", _counts(1.0, 1.0)),
                ("source_precision", _counts(None, None)),
            )
        ],
        "family_tally": [
            {"tally_set_id": 1, "capture_id": 1, "family": "oak.example", "pages": 1, "groups": 1}
        ],
        "scorecard": [
            {"id": 1, "run_id": 1, "recipe": _RECIPE, "engine": "openai", "segment": "all",
             "signature": _SIGNATURE, "made_at": AT,
             "body": {
                 "panel": "trees", "run": JANUARY, "engine": "openai", "segment": "all",
                 "coverage": {"planned": 2, "attempted": 2, "heard": 2, "answered": 2,
                              "outcomes": [["answered", 2]]},
                 "measures": [["citation_recall", recall]], "families": [],
                 "concentration": nothing, "independent_concentration": nothing,
                 "signature": _SIGNATURE, "recipe": _RECIPE,
             }}
        ],
        "comparison": [
            {"id": 1, "panel": "trees", "engine": "openai", "before_run_id": 1, "after_run_id": 2,
             "recipe": _RECIPE, "made_at": AT,
             "body": {
                 "engine": "openai", "panel_version": "trees@1", "before_id": JANUARY,
                 "after_id": FEBRUARY, "events": [], "families": [], "measures": [],
                 "gates": {"matched": 2, "panel": 2, "heard_before": 1.0, "heard_after": 0.5,
                           "failures": []},
             }}
        ],
    }  # fmt: skip


def _counts(hits: float | None, total: float | None) -> dict[str, Any]:
    known = hits is not None
    return {"hits": hits, "total": total, "not_assessable": {} if known else None,
            "undefined": None if known else "no_baseline"}  # fmt: skip


def _keep_bytes(folder: Any, base_url: str | None) -> None:
    """Bodies, pages, a picture, and the record of every exchange under its run's own pointer."""
    artifacts = open_artifacts(folder)
    for content in (answer_body(), _HTML.encode(), _TEXT.encode(), _PICTURE):
        artifacts.put(content)
    for n, name in ((1, JANUARY), (2, JANUARY), (3, FEBRUARY)):
        owner = _hash(_canonical([name, AT.isoformat()]))[:16]
        row = _payload(n, base_url)
        record = {
            "envelope": 1, "seq": 0, "attempt": 0, "request": row["request"], "status": 200,
            "headers": row["headers"], "body_sha256": row["sha256"],
            "started_at": AT.isoformat(), "duration_ms": 4000, "failure": None, "redacted": 0,
        }  # fmt: skip
        sha256 = artifacts.put(_canonical(record))
        artifacts.point(f"{owner}/capture/{n}/000/000", sha256)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _canonical(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()
