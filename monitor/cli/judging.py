"""`monitor judge` and `monitor judge-report`: verdicts for rows, and how far to trust them."""

import hashlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from monitor.config.settings import load_settings
from monitor.domain.claim import Judge
from monitor.errors import MonitorError
from monitor.judge import make_judge
from monitor.judge.flagging import suite_figures
from monitor.judge.report import judge_report
from monitor.judge.report_json import report_json, suite_json
from monitor.judge.report_rows import (
    Judged,
    LabelledRow,
    judged_before,
    judged_now,
    read_labelled,
    read_verdicts,
)
from monitor.judge.report_text import report_lines, suite_lines
from monitor.judge.rows import judge_rows

Config = Annotated[Path | None, typer.Option("--config", help="Settings file.")]
JudgeName = Annotated[
    str, typer.Option("--judge", help="Which judge; its settings are in `judge`.")
]
MAX_LINE = 64 * 2**20
"""Bytes of a line; a row longer than this is no claim with its passages."""


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("judge")(judge)
    app.command("judge-report")(measure_judge)


def judge(
    file: Annotated[str, typer.Argument(help="JSON lines {id, claim, passages}; `-` for stdin.")],
    judge_name: JudgeName = "embedded",
    config: Config = None,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines (the default).")] = True,
) -> int:
    """Judge claims against passages, one JSON line each.

    Each verdict is written as soon as there is one: a free judge answers a row before the next is
    read. A row that cannot be read ends the command with exit code 2 and names its line; the
    verdicts of the rows before it stand.
    """
    del as_json
    chosen = chosen_judge(judge_name, config)
    for line in judge_rows(lines_of_file(file), chosen, source=_shown(file)):
        print(line, flush=True)
    return 0


def measure_judge(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LABELLED]...",
            help="JSON lines {id, claim, passages, label[, source, question]}; `-` for stdin.",
        ),
    ] = None,
    judge_name: JudgeName = "embedded",
    verdicts: Annotated[
        str | None,
        typer.Option(help="What `monitor judge` printed for these rows, instead of a judge."),
    ] = None,
    bundled: Annotated[
        bool, typer.Option("--bundled", help="Run the perturbation suite that ships.")
    ] = False,
    config: Config = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> int:
    """Tell how far a judge agrees with people's labels.

    Labels are full, partial, unsupported, contradicted, or not_full where people only said whether
    support is full. Intervals are drawn over questions, by a seed made from the rows.
    """
    if bundled == bool(files) or (bundled and verdicts):
        raise MonitorError(
            "expected either files of labelled rows, with --judge or --verdicts, or --bundled"
        )
    if bundled:
        _measure_suite(chosen_judge(judge_name, config), as_json=as_json)
        return 0
    digest = hashlib.sha256()
    labelled = _labelled(files or [], digest.update)
    if verdicts is None:
        chosen = chosen_judge(judge_name, config)
        judged, version = list(judged_now(labelled, chosen)), chosen.version
    else:
        judged, version = _judged_elsewhere(labelled, verdicts)
    if not judged:
        raise MonitorError("no labelled rows; expected at least one JSON line with a label")
    report = judge_report(judged, version, seed=int.from_bytes(digest.digest()[:8], "big"))
    _print([json.dumps(report_json(report))] if as_json else report_lines(report))
    return 0


def _measure_suite(chosen: Judge, *, as_json: bool) -> None:
    """What a judge makes of the suite that ships."""
    figures = suite_figures(chosen)
    told = [json.dumps(suite_json(chosen.version, figures))] if as_json else None
    _print(told or suite_lines(chosen.version, figures))


def _labelled(files: Iterable[str], seen: Callable[[bytes], None]) -> Iterator[LabelledRow]:
    """Labelled rows of several files; `seen` is told what they say, for the seed."""
    for file in files:
        for row in read_labelled(lines_of_file(file), _shown(file)):
            seen(f"{row.row.id}\t{row.label}\t{row.row.claim}\n".encode("utf-8", "surrogatepass"))
            yield row


def _judged_elsewhere(labelled: Iterable[LabelledRow], file: str) -> tuple[list[Judged], str]:
    """Rows with verdicts that were given before, and who gave them."""
    taken = read_verdicts(lines_of_file(file), _shown(file))
    judged = list(judged_before(labelled, taken, _shown(file)))
    return judged, next((one.judge for one in taken.values()), "nobody")


def _print(lines: Iterable[str]) -> None:
    for line in lines:
        print(line)


def chosen_judge(name: str, config: Path | None) -> Judge:
    """The judge of that name under the settings; MonitorError where it cannot be had."""
    if name == "nli":
        from monitor.judge.nli import nli_judge  # its libraries are an extra

        return nli_judge(load_settings(config).judge.nli)
    return make_judge(name)


def _shown(file: str) -> str:
    """A file as messages name it."""
    return "standard input" if file == "-" else file[:200]


def lines_of_file(file: str) -> Iterator[str]:
    """Lines of a file or of standard input as they come, a byte order mark left out."""
    try:
        with nullcontext(sys.stdin.buffer) if file == "-" else Path(file).open("rb") as lines:
            number = 0
            while line := lines.readline(MAX_LINE + 1):
                number += 1
                yield _decoded(line, f"{_shown(file)} line {number}", first=number == 1)
    except OSError as error:
        raise MonitorError(f"{_shown(file)}: cannot be read ({error.strerror})") from error


def _decoded(line: bytes, where: str, *, first: bool) -> str:
    """One line as text; MonitorError where it is none, or endless."""
    if len(line) > MAX_LINE:
        raise MonitorError(f"{where}: longer than {MAX_LINE // 2**20} MiB; expected one row a line")
    try:
        return line.decode("utf-8-sig" if first else "utf-8").rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise MonitorError(
            f"{where}: byte {error.start} is not UTF-8; expected JSON lines saved as UTF-8"
        ) from error
