"""One prompt: what is asked, what its evidence should be, what engines answered, and its past."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from monitor.domain.baseline import PromptBaseline
from monitor.domain.capture_line import CaptureLine
from monitor.domain.panel import Prompt
from monitor.domain.score import Measured, Scorecard, UndefinedReason, pooled
from monitor.report.matrix import SECTIONS
from monitor.report.numbers import moment
from monitor.report.screens.links import capture_address, rows_address
from monitor.report.screens.numbers import NumberView, not_measured, number_of_rate, unassessed_of
from monitor.report.screens.prompts import segments_of
from monitor.report.screens.series import Happening, Series, happenings, series_of
from monitor.report.slices import leading_measure
from monitor.report.tables import Row, Table
from monitor.report.view import ReportView, TrendPoint
from monitor.report.words import outcome_words, reason_words, whens

_LEAST_RUNS = 2

PROMPT_HEADER = (
    "panel", "run", "prompt", "version", "engine", "measure", "hits", "total", "value",
    "not_assessable", "not_assessable_reasons", "assessed_share", "undefined",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A source of the baseline."""

    key: str
    url: str | None
    grade: str
    evidence_type: str
    supports: tuple[str, ...]
    limitation: str
    reason: str


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """A claim of the baseline."""

    id: str
    text: str
    category: str
    is_required: bool


@dataclass(frozen=True, slots=True)
class PromptBaselineView:
    """What the evidence of a prompt should be, or why nobody says so."""

    version: str | None
    undefined: str
    """Why there is none for this wording; empty where there is one."""
    sources: tuple[SourceLine, ...]
    claims: tuple[ClaimLine, ...]


@dataclass(frozen=True, slots=True)
class PromptMeasure:
    """One measure, an engine a number."""

    name: str
    label: str
    section: str
    numbers: tuple[NumberView, ...]


@dataclass(frozen=True, slots=True)
class PromptAnswer:
    """One capture of the prompt in this run."""

    href: str
    engine: str
    repeat: int
    outcome: str
    asked_at: str
    model: str
    queries: tuple[str, ...]
    """Queries that the engine told it searched for."""


@dataclass(frozen=True, slots=True)
class Wording:
    """A version of the prompt: answers stay with the one they were asked under."""

    number: int
    """1 is the oldest of those shown."""
    text: str
    locale: str
    persona: str
    runs: tuple[str, ...]
    """Slots of the runs that asked it so, oldest first."""
    is_shown: bool
    """Whether the run shown asked it so."""


@dataclass(frozen=True, slots=True)
class PromptHistory:
    """One measure over the runs."""

    measure: str
    label: str
    series: tuple[Series, ...]


@dataclass(frozen=True, slots=True)
class PromptScreen:
    """Everything about one prompt in one run."""

    id: str
    text: str
    locale: str
    persona: str
    segments: tuple[str, ...]
    panel: str
    run: str
    fictional: bool
    engines: tuple[tuple[str, str], ...]
    baseline: PromptBaselineView
    measures: tuple[PromptMeasure, ...]
    """Measures with something counted for any engine."""
    undefined: tuple[str, ...]
    """Labels of the others."""
    answers: tuple[PromptAnswer, ...]
    wordings: tuple[Wording, ...]
    happened: tuple[Happening, ...]
    history: tuple[PromptHistory, ...]
    signatures: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PromptEvidence:
    """What is loaded for a prompt's page."""

    baseline: PromptBaseline | str
    """The baseline of this wording, or the closed reason why there is none."""
    baseline_label: str | None
    captures: Sequence[CaptureLine]
    """Of this run, in the order they were planned."""
    queries: Mapping[int, tuple[str, ...]]
    """Capture -> what its engine searched for."""
    past: Mapping[tuple[str, str], Mapping[str, Measured]]
    """(run, engine) -> measures of its answers to the prompt, pooled."""
    wordings: Mapping[str, Prompt]
    """Run -> the prompt as it was asked; runs that did not ask it are absent."""


def history_measures(prompt: Prompt) -> tuple[str, ...]:
    """Measures of which the past is shown."""
    return tuple(dict.fromkeys((leading_measure(prompt), "source_precision")))


def prompt_screen(view: ReportView, prompt: Prompt, found: PromptEvidence) -> PromptScreen:
    """One prompt of a run."""
    every = tuple(_measures(view, prompt, found))
    happened = happenings(view.trends, view.engines)
    return PromptScreen(
        id=prompt.id,
        text=prompt.text,
        locale=prompt.locale,
        persona=prompt.persona or "",
        segments=segments_of(replace(prompt, persona=None)),
        panel=view.panel.name,
        run=view.run,
        fictional=view.fictional,
        engines=tuple((engine.name, engine.label) for engine in view.engines),
        baseline=_baseline(found),
        measures=tuple(m for m in every if any(n.counts for n in m.numbers)),
        undefined=tuple(m.label for m in every if not any(n.counts for n in m.numbers)),
        answers=tuple(_answers(view, found)),
        wordings=_wordings(view, found),
        happened=happened,
        history=tuple(_histories(view, prompt, found, happened)),
        signatures=tuple(engine.card.signature for engine in view.engines),
    )


def _baseline(found: PromptEvidence) -> PromptBaselineView:
    """The baseline in words."""
    own = found.baseline
    if isinstance(own, str):
        return PromptBaselineView(found.baseline_label, reason_words(own), (), ())
    return PromptBaselineView(
        found.baseline_label,
        "",
        tuple(
            SourceLine(
                one.key,
                one.url,
                one.grade.value.replace("_", " "),
                one.evidence_type.value.replace("_", " "),
                one.supports,
                one.known_limitation,
                one.reason,
            )
            for one in own.sources
        ),
        tuple(
            ClaimLine(one.id, one.text, one.category.value.replace("_", " "), one.required)
            for one in own.claims
        ),
    )


