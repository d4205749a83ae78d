"""The first screen of a run: what changed, is it noise, was it measured, what to do next."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from monitor.domain.change import ChangeRules
from monitor.domain.score import Coverage
from monitor.report.families import family_names
from monitor.report.findings import headline
from monitor.report.screens.links import family_address, family_rows_address, page_address
from monitor.report.screens.matrix import EVERYTHING, MatrixScreen, matrix_screen
from monitor.report.screens.numbers import NumberView, number_of_share
from monitor.report.screens.overview import CoverageView, RunRow, coverage_view
from monitor.report.screens.run_news import News, news
from monitor.report.screens.run_steps import StepView, run_steps
from monitor.report.screens.slices import SlicesView, slices_view
from monitor.report.screens.trust import TrustScreen
from monitor.report.view import ReportView
from monitor.report.words import plural

_FAMILIES = 8
"""Families on the first screen; all of them stand on their own page."""


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """What the store knows of one engine in a run, beside its scorecard."""

    label: str
    coverage: Coverage
    cost_micros: int = 0
    calls: int = 0
    locale_states: Mapping[str, int] | None = None
    """What canaries said of the locale -> captures; None where none was asked."""
    resting: str = ""
    """Why nothing is asked now; empty where nothing is in the way."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What the store knows of a run, beside its scorecards."""

    row: RunRow
    engines: Mapping[str, EngineFacts]
    judge: str
    splitter: str | None
    judge_micros: int
    caps: str
    """Most calls and most money, in words; empty for none."""
    frozen_at: datetime | None
    """When the baseline of now was frozen; None for a draft, and for none."""
    captures_of: Mapping[int, str]
    """Capture id -> engine."""
    alert_ids: Mapping[str, int]
    """Key of an alert that the run raised -> its id."""


@dataclass(frozen=True, slots=True)
class MeasuredLine:
    """Whether one engine was measured: its captures by outcome, its cost, its locale."""

    engine: str
    label: str
    coverage: CoverageView
    is_thin: bool
    """Whether too little was heard for a comparison."""
    is_scored: bool
    cost_micros: int
    calls: int
    locale: str
    resting: str


@dataclass(frozen=True, slots=True)
class FamilyTop:
    """One family's share at every engine."""

    family: str
    href: str
    numbers: tuple[NumberView, ...]


@dataclass(frozen=True, slots=True)
class Command:
    """Something to type, and what it is for."""

    words: str
    command: str


@dataclass(frozen=True, slots=True)
class RunScreen:
    """Everything of the first screen of a run."""

    run: RunRow
    headline: str
    missing: tuple[str, ...]
    """What there is not, and what to do; empty for a run that is done and scored."""
    is_live: bool
    """Whether more captures may come."""
    news: News
    measured: tuple[MeasuredLine, ...]
    baseline: str
    judge: str
    locale: str
    caps: str
    skipped: tuple[tuple[str, str], ...]
    """(engine of the panel, why it was not asked)."""
    steps: tuple[StepView, ...]
    segment: str
    """`all`, or the part of the run that the matrix is of."""
    matrix: MatrixScreen
    slices: SlicesView
    families: tuple[FamilyTop, ...]
    families_in_all: int
    families_href: str
    commands: tuple[Command, ...]
    signatures: tuple[str, ...]
    trust: TrustScreen | None = None
    """The judge beside people; None where there is no scorecard yet."""


def run_screen(view: ReportView, facts: RunFacts, segment: str | None) -> RunScreen:
    """The first screen; `segment` is a field, `topic`, or a part, `topic=tax`, or None."""
    told = news(view, facts.alert_ids)
    missing = tuple(_missing(view, facts))
    part = segment if segment and "=" in segment else EVERYTHING
    names = _family_names(view)
    return RunScreen(
        run=facts.row,
        headline=told.headline if view.engines else unscored(facts.row),
        missing=missing,
        is_live=facts.row.state in _LIVE,
        news=told,
        measured=_measured(view, facts),
        baseline=_baseline(view, facts),
        judge=_judge(facts),
        locale=", ".join(sorted({prompt.locale for prompt in view.panel.prompts})),
        caps=facts.caps,
        skipped=view.skipped,
        steps=run_steps(view, told.told, facts.captures_of) if view.engines else (),
        segment=part,
        matrix=matrix_screen(view, part),
        slices=slices_view(view, segment),
        families=tuple(_family(view, name) for name in names[:_FAMILIES]),
        families_in_all=len(names),
        families_href=page_address("families", run=view.run),
        commands=_commands(view.run),
        signatures=tuple(engine.card.signature for engine in view.engines),
    )


_LIVE = frozenset({"planned", "running"})


def run_headline(view: ReportView, row: RunRow) -> str:
    """What the first screen of a run says first."""
    return headline(view) if view.engines else unscored(row)


