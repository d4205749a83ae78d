"""A run's scorecards, families and citations as JSON and CSV with a versioned schema."""

import json
from pathlib import Path
from typing import Any

from monitor.domain.engine import Placement
from monitor.domain.score import Concentration, Scorecard, interval_json
from monitor.domain.trust import JudgeTrust
from monitor.errors import MonitorError, StoreError
from monitor.pipeline.bench import Bench, without_cycle_search
from monitor.pipeline.counting import mapped
from monitor.pipeline.funnels import funnel_json, run_funnels
from monitor.pipeline.importing_json import import_json
from monitor.pipeline.plain_files import drafted, unwritable
from monitor.pipeline.rates_json import bounds_json, rate_json
from monitor.pipeline.trust_json import agreement_json, corrections_of, trust_json
from monitor.pipeline.trusting import count_labels, judge_of, run_trust
from monitor.report.csv import to_csv
from monitor.report.tables import family_rows, scorecard_rows
from monitor.store import captures, citations, imported, pages, runs, scores

SCHEMA = "monitor-export-1"

Row = tuple[str | int | float | bool | None, ...]

_CITATION_HEADER = (
    "run", "capture", "engine", "access", "prompt", "repeat", "outcome", "asked_at",
    "served_model", "position", "role", "marks", "raw_url", "clean_url", "page_key", "family",
    "unit", "flags", "fetch_status", "title", "locale", "locale_state", "reach", "in_view",
    "group", "group_size", "hidden_citations",
)  # fmt: skip


def export_json(bench: Bench, run: runs.Run) -> str:
    """One JSON object of a run: scorecards with counts, captures with citations."""
    with without_cycle_search():
        return _export_json(bench, run)


def _export_json(bench: Bench, run: runs.Run) -> str:
    """The same, built of millions of values where a run is large."""
    header, rows = citation_rows(bench, run)
    cards = _cards(bench, run)
    trust = run_trust(bench, run, cards)
    noted = bench.read(lambda c: imported.load_imports(c, run.id))
    body = {
        "schema": SCHEMA,
        "run": run.public_id,
        "panel": f"{run.panel}@{run.panel_version}",
        "slot": run.slot,
        "state": run.state.value,
        "prompts": _prompts(bench, run),
        "trust": trust_json(trust) if trust else None,
        "scorecards": [card_json(card, trust) for card in count_labels(cards, trust)],
        "funnels": [funnel_json(one) for one in run_funnels(bench, run, cards)],
        "imports": [import_json(capture_id, one) for capture_id, one in noted.items()],
        "citations": [dict(zip(header, row, strict=True)) for row in rows],
    }
    return json.dumps(body, ensure_ascii=True, indent=1, allow_nan=False)


def _prompts(bench: Bench, run: runs.Run) -> list[dict[str, Any]]:
    """The prompts of a run in the version that was asked, whatever the panel says by now."""
    plan = bench.read(lambda c: runs.load_plan(c, run.id))
    asked = {prompt.id: prompt for part in plan for prompt in part.prompts}
    return [
        {
            "prompt": one.id,
            "version_key": one.version_key,
            "text": one.text,
            "locale": one.locale,
            "persona": one.persona,
        }
        for one in asked.values()
    ]


def export_csv(bench: Bench, run: runs.Run, folder: Path) -> tuple[Path, ...]:
    """CSV files of a run in a folder: scorecards, families, citations; returns their paths."""
    with without_cycle_search():
        files = {name: to_csv(*table) for name, table in _tables(bench, run).items()}
    if str(folder) == "-":
        raise MonitorError("csv writes several files: name a folder with --out, not `-`")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unwritable(folder, error) from error
    for name, text in files.items():
        write_text(folder / name, text)
    return tuple(folder / name for name in files)


def _tables(bench: Bench, run: runs.Run) -> dict[str, tuple[tuple[str, ...], list[Row]]]:
    """Header and rows of each file."""
    cards = _cards(bench, run)
    return {
        "scorecards.csv": scorecard_rows(cards),
        "families.csv": family_rows(cards),
        "citations.csv": citation_rows(bench, run),
    }