def _measures(view: ReportView, prompt: Prompt, found: PromptEvidence) -> Iterator[PromptMeasure]:
    """Every measure of this run's answers to the prompt, repeats pooled."""
    placed: dict[str, list[int]] = {}
    for one in found.captures:
        placed.setdefault(one.engine, []).append(one.id)
    for name, note in view.measures.items():
        numbers = tuple(
            _number(view, prompt, engine.name, name, placed.get(engine.name, []))
            for engine in view.engines
        )
        yield PromptMeasure(name, note.label, SECTIONS.get(note.section, note.section), numbers)


def _number(
    view: ReportView, prompt: Prompt, engine: str, name: str, captures: list[int]
) -> NumberView:
    """One measure of one engine's answers."""
    if not captures:
        return not_measured("not asked")
    parts = [view.tallies[one].measures.get(name) for one in captures if one in view.tallies]
    counted = [part for part in parts if part is not None]
    if not counted:
        return not_measured(reason_words(UndefinedReason.NO_ANSWERED.value))
    href = rows_address(view.run, engine, name, prompt=prompt.id)
    return number_of_rate(pooled(counted), None, href)


def _answers(view: ReportView, found: PromptEvidence) -> Iterator[PromptAnswer]:
    """Captures of this run."""
    labels = {engine.name: engine.label for engine in view.engines}
    for one in found.captures:
        yield PromptAnswer(
            capture_address(one.id),
            labels.get(one.engine, one.engine),
            one.repeat,
            outcome_words(one.outcome),
            moment(one.asked_at) if one.asked_at else "not asked yet",
            one.served_model or "",
            found.queries.get(one.id, ()),
        )


def _wordings(view: ReportView, found: PromptEvidence) -> tuple[Wording, ...]:
    """Versions of the prompt in the order in which the runs shown asked them."""
    slots = _slots(view)
    keys = list(
        dict.fromkeys(found.wordings[run].version_key for run in slots if run in found.wordings)
    )
    made = []
    for number, key in enumerate(keys, start=1):
        asked = [
            run for run in slots if run in found.wordings and found.wordings[run].version_key == key
        ]
        one = found.wordings[asked[0]]
        runs = tuple(slots[run] for run in asked)
        made.append(
            Wording(number, one.text, one.locale, one.persona or "", runs, view.run in asked)
        )
    return tuple(made)


def _slots(view: ReportView) -> dict[str, str]:
    """Run -> its slot, as short as tells them apart; oldest first."""
    points = next((trend.points for trend in view.trends), ())
    names = whens([point.slot for point in points])
    return {p.run: name for p, name in zip(points, names, strict=True)} or {view.run: view.slot}


def _histories(
    view: ReportView, prompt: Prompt, found: PromptEvidence, happened: tuple[Happening, ...]
) -> Iterator[PromptHistory]:
    """Leading recall and source precision of the prompt over the runs; none where there is one."""
    trends = {t.engine: t for t in view.trends if len(t.points) >= _LEAST_RUNS}
    if not trends:
        return
    for name in history_measures(prompt):
        series = (
            series_of(
                engine,
                trends[engine.name],
                happened,
                partial(_past, prompt=prompt, found=found, engine=engine.name, name=name),
                apart=lambda point: _version(found, point),
            )
            for engine in view.engines
            if engine.name in trends
        )
        yield PromptHistory(name, view.measures[name].label, tuple(series))


def _version(found: PromptEvidence, point: TrendPoint) -> str | None:
    """The wording that a run asked; None where it did not ask the prompt."""
    asked = found.wordings.get(point.run)
    return asked.version_key if asked else None


def _past(
    point: TrendPoint,
    _: Scorecard,
    *,
    prompt: Prompt,
    found: PromptEvidence,
    engine: str,
    name: str,
) -> NumberView:
    """A measure of one run's answers to the prompt."""
    rate = found.past.get((point.run, engine), {}).get(name)
    if rate is None:
        return not_measured("not asked in this run")
    return number_of_rate(rate, None, rows_address(point.run, engine, name, prompt=prompt.id))


def prompt_table(screen: PromptScreen) -> Table:
    """A row for each measure, run and engine of the history, then for the other measures."""
    return PROMPT_HEADER, [*_history_rows(screen), *_measure_rows(screen)]


def _history_rows(screen: PromptScreen) -> Iterator[Row]:
    versions = {run: one.number for one in screen.wordings for run in one.runs}
    for one in screen.history:
        for series in one.series:
            for point in series.points:
                head = (screen.panel, point.run, screen.id, versions.get(point.name))
                yield (*head, series.engine, one.measure, *_cells(point.number))


def _measure_rows(screen: PromptScreen) -> Iterator[Row]:
    told = {one.measure for one in screen.history}
    shown = next((one.number for one in screen.wordings if one.is_shown), None)
    for one in screen.measures:
        for (engine, _), number in zip(screen.engines, one.numbers, strict=True):
            if one.name not in told:
                head = (screen.panel, screen.run, screen.id, shown, engine, one.name)
                yield (*head, *_cells(number))


def _cells(number: NumberView) -> Row:
    """A number's cells."""
    return (
        number.hits,
        number.total,
        number.value,
        *unassessed_of(number),
        number.assessed_share,
        number.undefined,
    )
