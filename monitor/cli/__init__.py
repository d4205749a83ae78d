"""The `monitor` command: one line of work per subcommand, and what exit codes mean.

0 fine, 1 changes found, 2 you can fix it, 3 incomplete run, 70 a fault of ours.
"""

import importlib
import sys
import traceback
from collections.abc import Mapping

import click
import typer

from monitor.errors import MonitorError

GROUPS: Mapping[str, str] = {
    "demo": "monitor.cli.demo",
    "check": "monitor.cli.running",
    "run": "monitor.cli.running",
    "resume": "monitor.cli.running",
    "status": "monitor.cli.running",
    "reparse": "monitor.cli.again",
    "refetch": "monitor.cli.again",
    "rejudge": "monitor.cli.again",
    "rescore": "monitor.cli.again",
    "compare": "monitor.cli.showing",
    "report": "monitor.cli.showing",
    "export": "monitor.cli.showing",
    "verify": "monitor.cli.showing",
    "parse": "monitor.cli.reading",
    "urls": "monitor.cli.reading",
    "judge": "monitor.cli.judging",
    "engines": "monitor.cli.setup",
    "browser": "monitor.cli.setup",
    "db": "monitor.cli.setup",
}
"""Command -> the module that holds it; only the module in use is imported."""

INCOMPLETE = 3
FAULT = 70


def build(command: str | None) -> typer.Typer:
    """The application with one command's module, or with all of them for help."""
    app = typer.Typer(
        name="monitor",
        no_args_is_help=True,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        help="Measure what answer engines cite, and whether it deserves its place.",
    )
    known = command is not None and command in GROUPS
    wanted = [GROUPS[command or ""]] if known else list(dict.fromkeys(GROUPS.values()))
    for name in wanted:
        importlib.import_module(name).register(app)

    @app.callback()
    def root() -> None:
        pass

    return app


def main(argv: list[str] | None = None) -> None:
    """Entry point: errors of use are printed without a traceback."""
    arguments = sys.argv[1:] if argv is None else argv
    command = next((a for a in arguments if not a.startswith("-")), None)
    try:
        code = build(command)(args=arguments, standalone_mode=False)
    except MonitorError as error:
        print(f"error: {error}", file=sys.stderr)
        code = 2
    except click.exceptions.Abort:
        print("stopped", file=sys.stderr)
        code = 130
    except click.ClickException as error:
        error.show()
        code = 2
    except KeyboardInterrupt:
        print("stopped; `monitor resume` goes on where this ended", file=sys.stderr)
        code = 130
    except BrokenPipeError:
        code = 0
    except Exception:  # noqa: BLE001 - the last line of defence: ours, with its traceback
        traceback.print_exc()
        print("this is a fault of the program, not of your input", file=sys.stderr)
        code = FAULT
    sys.exit(code if isinstance(code, int) else 0)