def write_text(path: Path, text: str) -> None:
    """The whole text as UTF-8 or nothing, as `write_bytes` writes."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """The whole file or nothing, as `drafted` puts it there; MonitorError where that cannot be."""
    with drafted(path) as draft:
        draft.write_bytes(content)


def _cards(bench: Bench, run: runs.Run) -> tuple[Scorecard, ...]:
    """Scorecards of a run; StoreError when it was not scored yet."""
    cards = bench.read(lambda c: scores.load_scorecards(c, run.id))
    if not cards:
        raise StoreError(
            f"{run.public_id} has no scorecards yet; run `monitor resume {run.public_id}`"
        )
    return cards


def citation_rows(bench: Bench, run: runs.Run) -> tuple[tuple[str, ...], list[Row]]:
    """One row per distinct raw URL of each capture, in order of first mark."""
    readings = bench.read(lambda c: citations.load_readings(c, run.id))
    fetches = bench.read(lambda c: pages.load_fetches(c, run.id))
    rows: list[Row] = []
    for capture in bench.read(lambda c: captures.load_captures(c, run.id)):
        stored = readings.get(capture.id)
        if stored is None:
            continue
        reading = stored.reading
        # By the family map of now, as the scorecards beside it are counted.
        pairs = zip(reading.citations, mapped(bench, stored.identities), strict=True)
        for position, (citation, identity) in enumerate(pairs, start=1):
            fetch = fetches.get(identity.page_key or "")
            rows.append(
                (
                    run.public_id,
                    capture.id,
                    capture.engine,
                    capture.access.value,
                    capture.prompt.id,
                    capture.repeat,
                    reading.outcome.value,
                    capture.asked_at.isoformat() if capture.asked_at else None,
                    reading.served_model,
                    position,
                    citation.role.value,
                    citation.marks,
                    citation.url,
                    identity.clean_url,
                    identity.page_key,
                    identity.family,
                    identity.unit,
                    " ".join(identity.flags),
                    fetch.fetched.status.value if fetch else None,
                    citation.title,
                    capture.prompt.locale,
                    capture.locale_state.value if capture.locale_state else None,
                    *_placement(citation.placement),
                    reading.hidden_citations,
                )
            )
    return _CITATION_HEADER, rows


def _placement(placed: Placement | None) -> tuple[str | bool | int | None, ...]:
    """Where an interface showed a citation, column by column; nulls where none was seen."""
    shown = placed or Placement()
    reach = shown.reach.value if shown.reach else None
    return reach, shown.in_view, shown.group, shown.group_size


def card_json(card: Scorecard, trust: JudgeTrust | None = None) -> dict[str, Any]:
    """A scorecard as JSON: counts first, value second, null with a reason.

    It names its judge; with `trust` it says how that one agrees with people, and a measure that
    their labels correct has the corrected rate beside the judge's own.
    """
    judge = judge_of(card)
    known = trust if trust and trust.judge == judge else None
    corrected = corrections_of(known, card)
    return {
        "panel": card.panel,
        "run": card.run,
        "engine": card.engine,
        "segment": card.segment,
        "signature": card.signature,
        "recipe": card.recipe,
        "judge": judge,
        "judge_agreement": agreement_json(known),
        "coverage": {
            "planned": card.coverage.planned,
            "attempted": card.coverage.attempted,
            "heard": card.coverage.heard,
            "answered": card.coverage.answered,
            "outcomes": dict(card.coverage.outcomes),
        },
        "measures": {
            name: {
                **rate_json(m.rate),
                "interval": interval_json(m.interval),
                "prompts": m.prompts,
                **({"corrected": corrected[name]} if name in corrected else {}),
            }
            for name, m in card.measures.items()
        },
        "families": [
            {
                "family": f.family,
                **rate_json(f.rate),
                "interval": interval_json(f.interval),
                "independent": rate_json(f.independent),
                "prompts": f.prompts,
            }
            for f in card.families
        ],
        "concentration": _concentration(card.concentration),
        "independent_concentration": _concentration(card.independent_concentration),
    }


def _concentration(one: Concentration) -> dict[str, Any]:
    """HHI and its companions."""
    return {
        "hhi": one.hhi,
        "effective_sources": one.effective_sources,
        "bounds": bounds_json(one.bounds),
        "citations": one.citations,
        "families": one.families,
        "cross_prompt": one.cross_prompt,
        "cross_prompt_interval": interval_json(one.cross_prompt_interval),
    }
