"""`monitor baseline`: versions of baselines, as files both ways, and drafts frozen."""

import json
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from monitor.cli import complain
from monitor.cli.console import OUT
from monitor.cli.options import AsJson, Config
from monitor.config.settings import load_settings
from monitor.config.yaml import Problem, read_file
from monitor.domain.baseline import Baseline
from monitor.domain.drafted import DraftState
from monitor.errors import MonitorError, PanelError, StoreError
from monitor.pipeline.baseline_files import import_file, stored_version, version_text
from monitor.pipeline.bench import Bench, open_bench
from monitor.pipeline.exporting import write_text
from monitor.pipeline.freezing import Declared, freeze
from monitor.store import baselines, drafts
from monitor.store.baselines import StoredBaseline
from monitor.store.drafts import Draft

PanelName = Annotated[str, typer.Argument(metavar="PANEL", help="Name of a panel.")]


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    group = typer.Typer(no_args_is_help=True, help="Baselines: what good evidence would be.")
    group.command("list")(baseline_list)
    group.command("export")(baseline_export)
    group.command("import")(baseline_import)
    group.command("freeze")(baseline_freeze)
    app.add_typer(group, name="baseline")


def baseline_list(
    panel: Annotated[
        str | None, typer.Argument(metavar="PANEL", help="Name of a panel; default: all.")
    ] = None,
    config: Config = None,
    as_json: AsJson = False,
) -> int:
    """List stored versions and drafts of baselines."""
    with open_bench(load_settings(config)) as bench:
        versions, begun = _listed(bench, panel)
    if as_json:
        listed = {
            "versions": [_version_json(one) for one in versions],
            "drafts": [_draft_json(one) for one in begun],
        }
        print(json.dumps(listed, ensure_ascii=True, allow_nan=False))
        return 0
    for one in versions:
        OUT.print(_version_line(one.baseline))
    for draft in begun:
        who = ", ".join(draft.plan.annotators)
        OUT.print(f"{draft.panel}@{draft.version}: {draft.state.value} draft by {who}")
    if not versions and not begun:
        OUT.print("no baseline is stored, and no draft was begun")
    return 0


def _listed(
    bench: Bench, panel: str | None
) -> tuple[tuple[StoredBaseline, ...], tuple[Draft, ...]]:
    names = [panel] if panel is not None else list(bench.read(baselines.panels_with_versions))
    versions = [
        one for name in names for one in bench.read(partial(baselines.list_versions, panel=name))
    ]
    return tuple(versions), bench.read(lambda c: drafts.list_drafts(c, panel))


def _version_line(baseline: Baseline) -> str:
    prompts = baseline.prompts.values()
    sources = sum(len(one.sources) for one in prompts)
    claims = sum(len(one.claims) for one in prompts)
    blind = "drawn blind" if baseline.drawn_blind else "not drawn blind"
    return (
        f"{baseline.panel}@{baseline.label}: {sources} sources, {claims} claims, "
        f"{len(prompts)} prompts; {blind}; guideline {baseline.guideline}"
    )


def _version_json(one: StoredBaseline) -> dict[str, object]:
    baseline = one.baseline
    frozen = baseline.frozen_at
    return {
        "panel": baseline.panel,
        "version": baseline.version,
        "frozen_at": frozen.isoformat() if frozen else None,
        "drawn_blind": baseline.drawn_blind,
        "annotators": list(baseline.annotators),
        "guideline": baseline.guideline,
        "prompts": len(baseline.prompts),
        "sources": sum(len(p.sources) for p in baseline.prompts.values()),
        "claims": sum(len(p.claims) for p in baseline.prompts.values()),
        "saved_at": one.saved_at.isoformat(),
    }


def _draft_json(one: Draft) -> dict[str, object]:
    return {
        "draft": one.id,
        "panel": one.panel,
        "version": one.version,
        "state": one.state.value,
        "annotators": list(one.plan.annotators),
        "made_at": one.made_at.isoformat(),
    }


def baseline_export(
    panel: PanelName,
    out: Annotated[Path, typer.Option(help="File to write; `-` writes standard output.")],
    version: Annotated[
        str | None, typer.Option(help="Version to write; default: the one stored last.")
    ] = None,
    config: Config = None,
) -> int:
    """Write a stored version as a file.

    A version that was read from a file is written as that file was, byte for byte.
    """
    with open_bench(load_settings(config)) as bench:
        baseline = stored_version(bench, panel, version)
        text = version_text(bench, panel, baseline.version)
    if str(out) == "-":
        print(text, end="")
        return 0
    if out.is_file() and out.read_bytes() not in {text.encode("utf-8"), b""}:
        raise MonitorError(
            f"{str(out)[:200]}: is there already and says something else; move it away, or name "
            "another file with --out"
        )
    write_text(out, text)
    OUT.print(f"{out}: {_version_line(baseline)}")
    return 0


def baseline_import(
    file: Annotated[Path, typer.Argument(help="A baseline's YAML file.")], config: Config = None
) -> int:
    """Store a file as a version of its panel.

    It is checked as `monitor check` does; with any mistake nothing is stored. The same file again
    changes nothing; other content under a stored version is refused.
    """
    text = read_file(file)
    if isinstance(text, Problem):
        raise PanelError(str(text))
    with open_bench(load_settings(config)) as bench:
        read = import_file(bench, text, file=str(file))
    if read.baseline is None:
        raise PanelError("\n".join(map(str, read.problems)))
    for one in read.problems:
        complain(str(one))
    OUT.print(f"stored {_version_line(read.baseline)}")
    return 0


def baseline_freeze(
    panel: PanelName,
    version: Annotated[str, typer.Option(help="Version of an open draft of the panel.")],
    unseen: Annotated[
        bool,
        typer.Option(
            "--unseen/--seen", help="Whether annotators had not seen the answers elsewhere."
        ),
    ] = False,
    config: Config = None,
) -> int:
    """Freeze an open draft as a version.

    Disagreements must be settled. `drawn_blind` is true only with --unseen, and where nobody whose
    labels count had seen in the application what an answer cites.
    """
    with open_bench(load_settings(config)) as bench:
        begun = bench.read(lambda c: drafts.list_drafts(c, panel))
        draft = next((one for one in begun if one.version == version), None)
        if draft is None or draft.state is not DraftState.OPEN:
            there = ", ".join(one.version for one in begun if one.state is DraftState.OPEN)
            raise StoreError(
                f"panel {panel[:64]!r} has no open draft {version[:64]!r}; open: {there or 'none'}"
            )
        frozen = freeze(bench, draft.id, Declared(unseen, None))
    OUT.print(f"frozen {_version_line(frozen)}")
    OUT.print("nothing was scored anew: `monitor rescore` does that, run by run")
    return 0
