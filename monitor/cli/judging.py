"""`monitor judge` and `monitor judge-report`: verdicts for rows, and how far to trust them."""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Annotated

import typer

from monitor.cli import INCOMPLETE, complain
from monitor.cli.options import Again, Config
from monitor.config.settings import load_settings
from monitor.domain.claim import Judge
from monitor.errors import MonitorError
from monitor.judge import JUDGES, make_judge
from monitor.judge.erring import Errors
from monitor.judge.flagging import suite_figures
from monitor.judge.report import judge_report
from monitor.judge.report.as_json import report_json, suite_json
from monitor.judge.report.as_text import report_lines, suite_lines
from monitor.judge.report.rows import (
    Judged,
    LabelledRow,
    judged_before,
    judged_now,
    read_labelled,
    read_verdicts,
)
from monitor.judge.rows import judge_rows
from monitor.report.words import visible

JudgeName = Annotated[
    str | None,
    typer.Option("--judge", help="Which judge; default: that of the settings."),
]
MAX_LINE = 64 * 2**20
"""Bytes of a line; a row longer than this is no claim with its passages."""


def register(app: typer.Typer) -> None:
    """Add the commands of this module."""
    app.command("judge")(judge)
    app.command("judge-report")(measure_judge)


def judge(
    file: Annotated[str, typer.Argument(help="JSON lines {id, claim, passages}; `-` for stdin.")],
    judge_name: JudgeName = None,
    config: Config = None,
    again: Again = False,
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines (the default).")] = True,
) -> int:
    """Judge claims against passages, one JSON line each.

    Each verdict is written as soon as there is one: a free judge answers a row before the next is
    read. A row that cannot be read ends the command with exit code 2 and names its line; the
    verdicts of the rows before it stand. A judge that is paid keeps to the caps of the settings;
    rows that they do not reach are pending, and rows whose replies nobody can use are judge_error,
    both with exit code 3.
    """
    del as_json
    with asked_judge(judge_name, config, again=again) as (chosen, errors):
        for line in judge_rows(lines_of_file(file), chosen, source=_shown(file)):
            print(line, flush=True)
        return _ended(chosen, errors, "the same command with --again")


def measure_judge(
    files: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[LABELLED]...",
            help="JSON lines {id, claim, passages, label[, source, question]}; `-` for stdin.",
        ),
    ] = None,
    judge_name: JudgeName = None,
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
    if verdicts is not None:
        return _measure_elsewhere(files or [], verdicts, as_json=as_json)
    with asked_judge(judge_name, config) as (chosen, errors):
        if bundled:
            figures = suite_figures(chosen)
            told = [json.dumps(suite_json(chosen.version, figures))] if as_json else None
            _print(told or suite_lines(chosen.version, figures))
        else:
            rows = Labelled(files or [])
            judged = list(judged_now(rows, chosen))
            _print_report(judged, chosen.version, rows.seed, as_json=as_json)
        return _ended(chosen, errors, "`monitor judge` with --again")


def _measure_elsewhere(files: Sequence[str], verdicts: str, *, as_json: bool) -> int:
    """A report on verdicts that were given before."""
    taken = read_verdicts(lines_of_file(verdicts), _shown(verdicts))
    rows = Labelled(files)
    judged = list(judged_before(rows, taken, _shown(verdicts)))
    judge = next((one.judge for one in taken.values()), "nobody")
    _print_report(judged, judge, rows.seed, as_json=as_json)
    return 0


class Labelled:
    """Labelled rows of several files, read as they are wanted."""

    def __init__(self, files: Sequence[str]) -> None:
        self._files = files
        self._digest = hashlib.sha256()

    @property
    def seed(self) -> int:
        """Made from the rows that were read."""
        return int.from_bytes(self._digest.digest()[:8], "big")

    def __iter__(self) -> Iterator[LabelledRow]:
        for file in self._files:
            for one in read_labelled(lines_of_file(file), _shown(file)):
                told = f"{one.row.id}\t{one.label}\t{one.row.claim}\n"
                self._digest.update(told.encode("utf-8", "surrogatepass"))
                yield one


def _print_report(judged: Sequence[Judged], judge: str, seed: int, *, as_json: bool) -> None:
    """The report, for programs or for people."""
    if not judged:
        raise MonitorError("no labelled rows; expected at least one JSON line with a label")
    report = judge_report(judged, judge, seed=seed)
    _print([json.dumps(report_json(report))] if as_json else report_lines(report))


def _print(lines: Iterable[str]) -> None:
    """Lines for a terminal: nothing that steers it, nothing that it cannot encode."""
    encoding = sys.stdout.encoding or "utf-8"
    for line in lines:
        print(visible(line).encode(encoding, "backslashreplace").decode(encoding))


def _ended(judge: Judge, errors: Errors, anew: str) -> int:
    """Exit code of a command by what ended its judge's calls, and by its errors."""
    told = errors.shown(anew)
    if told is not None:
        complain(told)
    if judge.held is not None:
        complain(f"verdicts are pending: {judge.held}; the same command goes on then")
    return 0 if told is None and judge.held is None else INCOMPLETE


@contextmanager
def asked_judge(
    name: str | None, config: Path | None, *, again: bool = False
) -> Iterator[tuple[Judge, Errors]]:
    """The judge of that name, else that of the settings, and what counts its errors.

    MonitorError where it cannot be had. Only one that is paid needs a store: that is where its
    money is counted.
    """
    settings = None
    if name is None:
        settings = load_settings(config)
        name = settings.judge.name
    if name in JUDGES and config is None:
        yield make_judge(name), Errors()
        return
    from monitor.pipeline.evaluation import (  # slow, and seldom needed
        evaluation_caps,
        opened_judge_for,
    )
    from monitor.pipeline.judge_choice import auto_words  # the same

    settings = settings or load_settings(config)
    caps = evaluation_caps(settings, None, None)
    if chosen := auto_words(settings, name, caps):
        complain(chosen)
    with opened_judge_for(settings, name, caps, again=again) as judge:
        yield judge, judge.errors


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
