"""A run and the one before it -> the view that a report shows."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass

from monitor.domain.assessment import AssessedCapture
from monitor.domain.baseline import PromptBaseline
from monitor.domain.claim import Judge
from monitor.domain.engine import Access
from monitor.domain.keys import sha256_hex
from monitor.domain.money import Spent
from monitor.domain.panel import Panel
from monitor.domain.screenshot import Screenshot
from monitor.domain.trust import JudgeTrust
from monitor.engines import ENGINES
from monitor.pipeline.alerting import EngineFindings
from monitor.pipeline.bench import Bench
from monitor.pipeline.capture_views import Shown, capture_view
from monitor.pipeline.comparing import Compared, compare_runs, none_before, previous_run
from monitor.pipeline.funnels import run_funnels
from monitor.pipeline.grading import baseline_for
from monitor.pipeline.recalling import reminders, told_of
from monitor.pipeline.relations import bounded_recalls, overlaps, shared_sources
from monitor.pipeline.removed import picture_of
from monitor.pipeline.run_pages import RunPages, load_pages
from monitor.pipeline.tallying import Scored, score_run
from monitor.pipeline.trending import trends
from monitor.pipeline.trusting import count_labels, run_trust
from monitor.pipeline.verifying import run_manifest
from monitor.report.view import (
    CaptureView,
    EngineView,
    ManifestView,
    MeasureNote,
    ReportView,
    ScreenshotView,
)
from monitor.scoring.segments import EVERYTHING
from monitor.scoring.tally import MEASURES
from monitor.store import captures, citations, panels, runs, screenshots, spend


@dataclass(frozen=True, slots=True)
class _Evidence:
    """What the captures of one run rest on."""

    run: runs.Run
    rows: Mapping[int, captures.Capture]
    readings: Mapping[int, citations.StoredReading]
    payloads: Mapping[int, tuple[captures.StoredPayload, ...]]
    pages: RunPages
    shots: Mapping[int, tuple[Screenshot, ...]]
    spent: Mapping[int, Spent]


def build_report(
    bench: Bench, run: runs.Run, judge: Judge, found: Sequence[EngineFindings] = ()
) -> ReportView:
    """View of a run, compared with the run before it where there is one.

    `found` is what a run gives cause to tell whose alerts are not kept yet: it is about to end.
    """
    before = previous_run(bench, run)
    compared = compare_runs(bench, before, run, judge) if before else None
    after = compared.after if compared else score_run(bench, run, judge)
    panel = bench.read(lambda c: panels.load_panel_by_id(c, run.panel_id))
    baseline = after.baseline
    shown = [*_captures(bench, run, after)]
    if compared is not None and before is not None:
        shown += _captures(bench, before, compared.before)
    tallies = dict(after.tallies) | (dict(compared.before.tallies) if compared else {})
    planned = {p.engine for p in bench.read(lambda c: runs.load_plan(c, run.id))}
    trust = run_trust(bench, run, after.cards)
    return ReportView(
        panel=panel,
        run=run.public_id,
        slot=run.slot,
        before_run=before.public_id if before else None,
        before_slot=before.slot if before else None,
        made_at=bench.clock.now(),
        fictional=run.fictional,
        imported=run.imported,
        engines=_engines(run, after, compared, trust),
        skipped=unasked(run, panel, planned),
        captures=tuple(shown),
        tallies=tallies,
        baseline=f"{baseline.panel}@{baseline.label}" if baseline else None,
        drawn_blind=baseline.drawn_blind if baseline else None,
        annotators=len(baseline.annotators) if baseline else 0,
        spent_micros=bench.read(lambda c: spend.totals(c, run.id)).micros,
        measures=measure_notes(),
        overlaps=overlaps(after, compared.before if compared else None),
        shared=shared_sources(after),
        bounded=bounded_recalls(after),
        trends=trends(bench, run),
        manifests=tuple(_manifest(bench, one) for one in (run, before) if one),
        alerts=reminders(bench, run, found),
        told=told_of(bench, run, found),
        strict_level=bench.settings.alerts.rules.strict_level,
        trust=trust,
        funnels=run_funnels(bench, run, after.cards),
    )


def measure_notes() -> dict[str, MeasureNote]:
    """What every measure is called and means, in reading order."""
    return {
        name: MeasureNote(d.label, d.meaning, d.unit, d.section, d.direction.value)
        for name, d in MEASURES.items()
    }


def unasked(run: runs.Run, panel: Panel, asked: Container[str]) -> tuple[tuple[str, str], ...]:
    """(engine of the panel, why it is not in a run); none for answers that people handed in."""
    if run.imported:
        return ()
    return tuple((one, "not asked in this run") for one in panel.engines if one not in asked)


def engine_label(name: str, access: Access) -> str:
    """Name a reader sees; that of a surface says how its answers were obtained in this run."""
    engine = ENGINES[name]
    own = f"({engine.access.value}"
    return (
        engine.label if access is engine.access else engine.label.replace(own, f"({access.value}")
    )


def _manifest(bench: Bench, run: runs.Run) -> ManifestView:
    """Hash of a run's manifest, as `verify` prints it."""
    return ManifestView(run.public_id, run.panel_version, sha256_hex(run_manifest(bench, run)))


