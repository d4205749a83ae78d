"""All captures of a run by what came of them, and its funnel."""

from typing import Annotated

from fastapi import Depends, Query

from monitor.pipeline.examining import together
from monitor.pipeline.run_status import counts_of
from monitor.report.screens.captures import (
    CaptureFilter,
    CapturesScreen,
    captures_screen,
    captures_table,
    found_address,
)
from monitor.report.screens.funnel import FunnelScreen, funnel_screen, funnel_table
from monitor.store import run_captures
from monitor.store.run_captures import Sought
from monitor.web.pages.finding import DeskOf, RunOf, WindowOf, Words
from monitor.web.pages.run_first import engine_labels
from monitor.web.screens import Screen

_MOST_PROMPTS = 500

_Prompt = Annotated[str, Query(max_length=300)]


def sought(
    engine: Annotated[str, Query(max_length=80, description="Only of this engine.")] = "",
    prompt: Annotated[
        list[_Prompt], Query(max_length=_MOST_PROMPTS, description="Only of these prompts.")
    ] = [],  # noqa: B006 - the framework copies it
    outcome: Annotated[
        str,
        Query(
            max_length=120,
            description="Only of this outcome; `heard` is any by which a capture was heard.",
        ),
    ] = "",
    words: Words = "",
) -> CaptureFilter:
    """Which captures are sought."""
    prompts = tuple(dict.fromkeys(one for one in prompt if one))
    return CaptureFilter(engine, prompts, outcome, words)


def load_captures(
    desk: DeskOf,
    run: RunOf,
    window: WindowOf,
    wanted: Annotated[CaptureFilter, Depends(sought)],
) -> CapturesScreen:
    """Captures of a run, answered or not."""
    asked = Sought(wanted.engine or None, wanted.prompts, wanted.outcome or None, wanted.words)
    total, lines = desk.bench.read(
        lambda c: run_captures.find_lines(c, run.id, asked, offset=window.offset, limit=window.size)
    )
    coverage, _ = desk.bench.read(lambda c: counts_of(c, run))
    whole = together(coverage.values())
    return captures_screen(
        run.public_id,
        wanted,
        lines,
        labels=desk.bench.read(lambda c: engine_labels(c, run, coverage)),
        outcomes=whole.outcomes,
        planned=whole.planned,
        pager=window.pager(total, lambda page: found_address(run.public_id, wanted, page)),
    )


def load_funnel(desk: DeskOf, run: RunOf) -> FunnelScreen:
    """From the sources that a baseline wants to those that answers show."""
    return funnel_screen(desk.view(run))


CAPTURES = Screen(
    "/runs/{run}/captures",
    load_captures,
    CapturesScreen,
    "run_captures.html.j2",
    table=captures_table,
)
FUNNEL = Screen(
    "/runs/{run}/funnel", load_funnel, FunnelScreen, "funnel.html.j2", table=funnel_table
)
