"""`monitor judge`: verdicts for rows of claims and passages."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from monitor.errors import MonitorError
from monitor.judge import make_judge
from monitor.judge.rows import judge_rows


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("judge")(judge)


def judge(
    file: Annotated[str, typer.Argument(help="JSON lines {id, claim, passages}; `-` for stdin.")],
    judge_name: Annotated[str, typer.Option("--judge", help="Which judge.")] = "embedded",
    as_json: Annotated[bool, typer.Option("--json", help="JSON lines (the default).")] = True,
) -> int:
    """Judge claims against passages, one JSON line each."""
    del as_json
    chosen = make_judge(judge_name)
    try:
        lines = (sys.stdin.read() if file == "-" else Path(file).read_text("utf-8")).split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise MonitorError(f"{file}: cannot be read as UTF-8 text") from error
    for line in judge_rows((one for one in lines if one.strip()), chosen):
        print(line)
    return 0