def _engines(
    run: runs.Run, after: Scored, compared: Compared | None, trust: JudgeTrust | None
) -> tuple[EngineView, ...]:
    """One engine each, with its segments and what changed."""
    cards = count_labels(after.cards, trust)
    whole = [card for card in cards if card.segment == EVERYTHING]
    before = {
        card.engine: card
        for card in (compared.before.cards if compared else ())
        if card.segment == EVERYTHING
    }
    return tuple(
        EngineView(
            name=card.engine,
            label=engine_label(card.engine, after.access[card.engine]),
            access=after.access[card.engine],
            card=card,
            segments=tuple(
                c for c in after.cards if c.engine == card.engine and c.segment != EVERYTHING
            ),
            before=before.get(card.engine),
            comparison=compared.comparisons.get(card.engine) if compared else None,
            skipped_before=None if compared else none_before(run),
        )
        for card in whole
    )


def _captures(bench: Bench, run: runs.Run, scored: Scored) -> list[CaptureView]:
    """Every assessed capture of a run with its proof."""
    evidence = _Evidence(
        run,
        {c.id: c for c in bench.read(lambda c: captures.load_captures(c, run.id))},
        bench.read(lambda c: citations.load_readings(c, run.id)),
        bench.read(lambda c: captures.load_run_payloads(c, run.id)),
        load_pages(bench, run),
        bench.read(lambda c: screenshots.load_run_screenshots(c, run.id)),
        bench.read(lambda c: spend.totals_by_capture(c, (a.capture_id for a in scored.assessed))),
    )
    return [
        _capture(bench, evidence, one, scored)
        for one in sorted(scored.assessed, key=lambda a: (a.engine, a.prompt.id, a.repeat))
    ]


def _capture(
    bench: Bench, evidence: _Evidence, one: AssessedCapture, scored: Scored
) -> CaptureView:
    """One capture with everything a reader may ask of it."""
    own = baseline_for(scored.baseline, one.prompt)
    shown = Shown(
        one,
        evidence.readings[one.capture_id],
        evidence.run.slot,
        evidence.rows[one.capture_id].stored_at,
        evidence.payloads.get(one.capture_id, ()),
        own if isinstance(own, PromptBaseline) else None,
        evidence.spent.get(one.capture_id),
    )
    shots = _screenshots(bench, evidence.shots.get(one.capture_id, ()))
    return capture_view(shown, evidence.pages, scored.policy, shots)


def _screenshots(bench: Bench, shots: Sequence[Screenshot]) -> tuple[ScreenshotView, ...]:
    """Pictures of a capture with their bytes; those that retention removed are left out."""
    return tuple(
        ScreenshotView(
            kind=shot.kind.value,
            sha256=shot.sha256,
            jpeg=jpeg,
            url=shot.url,
            taken_at=shot.taken_at,
            browser=shot.browser,
            viewport=shot.viewport,
            locale=shot.locale,
        )
        for shot in shots
        if (jpeg := picture_of(bench, shot.sha256)) is not None
    )
