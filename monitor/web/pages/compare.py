"""Comparisons: two runs of a panel, or two engines of a run, stored or counted when asked for.

What is counted here is shown and not stored: looking changes no number of any other page.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated

from fastapi import Depends, HTTPException, Query, Request

from monitor.domain.change import Comparison
from monitor.engines import ENGINES
from monitor.errors import StoreError
from monitor.pipeline.bench import Bench
from monitor.pipeline.comparing import Weighed, previous_run, weigh, weigh_engines
from monitor.pipeline.judges import shown_judge
from monitor.pipeline.reporting import engine_label, measure_notes
from monitor.pipeline.samples import RunSamples
from monitor.pipeline.sides import side_notes
from monitor.pipeline.stored_view import told_comparisons, view_key
from monitor.pipeline.weighing import why
from monitor.report.screens.compare import (
    CompareAsked,
    CompareScreen,
    Told,
    by_verdict,
    engine_comparison,
    rules_of,
    verdict_lines,
)
from monitor.report.tables import change_rows
from monitor.scoring.segments import EVERYTHING
from monitor.scoring.signature import recipe_hash
from monitor.store import runs, scores
from monitor.web.desk import Desk, desk_of
from monitor.web.pages.finding import DeskOf, chosen_run, run_named
from monitor.web.screens import Screen

_CHOICES = 200
"""Newest runs among which the form lets one choose; an address may name any."""

_SCORED_SINCE = "Scored anew since these two were compared: press Compare."

_RunName = Annotated[str, Query(max_length=300, description="Public id of a run.")]


@dataclass(frozen=True, slots=True)
class Sides:
    """What is held against what; without runs there is nothing to compare."""

    before: runs.Run | None
    after: runs.Run | None
    pair: tuple[str, str] | None = None
    """Two engines of the run before, which is the only one then."""
    is_asked: bool = True
    """Whether somebody named them; nothing is counted for who did not."""


@dataclass(frozen=True, slots=True)
class Found:
    """The comparison of two sides, or why there is none."""

    sides: Sides
    comparisons: tuple[Comparison, ...] = ()
    refused: str = ""
    advice: str = ""
    notes: tuple[str, ...] = ()


def sides(
    request: Request,
    before: _RunName = "",
    after: _RunName = "",
    engines: Annotated[
        str, Query(max_length=200, description="Two engines of one run, with a comma between.")
    ] = "",
) -> Sides:
    """The two runs or engines of the query, else the newest run and the one before it."""
    first = run_named(request, before) if before else None
    second = run_named(request, after) if after else None
    if engines:
        return Sides(first or second or chosen_run(request), None, _pair(engines, first, second))
    bench = desk_of(request).bench
    if second is None:
        second = chosen_run(request, panel=first.panel if first else None)
    if first is None and second is not None:
        first = previous_run(bench, second)
    return Sides(first, second, is_asked=bool(before or after))


def _pair(engines: str, first: runs.Run | None, second: runs.Run | None) -> tuple[str, str]:
    """Two names; 422 where it is not two, or where two runs are named besides."""
    names = [name.strip() for name in engines.split(",")]
    if len(names) != 2 or not all(names) or names[0] == names[1]:
        raise HTTPException(
            422,
            f"engines: got {engines!r}; expected the names of two engines with a comma between, "
            "as in perplexity,openai",
        )
    if first is not None and second is not None and first.id != second.id:
        raise HTTPException(
            422, "engines: two engines of one run are compared, and two runs are named; name one"
        )
    return names[0], names[1]


SidesOf = Annotated[Sides, Depends(sides)]


def find_comparison(desk: DeskOf, chosen: SidesOf) -> Found:
    """What is stored of two sides, else what is counted now; nothing where they refuse it."""
    if chosen.pair is not None:
        return _of_engines(desk, chosen, chosen.pair)
    if chosen.before is None or chosen.after is None:
        return Found(chosen, advice=_lacking(chosen))
    refused = _refused(chosen.before, chosen.after)
    if refused:
        return Found(chosen, refused=refused)
    return _of_runs(desk, chosen, chosen.before, chosen.after)


FoundOf = Annotated[Found, Depends(find_comparison)]


def load_compare(desk: DeskOf, found: FoundOf) -> CompareScreen:
    """Two runs, or two engines of a run: gates and events first, then what moved."""
    before, after, pair = found.sides.before, found.sides.after, found.sides.pair
    known = _engines_of(desk, after or before)
    told = Told(known, measure_notes(), {one.engine: why(one) for one in found.comparisons})
    said = verdict_lines(found.comparisons, told) or ("Compare two runs, or two engines of a run",)
    return CompareScreen(
        headline=said[0],
        lede=said[1:],
        asked=CompareAsked(
            before.public_id if before else "",
            after.public_id if after else "",
            ",".join(pair) if pair else "",
        ),
        choices=tuple(
            one.public_id
            for one in desk.bench.read(partial(runs.list_runs, states=runs.TELLING, limit=_CHOICES))
        ),
        engines=tuple(known.items()),
        refused=found.refused,
        advice=found.advice,
        notes=found.notes,
        comparisons=tuple(engine_comparison(one, told) for one in by_verdict(found.comparisons)),
        rules=rules_of(found.comparisons),
    )


def compared(found: FoundOf) -> Sequence[Comparison]:
    """The comparisons themselves, for the table of changes."""
    return found.comparisons


def _engines_of(desk: Desk, run: runs.Run | None) -> dict[str, str]:
    """Engine -> its label, of the engines that a run was planned to ask."""
    if run is None:
        return {}
    plan = desk.bench.read(partial(runs.load_engines, run_id=run.id))
    return {name: engine_label(name, access) for name, access in plan.items() if name in ENGINES}


def _lacking(chosen: Sides) -> str:
    """What to do where a side is missing."""
    if chosen.after is None:
        return "No run has ended yet: `monitor run` starts one, and a second one can be compared."
    return f"No run of {chosen.after.panel} comes before {chosen.after.public_id}: choose two runs."


def _refused(before: runs.Run, after: runs.Run) -> str:
    """Why two runs cannot be compared, by its key; empty where they can."""
    if before.id == after.id:
        return f"run: {before.public_id} was named twice; name two runs, or two engines of it"
    if before.panel != after.panel:
        return (
            f"panel: {before.public_id} is of {before.panel} and {after.public_id} of "
            f"{after.panel}; two runs of one panel can be compared"
        )
    for one in (before, after):
        if one.state not in runs.TELLING:
            return (
                f"state: {one.public_id} is {one.state.value}; "
                "a run that is done or incomplete can be compared"
            )
    return ""


def _of_runs(desk: Desk, chosen: Sides, before: runs.Run, after: runs.Run) -> Found:
    """Comparisons of two runs by engine."""
    notes = (*side_notes(desk.bench, "", ((before,), after)), *_alone(desk, before, after))
    cards = desk.bench.read(lambda c: scores.load_scorecards(c, after.id))
    stored, elsewise = told_comparisons(desk.bench, before, after, cards)
    if stored and not elsewise:
        ordered = tuple(stored[name] for name in sorted(stored))
        return Found(chosen, ordered, notes=notes)
    if not chosen.is_asked:
        advice = _SCORED_SINCE if elsewise else "Nobody compared these two yet: press Compare."
        return Found(chosen, advice=advice, notes=notes)
    key = ("compare", before.id, after.id, *_marks(desk, before, after))
    bench = desk.bench.looking()

    def make() -> Weighed:
        # The judge of the later run, which is asked for nothing that is paid.
        return weigh(bench, [before], after, shown_judge(bench, after))

    made = desk.counting.get(key, partial(_weighed, make))
    if isinstance(made, str):
        return Found(chosen, refused=made, notes=notes)
    advice = "" if made.comparisons else "The two runs asked no engine in common: choose others."
    return Found(chosen, _by_engine(made), advice=advice, notes=(*notes, *_elsewise(bench, made)))


def _alone(desk: Desk, before: runs.Run, after: runs.Run) -> tuple[str, ...]:
    """Engines that only one of two runs asked."""
    first, second = (_engines_of(desk, one) for one in (before, after))
    sides = ((before, first, second), (after, second, first))
    return tuple(
        f"{label}: not compared, only {run.public_id} asked it"
        for run, own, others in sides
        for name, label in own.items()
        if name not in others
    )


def _of_engines(desk: Desk, chosen: Sides, pair: tuple[str, str]) -> Found:
    """The comparison of two engines of one run, which is never stored."""
    run = chosen.before
    if run is None:
        return Found(chosen, advice=_lacking(chosen))
    key = ("engines", run.id, pair, *_marks(desk, run))
    bench = desk.bench.looking()

    def make() -> Weighed:
        # Its own judge, which is asked for nothing that is paid.
        return weigh_engines(bench, run, shown_judge(bench, run), pair)

    made = desk.counting.get(key, partial(_weighed, make))
    if isinstance(made, str):
        return Found(chosen, refused=made)
    return Found(chosen, _by_engine(made), notes=_elsewise(bench, made))


def _marks(desk: Desk, *sides: runs.Run) -> tuple[str, ...]:
    """Others where anything was scored since."""
    return tuple(view_key(desk.bench, one) for one in sides)


def _weighed(make: Callable[[], Weighed]) -> Weighed | str:
    """What is counted from what is stored; else why that is refused."""
    try:
        return make()
    except StoreError as refused:
        return str(refused)


def _by_engine(made: Weighed) -> tuple[Comparison, ...]:
    return tuple(made.comparisons[name] for name in sorted(made.comparisons))


def _elsewise(bench: Bench, made: Weighed) -> tuple[str, ...]:
    """Runs that were counted here by other rules, or another baseline, than they were scored by."""
    sides = {one.run.id: one for one in (*made.before, made.after)}
    return tuple(
        f"{one.run.public_id} was scored by other rules or another baseline than those of now, "
        "which count here: its pages show other numbers until "
        f"`monitor rescore {one.run.public_id}`"
        for one in sides.values()
        if _is_elsewise(bench, one)
    )


def _is_elsewise(bench: Bench, one: RunSamples) -> bool:
    cards = bench.read(lambda c: scores.load_scorecards(c, one.run.id, segment=EVERYTHING))
    now = {name: recipe_hash(sample.recipe) for name, sample in one.engines.items()}
    return any(now.get(card.engine, card.recipe) != card.recipe for card in cards)


SCREENS = (
    Screen(
        "/compare",
        load_compare,
        CompareScreen,
        "compare.html.j2",
        table=change_rows,
        is_counted=True,
        whole=compared,
    ),
)
