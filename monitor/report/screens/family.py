"""One source family: how much it is cited, for what, where it is missed, and by which pages."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from monitor.domain.panel import Prompt
from monitor.report.screens.families import FamilyLine, family_line, tags_of
from monitor.report.screens.links import (
    capture_address,
    family_rows_address,
    prompt_address,
)
from monitor.report.screens.numbers import number_of_share
from monitor.report.screens.series import Happening, Series, happenings, series_of
from monitor.report.tables import Row, Table
from monitor.report.view import EngineView, ReportView, TrendView
from monitor.report.words import plural

SHOWN = 50
"""Prompts, and pages, of one list; the CSV has every prompt."""

_RIVALS = 3
_LINKS = 6
"""Captures that a page's line links to."""
_LEAST_RUNS = 2

FAMILY_HEADER = (
    "panel", "run", "family", "prompt", "text", "required", "engine", "answers_citing", "answers",
    "cited_instead",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class PromptCell:
    """One prompt on one engine: how many answers cite the family, and whom else."""

    engine: str
    label: str
    citing: int
    answers: int
    """Answers that came back; 0 where it was not asked, or none did."""
    text: str
    href: str | None
    others: tuple[str, ...]
    """Families that are cited most in its place; empty where it is cited."""


@dataclass(frozen=True, slots=True)
class FamilyPrompt:
    """One prompt over all engines."""

    id: str
    text: str
    href: str
    is_required: bool
    """Whether the baseline requires a source of the family for it."""
    cells: tuple[PromptCell, ...]

    @property
    def citing(self) -> int:
        """Answers that cite it, over all engines."""
        return sum(cell.citing for cell in self.cells)

    @property
    def missed(self) -> tuple[PromptCell, ...]:
        """Engines of which no answer cites it."""
        return tuple(cell for cell in self.cells if cell.answers and not cell.citing)


@dataclass(frozen=True, slots=True)
class PageLink:
    """An answer that cites a page."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class FamilyPageLine:
    """A page of the family, and who cites it."""

    url: str
    title: str
    grades: tuple[str, ...]
    """Grades in the baseline, with the prompts, where answers to several cite it."""
    status: str
    """What came of fetching it."""
    engines: tuple[str, ...]
    answers: int
    links: tuple[PageLink, ...]


@dataclass(frozen=True, slots=True)
class FamilyScreen:
    """Everything about one family in one run."""

    family: str
    tags: tuple[str, ...]
    panel: str
    run: str
    before_slot: str | None
    fictional: bool
    engines: tuple[tuple[str, str], ...]
    shares: tuple[FamilyLine, ...]
    """One an engine, in the order of the run."""
    happened: tuple[Happening, ...]
    series: tuple[Series, ...]
    """Empty where there is but one run."""
    citing: tuple[FamilyPrompt, ...]
    """Prompts for which any answer cites it, most answers first."""
    required: tuple[FamilyPrompt, ...]
    """Prompts for which it is required, and some engine never cites it."""
    elsewhere: tuple[FamilyPrompt, ...]
    """Prompts for which others are cited, and it by no engine at all."""
    counts: tuple[int, int, int]
    """How many there are of these three, shown or not."""
    pages: tuple[FamilyPageLine, ...]
    pages_in_all: int
    answers_read: int
    """Citing answers whose pages are listed."""
    answers_citing: int
    every: tuple[FamilyPrompt, ...]
    """Every prompt of the run, for the table."""


@dataclass(frozen=True, slots=True)
class SeenPage:
    """A page of the family as one capture cites it."""

    url: str
    title: str
    grade: str
    status: str


@dataclass(frozen=True, slots=True)
class Cited:
    """Who cites the family: what is loaded for its page."""

    captures: Mapping[str, Sequence[int]]
    """Engine -> its captures of the run."""
    required: Mapping[str, Collection[str]]
    """Prompt -> families of which its baseline requires a source."""
    pages: Mapping[int, Sequence[SeenPage]]
    """Capture -> its pages of the family."""


def is_known(view: ReportView, family: str) -> bool:
    """Whether a family is cited in the run shown or in those before it, or watched for."""
    told = [
        card for engine in view.engines for card in (engine.card, engine.before) if card is not None
    ] + [p.card for trend in view.trends for p in trend.points if p.card is not None]
    watched = (*view.panel.client_domains, *view.panel.watch)
    return family in watched or any(f.family == family for card in told for f in card.families)


def citing_captures(view: ReportView, family: str, captures: Sequence[int]) -> list[int]:
    """Captures with a visible citation of a family."""
    tallies = view.tallies
    return [one for one in captures if one in tallies and tallies[one].families.get(family)]


def family_screen(view: ReportView, family: str, cited: Cited) -> FamilyScreen:
    """One family of a run."""
    required = {name for families in cited.required.values() for name in families}
    every = tuple(_prompts(view, family, cited))
    citing = sorted((p for p in every if p.citing), key=lambda p: -p.citing)
    wanted = [p for p in every if p.is_required and p.missed]
    elsewhere = [p for p in every if not p.citing and any(cell.others for cell in p.cells)]
    pages = _pages(view, cited)
    happened = happenings(view.trends, view.engines)
    return FamilyScreen(
        family=family,
        tags=tags_of(view, family, required),
        panel=view.panel.name,
        run=view.run,
        before_slot=view.before_slot,
        fictional=view.fictional,
        engines=tuple((engine.name, engine.label) for engine in view.engines),
        shares=tuple(family_line(view, e, family, required=required) for e in view.engines),
        happened=happened,
        series=tuple(_series(view, family, happened)),
        citing=tuple(citing[:SHOWN]),
        required=tuple(wanted[:SHOWN]),
        elsewhere=tuple(elsewhere[:SHOWN]),
        counts=(len(citing), len(wanted), len(elsewhere)),
        pages=tuple(pages[:SHOWN]),
        pages_in_all=len(pages),
        answers_read=len(cited.pages),
        answers_citing=sum(len(citing_captures(view, family, c)) for c in cited.captures.values()),
        every=every,
    )


def _series(view: ReportView, family: str, happened: tuple[Happening, ...]) -> Iterator[Series]:
    """Its share over the last runs, engine by engine."""
    past = {one.engine: one for one in view.trends if len(one.points) >= _LEAST_RUNS}
    for engine in view.engines:
        if engine.name in past:
            yield _one_series(engine, past[engine.name], happened, family)


def _one_series(
    engine: EngineView, trend: TrendView, happened: tuple[Happening, ...], family: str
) -> Series:
    """Its share over the last runs of one engine."""
    return series_of(
        engine,
        trend,
        happened,
        lambda point, card: number_of_share(
            card, family, family_rows_address(point.run, engine.name, family)
        ),
    )


def _prompts(view: ReportView, family: str, cited: Cited) -> Iterator[FamilyPrompt]:
    """Every prompt of the run, in the panel's order."""
    placed: dict[tuple[str, str], list[int]] = {}
    for engine, captures in cited.captures.items():
        for one in captures:
            tally = view.tallies.get(one)
            if tally is not None and tally.answered:
                placed.setdefault((tally.prompt_id, engine), []).append(one)
    for prompt in view.panel.prompts:
        cells = tuple(
            _cell(view, family, engine, prompt, placed.get((prompt.id, engine.name), []))
            for engine in view.engines
        )
        yield FamilyPrompt(
            prompt.id,
            prompt.text,
            prompt_address(prompt.id, run=view.run),
            family in cited.required.get(prompt.id, ()),
            cells,
        )


def _cell(
    view: ReportView, family: str, engine: EngineView, prompt: Prompt, answers: list[int]
) -> PromptCell:
    """One prompt on one engine."""
    if not answers:
        return PromptCell(engine.name, engine.label, 0, 0, "not asked, or no answer", None, ())
    citing = len(citing_captures(view, family, answers))
    others: Counter[str] = Counter()
    if not citing:
        for one in answers:
            others.update(view.tallies[one].cited_families)
    ordered = sorted(others, key=lambda name: (-others[name], name))
    return PromptCell(
        engine=engine.name,
        label=engine.label,
        citing=citing,
        answers=len(answers),
        text=f"{citing} of {plural(len(answers), 'answer')}",
        href=family_rows_address(view.run, engine.name, family, prompt=prompt.id),
        others=tuple(ordered[:_RIVALS]),
    )


def _pages(view: ReportView, cited: Cited) -> list[FamilyPageLine]:
    """Pages by address, those that most answers cite first."""
    labels = {one: e.label for e in view.engines for one in cited.captures.get(e.name, ())}
    found: dict[str, list[tuple[int, SeenPage]]] = {}
    for capture, pages in cited.pages.items():
        for page in pages:
            found.setdefault(page.url, []).append((capture, page))
    lines = [_page_line(view, labels, seen) for seen in found.values()]
    return sorted(lines, key=lambda line: (-line.answers, line.url))


def _page_line(
    view: ReportView, labels: Mapping[int, str], seen: list[tuple[int, SeenPage]]
) -> FamilyPageLine:
    """One page with the answers that cite it."""
    prompts: dict[str, dict[str, None]] = {}
    for capture, page in seen:
        prompts.setdefault(page.grade, {})[view.tallies[capture].prompt_id] = None
    first = seen[0][1]
    return FamilyPageLine(
        url=first.url,
        title=next((page.title for _, page in seen if page.title), ""),
        grades=tuple(
            grade if len(prompts) == 1 else f"{grade} ({', '.join(ids)})"
            for grade, ids in prompts.items()
        ),
        status=first.status,
        engines=tuple(sorted({labels[capture] for capture, _ in seen if capture in labels})),
        answers=len(seen),
        links=tuple(
            PageLink(
                f"{view.tallies[capture].prompt_id}, {labels.get(capture, '')} "
                f"{view.tallies[capture].repeat}",
                capture_address(capture),
            )
            for capture, _ in seen[:_LINKS]
        ),
    )


def family_table(screen: FamilyScreen) -> Table:
    """A row for each prompt and engine."""
    return FAMILY_HEADER, list(_rows(screen))


def _rows(screen: FamilyScreen) -> Iterator[Row]:
    for prompt in screen.every:
        for cell in prompt.cells:
            yield (
                screen.panel,
                screen.run,
                screen.family,
                prompt.id,
                prompt.text,
                "required" if prompt.is_required else "",
                cell.engine,
                cell.citing,
                cell.answers,
                "|".join(cell.others),
            )
