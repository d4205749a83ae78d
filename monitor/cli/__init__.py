"""The `monitor` command: one line of work per subcommand, and what exit codes mean.

0 fine, 1 changes found, 2 you can fix it, 3 incomplete run or comparison, 70 a fault of ours.
"""

import errno
import importlib
import os
import re
import signal
import sys
import traceback
from collections.abc import Mapping

import typer

from monitor.errors import MonitorError

GROUPS: Mapping[str, str] = {
    "demo": "monitor.cli.demo",
    "check": "monitor.cli.running",
    "run": "monitor.cli.running",
    "resume": "monitor.cli.running",
    "cancel": "monitor.cli.running",
    "worker": "monitor.cli.working",
    "status": "monitor.cli.running",
    "schedule": "monitor.cli.scheduling",
    "serve": "monitor.cli.serving",
    "accounts": "monitor.cli.accounts",
    "tokens": "monitor.cli.accounts",
    "spend": "monitor.cli.spending",
    "alerts": "monitor.cli.alerts",
    "reparse": "monitor.cli.again",
    "refetch": "monitor.cli.again",
    "rejudge": "monitor.cli.again",
    "rescore": "monitor.cli.again",
    "compare": "monitor.cli.comparing",
    "reference": "monitor.cli.comparing",
    "import": "monitor.cli.importing",
    "report": "monitor.cli.showing",
    "card": "monitor.cli.cards",
    "export": "monitor.cli.showing",
    "verify": "monitor.cli.proofs",
    "evidence": "monitor.cli.proofs",
    "parse": "monitor.cli.reading",
    "urls": "monitor.cli.reading",
    "judge": "monitor.cli.judging",
    "judge-report": "monitor.cli.judging",
    "evaluate": "monitor.cli.evaluating",
    "agreement": "monitor.cli.agreeing",
    "labels": "monitor.cli.labels",
    "baseline": "monitor.cli.baselines",
    "eligibility": "monitor.cli.eligibility",
    "engines": "monitor.cli.setup",
    "browser": "monitor.cli.setup",
    "surfaces": "monitor.cli.surfaces",
    "db": "monitor.cli.setup",
    "doctor": "monitor.cli.doctoring",
    "migrate-store": "monitor.cli.keeping",
    "backup": "monitor.cli.keeping",
    "restore": "monitor.cli.keeping",
    "retain": "monitor.cli.keeping",
}
"""Command -> the module that holds it; only the module in use is imported."""

_MISUSE: type[Exception] = typer.BadParameter.__mro__[2]
"""What a wrong option, argument or command raises: it lies in click, or in typer's own copy."""

_PLACE = frozenset(
    {
        errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO,
        errno.ENAMETOOLONG, errno.ELOOP, errno.ENOTDIR, errno.EISDIR, errno.EMFILE, errno.ENFILE,
    }
)  # fmt: skip
"""Failures of the machine or of a path somebody named, never of the program."""

_STEERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")

_ASK_FOR_HELP: tuple[list[str], ...] = (
    [], ["accounts"], ["alerts"], ["baseline"], ["browser"], ["db"], ["evidence"], ["labels"],
    ["tokens"],
)  # fmt: skip
"""Groups without a command: asking what there is is no mistake."""

_GOES_ON = "; `monitor resume` goes on where this ended"

CHANGES_FOUND = 1
USER = 2
INCOMPLETE = 3
FAULT = 70
STOPPED = 130


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
    if argv is None:
        _heed_stops()
    arguments = sys.argv[1:] if argv is None else argv
    if arguments in _ASK_FOR_HELP:
        arguments = [*arguments, "--help"]
    command = next((a for a in arguments if not a.startswith("-")), None)
    try:
        code = build(command)(args=arguments, standalone_mode=False)
        sys.stdout.flush()
    except MonitorError as error:
        complain(f"error: {error}")
        code = USER
    except _MISUSE as error:
        complain(f"error: {_misuse(error)}")
        code = USER
    except (KeyboardInterrupt, typer.Abort):
        code = STOPPED
    except (BrokenPipeError, SystemExit) as stop:
        code = _ended(stop)
    except Exception as error:  # noqa: BLE001 - the last line of defence
        code = _failed(error)
    if code == STOPPED:
        complain("stopped" + (_GOES_ON if command in {"run", "resume"} else ""))
    sys.exit(code if isinstance(code, int) else 0)


def _heed_stops() -> None:
    """A supervisor's polite stop is a person's: what was started is ended, what is held let go.

    A shell script starts what it puts behind `&` deaf to SIGINT; SIGTERM must stop that as well.
    """
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))


def _failed(error: Exception) -> int:
    """Exit code of an error nobody foresaw: of the place it worked in, or a fault of ours."""
    if isinstance(error, OSError) and error.errno in _PLACE:
        where = f"{_cut(str(error.filename))}: " if error.filename is not None else ""
        complain(
            f"error: {where}{error.strerror}; check that the path is right, that you may use it "
            "and that there is room"
        )
        return USER
    traceback.print_exception(error)
    complain("this is a fault of the program, not of your input")
    return FAULT


def _cut(text: str) -> str:
    """The start of a text that may be very long."""
    return text if len(text) <= 200 else f"{text[:200]}..."


def _ended(stop: BaseException) -> object:
    """Exit code where a command ended itself; 0 where nobody reads its output any more."""
    if isinstance(stop, SystemExit) and not isinstance(stop.__context__, BrokenPipeError):
        return stop.code
    # The interpreter must not complain about the closed pipe when it flushes.
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    return 0


def _misuse(error: Exception) -> str:
    """What is wrong with the command line, and where its help is."""
    said = getattr(error, "format_message", lambda: str(error))()
    where = getattr(getattr(error, "ctx", None), "command_path", "monitor")
    return f"{said} (`{where} --help` lists what there is)"


def complain(text: str) -> None:
    """Say something on standard error, whatever characters are in it.

    What steers a terminal or turns the direction of reading is shown by its number.
    """
    encoding = sys.stderr.encoding or "utf-8"
    plain = _STEERS.sub(lambda found: ascii(found[0])[1:-1], text)
    print(plain.encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr)
