"""`monitor evaluate`: how well the answers in a file stand on their evidence."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from monitor.cli import INCOMPLETE, STOPPED, USER, complain
from monitor.cli.console import OUT, Bars, table
from monitor.cli.options import Again, AsJson, Config
from monitor.config.parts import MOST_CALLS, MOST_USD
from monitor.config.settings import load_settings
from monitor.domain.assessment import Profile
from monitor.domain.claim import Question
from monitor.pipeline.evaluation import (
    FLUENCY,
    GROUPS,
    IN_SETTINGS,
    Choice,
    Finished,
    Format,
    Planned,
    Source,
    evaluate,
    evaluation_caps,
    open_source,
    opened_judge_for,
    plan,
    priced_judge_for,
)
from monitor.pipeline.judge_choice import auto_words
from monitor.pipeline.run_judge import RunJudge

_AUTO = "auto"
_RAISED = f"give a higher --budget-calls or --budget-usd, or {IN_SETTINGS}"


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("evaluate")(evaluate_file)


def evaluate_file(
    file: Annotated[Path, typer.Argument(help="CSV, ALCE outcome file or JSON lines.")],
    out: Annotated[Path, typer.Option("--out", help="Folder for the outputs and the checkpoint.")],
    config: Config = None,
    judge: Annotated[str | None, typer.Option(help="Judge; default from settings.")] = None,
    profile: Annotated[Profile, typer.Option(help="How citations are counted.")] = Profile.MONITOR,
    written_as: Annotated[str, typer.Option("--format", help="auto, csv, alce or jsonl.")] = _AUTO,
    measures: Annotated[
        list[str] | None, typer.Option(help=f"Only these of {', '.join(GROUPS)}.")
    ] = None,
    qampari: Annotated[
        bool, typer.Option("--qampari", help="Answers are lists; also told by the file's name.")
    ] = False,
    at_most_citations: Annotated[
        str, typer.Option(help="Citations of a statement read in profile alce, or `none`.")
    ] = "3",
    mauve_model: Annotated[
        Path | None, typer.Option(help="Folder of the ONNX model that reads fluency.")
    ] = None,
    budget_calls: Annotated[
        int | None, typer.Option(min=0, max=MOST_CALLS, help="Cap on calls of the judge.")
    ] = None,
    budget_usd: Annotated[
        float | None, typer.Option(min=0, max=MOST_USD, help="Cap on money in USD.")
    ] = None,
    again: Again = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print what is asked only.")] = False,
    as_json: AsJson = False,
) -> int:
    """Judge the answers in a file by their evidence, and count.

    A row that cannot be evaluated says why in both outputs, and the rest goes on (exit code 3).
    The same command goes on where one ended: verdicts are kept in the folder.
    """
    choice = Choice(
        profile=profile,
        qampari=qampari or "qampari" in file.name.lower(),
        at_most=_limit(at_most_citations),
        groups=_groups(measures),
    )
    source = open_source(file, _format(written_as), choice)
    settings = load_settings(config)
    name = judge or settings.judge.name
    caps = evaluation_caps(settings, budget_calls, budget_usd)
    if chosen := auto_words(settings, name, caps):
        complain(chosen)
    if dry_run:
        return _dry_run(source, out, priced_judge_for(settings, name, caps), as_json=as_json)
    _tell_absent(source)
    opened = opened_judge_for(settings, name, caps, raised=_RAISED, again=again)
    try:
        with opened as asked, Bars() as bars:
            done = evaluate(source, out, asked, progress=bars, model=mauve_model)
    except KeyboardInterrupt:
        complain("stopped; the same command goes on where this ended")
        return STOPPED
    wanted = mauve_model is not None or (measures is not None and FLUENCY in choice.groups)
    _show(done, fluency_wanted=wanted, as_json=as_json)
    return _code(done, fluency_wanted=wanted)


def _dry_run(source: Source, out: Path, judge: RunJudge, *, as_json: bool) -> int:
    """Tell what would be asked, and where its price is a guess."""
    planned = plan(source, out, judge.version, judge.estimate or _unpriced, likely=judge.likely)
    _show_plan(planned, judge.version, as_json=as_json)
    if judge.guessed_price:
        complain(judge.guessed_price)
    return 0


def _tell_absent(source: Source) -> None:
    """Name the columns that a table could have and does without."""
    if source.sheet is not None and source.sheet.absent:
        complain(f"{source.path}: no column {', '.join(source.sheet.absent)}; not needed")


def _limit(given: str) -> int | None:
    if given.strip().lower() == "none":
        return None
    if not given.isdecimal() or int(given) < 1:
        raise typer.BadParameter(
            f"--at-most-citations is {given!r}; expected a number from 1, or none"
        )
    return int(given)


def _format(given: str) -> Format | None:
    if given == _AUTO:
        return None
    if given not in set(Format):
        raise typer.BadParameter(
            f"--format is {given!r}; expected one of {', '.join((_AUTO, *Format))}"
        )
    return Format(given)


def _groups(given: list[str] | None) -> frozenset[str]:
    """Groups of measures, named one by one or with commas between them."""
    named = [part.strip() for one in given or () for part in one.split(",") if part.strip()]
    unknown = [one for one in named if one not in GROUPS]
    if unknown:
        raise typer.BadParameter(
            f"--measures has {unknown[0]!r}; expected some of {', '.join(GROUPS)}"
        )
    return frozenset(named or GROUPS)


def _unpriced(_: Question) -> None:
    """Nobody knows what a question costs."""


def _show_plan(planned: Planned, version: str, *, as_json: bool) -> None:
    """What would be asked; nothing is."""
    if as_json:
        body = {
            "schema": 1,
            "judge": version,
            "rows": planned.rows,
            "kept": planned.kept,
            "verdicts": [planned.least, planned.most],
            "micros": [planned.least_micros, planned.most_micros],
            "likely_micros": planned.likely_micros,
        }
        print(json.dumps(body, ensure_ascii=True))
        return
    OUT.print(f"{planned.rows} rows, {planned.kept} verdicts kept from before")
    OUT.print(f"verdicts to be asked of {version}: {_between(planned.least, planned.most)}")
    OUT.print(f"estimated price: {_price(planned.least_micros, planned.most_micros)}")
    if planned.likely_micros and planned.likely_micros[1]:
        likely = _between_usd(*planned.likely_micros)
        OUT.print(f"likely price: {likely}, with replies of 150 tokens and English pages: a guess")


def _between(least: int, most: int) -> str:
    return str(least) if least == most else f"{least} to {most}"


def _price(least: int | None, most: int | None) -> str:
    if least is None or most is None:
        return "not known"
    return f"{_between_usd(least, most)} at most, where every reply is as long as it may be"


def _between_usd(least: int, most: int) -> str:
    low, high = f"{least / 1e6:.4f}", f"{most / 1e6:.4f}"
    return f"{low} USD" if low == high else f"{low} to {high} USD"


def _show(done: Finished, *, fluency_wanted: bool, as_json: bool) -> None:
    """Totals, or all that the JSON output has beside its rows."""
    told = done.told
    for number, failure in done.failures:
        complain(f"row {number}: {failure}")
    totals = told["totals"]
    if totals["failed"]:
        complain(f"{totals['failed']} of {totals['rows']} rows were not evaluated, or in part only")
    if done.held:
        complain(f"no further calls: {done.held}; the same command goes on then")
    if errors := done.errors.shown("the same command with --again"):
        complain(errors)
    if as_json:
        files = [str(path) for path in done.files]
        body = {
            **told, "files": files, "asked_now": done.asked, "cost_now": done.micros / 1_000_000,
        }  # fmt: skip
        print(json.dumps(body, ensure_ascii=True))
        return
    OUT.print(f"judge {told['judge']}, profile {told['profile']}, {totals['rows']} rows")
    _measures(totals)
    if bare := totals.get("needed_without_snippets"):
        needing = totals["citation_needed"]["true"]
        OUT.print(
            f"no measure counts {bare} of {needing} rows that need a citation: they have no snippet"
        )
    _fluency(totals.get("fluency"), wanted=fluency_wanted)
    OUT.print(
        f"{totals['verdicts']} verdicts, {done.asked} of them given now for "
        f"{done.micros / 1e6:.4f} USD"
        + (f", {done.replays} read from stored replies" if done.replays else "")
    )
    for path in done.files:
        OUT.print(str(path))


def _measures(totals: Mapping[str, Any]) -> None:
    """Counts of all rows; beside them, for answers, the mean in which each weighs the same."""
    means = totals.get("answer_means")
    rows = []
    for name, rate in totals["measures"].items():
        apart = ", ".join(f"{reason} {n:g}" for reason, n in rate["not_assessable"].items())
        value = None if rate["value"] is None else 100 * rate["value"]
        mean = () if means is None else (_percent(means[name]["percent"]),)
        counts = f"{rate['hits']:g} of {rate['total']:g}"
        rows.append((name, _percent(value), counts, *mean, apart))
    beside = () if means is None else ("mean of answers",)
    table("", ("measure", "%", "counts", *beside, "not assessable"), rows)


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _fluency(found: Mapping[str, Any] | None, *, wanted: bool) -> None:
    """The figure, or why there is none where one was wanted or could be had."""
    if found is None or not (wanted or found["texts"]):
        return
    if found["mauve"] is None:
        OUT.print(f"fluency not measured: {found['reason']}")
    else:
        OUT.print(f"fluency (MAUVE): {found['mauve']:.2f} over {found['texts']} texts")


def _code(done: Finished, *, fluency_wanted: bool) -> int:
    """0; 3 where rows or a wanted figure are missing; 2 where nothing could be read."""
    totals = done.told["totals"]
    if totals["rows"] == totals["unread"]:
        what = "no row could be read; the outputs say why" if totals["rows"] else "it has no rows"
        complain(f"error: {what}")
        return USER
    fluency = totals.get("fluency")
    if totals["failed"] or (fluency_wanted and fluency and fluency["mauve"] is None):
        return INCOMPLETE
    return 0
