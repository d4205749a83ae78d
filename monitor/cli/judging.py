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
    """Judge claims against passages, one JSON line each.

    A row that cannot be read ends the command with exit code 2 and names its line; the verdicts
    of the rows before it stand.
    """
    del as_json
    chosen = make_judge(judge_name)
    for line in judge_rows(_text(file).split("\n"), chosen):
        print(line)
    return 0


def _text(file: str) -> str:
    """Text of a file or of standard input, without a byte order mark."""
    try:
        content = sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
        return content.decode("utf-8-sig")
    except OSError as error:
        raise MonitorError(f"{file[:200]}: cannot be read ({error.strerror})") from error
    except UnicodeDecodeError as error:
        raise MonitorError(
            f"{file}: byte {error.start} is not UTF-8; expected JSON lines saved as UTF-8"
        ) from error
