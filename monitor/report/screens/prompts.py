"""Prompts by engines with the value in the cell: where a panel is answered well, and where not."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from monitor.domain.panel import Prompt
from monitor.domain.score import Measured, Rate
from monitor.report.screens.links import page_address, prompt_address, rows_address
from monitor.report.screens.paging import Pager
from monitor.report.slices import heat_value, leading_measure
from monitor.report.tables import Row, Table, unassessed_cells
from monitor.report.view import ReportView

HEAT_HEADER = (
    "panel", "run", "prompt", "text", "engine", "measure", "answers", "hits", "total", "value",
    "not_assessable", "not_assessable_reasons", "assessed_share", "undefined",
)  # fmt: skip

NOT_ASKED = "not asked"

Asked = Mapping[tuple[str, str], Sequence[int]]
"""(prompt, engine) -> captures."""


@dataclass(frozen=True, slots=True)
class PromptFilter:
    """Which prompts are shown, and by which measure."""

    measure: str | None = None
    """None for the recall that leads for each prompt."""
    words: str = ""
    prompts: tuple[str, ...] = ()
    """Prompts that were marked; empty means every one."""

    def address(self, run: str, *, page: int | None = None) -> str:
        """Page of prompts under this filter."""
        return page_address(
            "prompts",
            run=run,
            measure=self.measure,
            words=self.words,
            prompt=self.prompts,
            page=page if page != 1 else None,
        )


@dataclass(frozen=True, slots=True)
class HeatCellView:
    """One prompt on one engine."""

    engine: str
    text: str
    """Counts with the percentage, `not asked`, or `not measured: ...`."""
    shade: int | None
    """0 to 5, darker is more; None where nothing was measured."""
    href: str | None
    """Rows behind it; None where it was not asked."""
    answers: int
    hits: float | None
    total: float | None
    value: float | None
    assessed_share: float | None
    not_assessable: Mapping[str, float]
    undefined: str | None
    """Why nothing was measured, as a closed word."""


@dataclass(frozen=True, slots=True)
class PromptLine:
    """One prompt over all engines."""

    id: str
    text: str
    href: str
    segments: tuple[str, ...]
    """Locale, intent, topic, risk."""
    measure: str
    """Measure of its cells."""
    is_marked: bool
    cells: tuple[HeatCellView, ...]


@dataclass(frozen=True, slots=True)
class PromptsScreen:
    """A page of the prompts of a run by engines."""

    panel: str | None
    run: str | None
    """None while no run has ended."""
    fictional: bool
    asked: PromptFilter
    measures: tuple[tuple[str, str], ...]
    """(name, label) of what the cells may show."""
    measure_label: str
    engines: tuple[tuple[str, str], ...]
    lines: tuple[PromptLine, ...]
    elsewhere: tuple[str, ...]
    """Marked prompts that are not on this page."""
    unknown: tuple[str, ...]
    """Marked prompts that the panel of the run does not have."""
    pager: Pager | None
    signatures: tuple[str, ...]


def no_prompts(asked: PromptFilter, panel: str | None) -> PromptsScreen:
    """The page of a panel, or of a store, in which nothing has ended yet."""
    return PromptsScreen(panel, None, False, asked, (), "", (), (), (), (), None, ())


def chosen_prompts(prompts: Iterable[Prompt], asked: PromptFilter) -> tuple[Prompt, ...]:
    """Prompts that a filter leaves, in the panel's order."""
    marked, words = frozenset(asked.prompts), asked.words.casefold().split()
    return tuple(
        prompt for prompt in prompts if (not marked or prompt.id in marked) and _has(prompt, words)
    )


def _has(prompt: Prompt, words: Collection[str]) -> bool:
    """Whether every word stands in a prompt's id, text or segments."""
    told = " ".join((prompt.id, prompt.text, *segments_of(prompt))).casefold()
    return all(word in told for word in words)


def segments_of(prompt: Prompt) -> tuple[str, ...]:
    """What a prompt is sorted by: locale, intent, topic, risk."""
    told = (prompt.locale, prompt.intent, prompt.topic, prompt.risk.value, prompt.persona)
    return tuple(one.replace("_", " ") for one in told if one)


def prompts_screen(
    view: ReportView,
    asked: PromptFilter,
    shown: Sequence[Prompt],
    *,
    captures: Asked,
    pager: Pager,
) -> PromptsScreen:
    """A page of prompts, an engine a cell."""
    note = view.measures.get(asked.measure or "")
    here, known = {prompt.id for prompt in shown}, {prompt.id for prompt in view.panel.prompts}
    return PromptsScreen(
        panel=view.panel.name,
        run=view.run,
        fictional=view.fictional,
        asked=asked,
        measures=tuple((name, one.label) for name, one in view.measures.items()),
        measure_label=note.label if note else "Leading recall",
        engines=tuple((engine.name, engine.label) for engine in view.engines),
        lines=tuple(_line(view, asked, prompt, captures) for prompt in shown),
        elsewhere=tuple(one for one in asked.prompts if one not in here and one in known),
        unknown=tuple(one for one in asked.prompts if one not in known),
        pager=pager,
        signatures=tuple(engine.card.signature for engine in view.engines),
    )


def _line(view: ReportView, asked: PromptFilter, prompt: Prompt, captures: Asked) -> PromptLine:
    """One prompt over all engines."""
    return PromptLine(
        id=prompt.id,
        text=prompt.text,
        href=prompt_address(prompt.id, run=view.run),
        segments=segments_of(prompt),
        measure=asked.measure or leading_measure(prompt),
        is_marked=prompt.id in asked.prompts,
        cells=tuple(
            _cell(view, asked, prompt, engine.name, captures.get((prompt.id, engine.name), ()))
            for engine in view.engines
        ),
    )


def _cell(
    view: ReportView, asked: PromptFilter, prompt: Prompt, engine: str, captures: Sequence[int]
) -> HeatCellView:
    """One prompt on one engine, its repeats pooled."""
    if not captures:
        return _cell_view(engine, NOT_ASKED, None, None, 0, None)
    rate, text, shade = heat_value(view, prompt, asked.measure, captures)
    measure = asked.measure or leading_measure(prompt)
    href = rows_address(view.run, engine, measure, prompt=prompt.id)
    return _cell_view(engine, text, shade, href, len(captures), rate)


def _cell_view(
    engine: str,
    text: str,
    shade: int | None,
    href: str | None,
    answers: int,
    counted: Measured | None,
) -> HeatCellView:
    """A cell with its counts."""
    rate = counted if isinstance(counted, Rate) else None
    why = None if counted is None or isinstance(counted, Rate) else counted.reason.value
    return HeatCellView(
        engine=engine,
        text=text,
        shade=shade,
        href=href,
        answers=answers,
        hits=rate.hits if rate else None,
        total=rate.total if rate else None,
        value=rate.value if rate else None,
        assessed_share=rate.assessed_share if rate else None,
        not_assessable=dict(rate.not_assessable) if rate else {},
        undefined=why,
    )


def prompts_table(screen: PromptsScreen) -> Table:
    """A row for each prompt and engine."""
    return HEAT_HEADER, list(_rows(screen))


def _rows(screen: PromptsScreen) -> Iterator[Row]:
    for line in screen.lines:
        for cell in line.cells:
            yield (
                screen.panel,
                screen.run,
                line.id,
                line.text,
                cell.engine,
                line.measure,
                cell.answers,
                cell.hits,
                cell.total,
                cell.value,
                *unassessed_cells(cell.not_assessable, cell.total),
                cell.assessed_share,
                NOT_ASKED if cell.href is None else cell.undefined,
            )