def unscored(row: RunRow) -> str:
    """Headline of a run without any scorecard."""
    heard = row.coverage
    return f"No numbers yet: {heard.answered} of {plural(heard.planned, 'capture')} answered"


def _missing(view: ReportView, facts: RunFacts) -> list[str]:
    """What a run lacks, and what to do about it."""
    run, row = facts.row.run, facts.row
    state = "handed in" if row.kind == "import" and row.state == "planned" else row.state
    said = [_STATES[state].format(run=run)] if state in _STATES else []
    if row.state in _LIVE and view.engines:
        said.append("Numbers below are those of the scoring before it went on.")
    if row.held is not None:
        said.append(f"No further call is made: {row.held}")
    scored = {engine.name for engine in view.engines}
    unscored = [one.label for name, one in facts.engines.items() if name not in scored]
    if unscored and row.state not in _LIVE:
        said.append(f"Not scored: {', '.join(unscored)}. `monitor resume {run}` scores them.")
    if row.kind == "import":
        said.append("Answers that people handed in: no run of another kind is held against them.")
    if row.kind == "trial":
        said.append("A trial: engines or prompts of the panel were left out on purpose.")
    return said


_STATES = {
    "planned": "Planned, and nobody has asked yet. `monitor resume {run}` or a worker begins.",
    "handed in": "Handed in and not scored yet: `monitor resume {run}` fetches, judges, scores.",
    "running": "Under way: its numbers come once it is scored.",
    "incomplete": "Incomplete: some captures were not heard. `monitor resume {run}` asks again.",
    "cancelled": "Cancelled for good: no other call begins, and what was stored stays.",
    "failed": "Failed. `monitor status {run}` says why, `monitor resume {run}` goes on.",
}


def _measured(view: ReportView, facts: RunFacts) -> tuple[MeasuredLine, ...]:
    """Every engine that was planned, scored or not."""
    cards = {engine.name: engine for engine in view.engines}
    lines = []
    for name, one in facts.engines.items():
        engine = cards.get(name)
        is_settled = engine is not None and facts.row.state not in _LIVE
        coverage = engine.card.coverage if engine and is_settled else one.coverage
        lines.append(
            MeasuredLine(
                engine=name,
                label=engine.label if engine else one.label,
                coverage=coverage_view(view.run, coverage, engine=name),
                is_thin=not ChangeRules().is_heard(coverage),
                is_scored=engine is not None,
                cost_micros=one.cost_micros,
                calls=one.calls,
                locale=_locale(one.locale_states),
                resting=one.resting,
            )
        )
    return tuple(lines)


def _locale(states: Mapping[str, int] | None) -> str:
    """What canaries said of the locale, in words."""
    if not states:
        return "as requested, not checked"
    return ", ".join(f"{state} {n}" for state, n in sorted(states.items()))


def _baseline(view: ReportView, facts: RunFacts) -> str:
    """The baseline in one sentence."""
    if view.baseline is None:
        return "none: nothing can be said of what should be cited"
    blind = {True: "drawn blind", False: "drawn with answers in sight"}.get(
        bool(view.drawn_blind), "not known whether drawn blind"
    )
    frozen = f"frozen {facts.frozen_at:%Y-%m-%d}" if facts.frozen_at else "a draft, not frozen"
    return f"{view.baseline}, {blind}, {frozen}, by {plural(view.annotators, 'annotator')}"


def _judge(facts: RunFacts) -> str:
    split = f", claims split by {facts.splitter}" if facts.splitter else ""
    return f"{facts.judge}{split}"


def _family_names(view: ReportView) -> list[str]:
    """Families of this run and the one before, by the largest share at any engine now."""
    largest: dict[str, float] = {}
    for engine in view.engines:
        for share in engine.card.families:
            largest[share.family] = max(largest.get(share.family, 0.0), share.rate.value or 0.0)
    every = dict.fromkeys(name for engine in view.engines for name in family_names(engine))
    return sorted(every, key=lambda name: (-largest.get(name, 0.0), name))


def _family(view: ReportView, name: str) -> FamilyTop:
    """One family's share at every engine."""
    numbers = (
        number_of_share(engine.card, name, family_rows_address(view.run, engine.name, name))
        for engine in view.engines
    )
    return FamilyTop(name, family_address(name, run=view.run), tuple(numbers))


def _commands(run: str) -> tuple[Command, ...]:
    name = run.replace(":", "-")
    return (
        Command("The report with every answer in one file", f"monitor report {run}"),
        Command("Numbers and citations as CSV", f"monitor export {run} --format csv --out {name}"),
        Command("Evidence to hand over", f"monitor export {run} --bundle {name}.zip"),
        Command("Check that stored bytes are unchanged", f"monitor verify {run}"),
    )
