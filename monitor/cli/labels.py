"""`monitor labels`: labels of people for claims and the pages they cite."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from monitor.cli.console import OUT, Bars
from monitor.cli.labels_shown import show_labels
from monitor.cli.options import AsJson, Config
from monitor.config.settings import load_settings
from monitor.errors import MonitorError, StoreError
from monitor.pipeline.bench import open_bench
from monitor.pipeline.exporting import write_text
from monitor.pipeline.label_export import (
    label_book,
    label_rows,
    labels_csv,
    labels_json,
    labels_jsonl,
)
from monitor.pipeline.label_files import read_filled
from monitor.pipeline.label_list import check_panel, list_json, list_labels
from monitor.pipeline.label_plans import (
    DOUBLE_SHARE,
    PlanWish,
    annotators_of,
    plan_labels,
)
from monitor.pipeline.label_sheets import sheets_csv, sheets_jsonl
from monitor.pipeline.labelling import draw_pairs
from monitor.pipeline.line import load_run
from monitor.store import support_labels

PanelName = Annotated[str, typer.Argument(metavar="PANEL", help="Name of a panel with runs.")]

_MOST_BYTES = 64_000_000


class Form(StrEnum):
    """What `labels draw` writes."""

    CSV = "csv"
    JSONL = "jsonl"


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    group = typer.Typer(
        no_args_is_help=True, help="Labels of people: does the page support the claim?"
    )
    group.command("draw")(labels_draw)
    group.command("plan")(labels_plan)
    group.command("add")(labels_add)
    group.command("export")(labels_export)
    group.command("list")(labels_list)
    app.add_typer(group, name="labels")


def labels_draw(
    panel: PanelName,
    out: Annotated[Path, typer.Option(help="File to write: .csv, or .jsonl for JSON lines.")],
    run: Annotated[
        str | None, typer.Option(help="Public id or slot of a run; default: the newest.")
    ] = None,
    engine: Annotated[str | None, typer.Option(help="Draw from this engine alone.")] = None,
    pairs: Annotated[int, typer.Option(help="How many pairs.")] = 60,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of the draw; default: made from the pairs.")
    ] = None,
    texts: Annotated[
        Path | None, typer.Option(help="Folder for the whole text of every page, by its hash.")
    ] = None,
    config: Config = None,
) -> int:
    """Draw claims with the pages they cite, for people to label.

    The sample is random, and no judge's verdict is in the file. Fill in `support` (full, partial,
    unsupported, contradicted or not_assessable), `annotator` and `note`, from the top down, and
    give it to `monitor labels add`. A file that is there and says anything else is not replaced.
    """
    form = _form(out)
    with Bars() as bars, open_bench(load_settings(config), bars) as bench:
        check_panel(bench, panel)
        drawn = draw_pairs(
            bench, load_run(bench, run, panel=panel), engine=engine, pairs=pairs, seed=seed
        )
    made = sheets_csv(drawn.sheets) if form is Form.CSV else sheets_jsonl(drawn.sheets)
    _require_unfilled(out, made)
    write_text(out, made)
    if texts is not None:
        for sha256, text in drawn.texts.items():
            write_text(texts / f"{sha256}.txt", text)
    draw = drawn.draw
    whose = draw.engine or "all engines"
    again = "" if drawn.is_new else ", drawn before"
    OUT.print(
        f"{out}: {len(draw.pairs)} of {draw.frame_pairs} pairs of {draw.run}, {whose}; "
        f"draw {draw.key}, seed {draw.seed}{again}"
    )
    if drawn.labelled:
        OUT.print(
            f"{drawn.labelled} of them have labels already, which count; nobody need label a pair "
            "twice, but a second person may"
        )
    return 0


def _require_unfilled(out: Path, made: str) -> None:
    """MonitorError where a file would be lost that is not this very draw, unfilled."""
    if out.is_file() and _content(out) not in {made.encode("utf-8"), b""}:
        raise MonitorError(
            f"{str(out)[:200]}: is there already and holds something else, labels perhaps; move "
            "it away, or name another file with --out"
        )


def _form(out: Path) -> Form:
    """Form of a file by the ending of its name."""
    try:
        return Form(out.suffix.lower().removeprefix("."))
    except ValueError:
        raise MonitorError(
            f"--out {str(out)[:200]}: expected a name ending in .csv or .jsonl"
        ) from None


def labels_add(
    panel: PanelName,
    file: Annotated[Path, typer.Argument(help="A filled file of `monitor labels draw`.")],
    guideline: Annotated[
        str | None, typer.Option(help="Version of the rules, where a row does not say.")
    ] = None,
    annotator: Annotated[
        str | None, typer.Option(help="Who labelled, where a row does not say.")
    ] = None,
    config: Config = None,
) -> int:
    """Store the labels of a filled file, all of them or none.

    Every problem is named by its row and pair. A row without support is not labelled yet. The same
    file twice adds nothing.
    """
    if guideline is not None and not guideline.strip():
        raise MonitorError("--guideline: expected the version of the rules, such as 2026-10")
    content = _content(file)
    with open_bench(load_settings(config)) as bench:
        check_panel(bench, panel)
        draws = bench.read(lambda c: support_labels.load_draws(c, panel))
        if not draws:
            raise StoreError(f"{panel}: nothing was drawn; `monitor labels draw` comes first")
        filled = read_filled(
            content,
            draws,
            source=str(file)[:200],
            guideline=guideline.strip() if guideline else None,
            annotator=annotator,
        )
        at = bench.clock.now()
        new = bench.write(lambda c: support_labels.save_labels(c, panel, filled.labels, at=at))
    known = len(filled.labels) - new
    OUT.print(f"{new} labels stored, {known} known already, {filled.blank} rows not labelled")
    return 0


def labels_plan(
    panel: PanelName,
    annotators: Annotated[str, typer.Option(help="Names, with commas between them.")],
    guideline: Annotated[str, typer.Option(help="Version of the rules to label by.")],
    run: Annotated[
        str | None, typer.Option(help="Public id or slot of a run; default: the newest.")
    ] = None,
    pairs: Annotated[int, typer.Option(help="How many pairs.")] = 60,
    double: Annotated[
        float, typer.Option(min=0, max=1, help="Share of pairs that two annotators label.")
    ] = DOUBLE_SHARE,
    engine: Annotated[str | None, typer.Option(help="Draw from this engine alone.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Seed of the draw; default: made from the pairs.")
    ] = None,
    config: Config = None,
) -> int:
    """Draw pairs and assign each to annotators.

    Each pair goes to one annotator in turn; a share that is drawn now, before anybody labels, goes
    to two. Annotators then label under /label of `monitor serve`. A plan never changes.
    """
    names = annotators_of(annotators)
    wish = PlanWish(names, guideline, double, pairs, engine, seed)
    with Bars() as bars, open_bench(load_settings(config), bars) as bench:
        check_panel(bench, panel)
        plan, is_new = plan_labels(bench, load_run(bench, run, panel=panel), wish, made_by=None)
    twice = sum(len(one.annotators) > 1 for one in plan.assignments)
    again = "" if is_new else ", made before"
    OUT.print(
        f"plan {plan.id}: {len(plan.assignments)} pairs of draw {plan.draw}, {twice} of them for "
        f"two annotators, guideline {plan.guideline}{again}"
    )
    for name in plan.annotators:
        mine = sum(name in one.annotators for one in plan.assignments)
        OUT.print(f"{name}: {mine} pairs")
    OUT.print("they label under /label of `monitor serve`")
    return 0


def labels_export(
    panel: PanelName,
    out: Annotated[Path, typer.Option(help="File to write: .csv, .jsonl, or .json for all.")],
    config: Config = None,
) -> int:
    """Write the labels of a panel to a file.

    .csv and .jsonl hold the labels that count, with what was decided of their pairs, and can be
    given to `monitor labels add`. .json holds everything: plans, labels that were changed or taken
    back, adjudications with the labels they were about.
    """
    kind = out.suffix.lower()
    if kind not in {".csv", ".jsonl", ".json"}:
        raise MonitorError(f"--out {str(out)[:200]}: expected a name ending in .csv, .jsonl, .json")
    with open_bench(load_settings(config)) as bench:
        check_panel(bench, panel)
        book = label_book(bench, panel)
    if kind == ".json":
        made = json.dumps(labels_json(book), ensure_ascii=True, indent=1) + "\n"
    else:
        made = labels_csv(book) if kind == ".csv" else labels_jsonl(book)
    write_text(out, made)
    counts = sum(1 for _ in label_rows(book))
    OUT.print(
        f"{out}: {counts} labels that count, {len(book.history)} rows in all, "
        f"{len(book.decisions)} adjudications"
    )
    return 0


def _content(file: Path) -> bytes:
    """Bytes of a file; MonitorError where it cannot be read."""
    try:
        with file.open("rb") as opened:
            content = opened.read(_MOST_BYTES + 1)
    except OSError as error:
        raise MonitorError(f"{str(file)[:200]}: cannot be read ({error.strerror})") from error
    if len(content) > _MOST_BYTES:
        raise MonitorError(f"{str(file)[:200]}: larger than 64 MB; expected a filled draw")
    return content


def labels_list(panel: PanelName, config: Config = None, as_json: AsJson = False) -> int:
    """Show who labelled what, and how far the judge agrees with them."""
    with open_bench(load_settings(config)) as bench:
        found = list_labels(bench, panel)
    if as_json:
        print(json.dumps(list_json(found), ensure_ascii=True, allow_nan=False))
    else:
        show_labels(found)
    return 0
