"""Whether settings lead anywhere: a sandbox that answers, a runner that the store can have."""

import socket
from pathlib import Path

from monitor.config.parts import SandboxPart
from monitor.config.settings import Settings
from monitor.config.words import nearest
from monitor.domain.score import MATRIX_MEASURES
from monitor.errors import ConfigError
from monitor.scoring.tally import MEASURES

_PATIENCE_SECONDS = 2.0


def require_sandbox(settings: Settings) -> None:
    """ConfigError where settings point at a sandbox that has ended; real engines pass."""
    problem = sandbox_problem(settings)
    if problem is not None:
        raise ConfigError(problem)


def sandbox_problem(settings: Settings) -> str | None:
    """That a sandbox has ended, and what to do about it; None where nothing hinders a run."""
    gone = ended_sandbox(settings.sandbox)
    if gone is None:
        return None
    return (
        f"the sandbox that these settings point at has ended ({gone}); start it anew with "
        "`monitor demo --stay`, or use settings of your own; what reads stored evidence "
        "(status, report, export, verify, compare, reparse, rejudge, rescore) still works"
    )


def require_runner(settings: Settings) -> None:
    """ConfigError where the store cannot have the runner of the settings, or no such alert is."""
    for problem in (runner_problem(settings), measures_problem(settings)):
        if problem is not None:
            raise ConfigError(problem)


def measures_problem(settings: Settings) -> str | None:
    """That alerts are wanted about measures that nobody counts; None where all is well."""
    silent = [name for name in settings.alerts.measures if name in MATRIX_MEASURES]
    if silent:
        return (
            f"alerts.measures: {', '.join(silent)}: measures of the support matrix are never "
            "compared, so nothing is told of them; take them out"
        )
    unknown = [name for name in settings.alerts.measures if name not in MEASURES]
    if not unknown:
        return None
    hints = "; ".join(f"{name[:60]!r}{nearest(name, MEASURES)}" for name in unknown[:5])
    return f"alerts.measures: no measure is called {hints}: docs/measures.md has their names"


def runner_problem(settings: Settings) -> str | None:
    """That workers are wanted on a store that can have none; None where all is well."""
    if settings.runner.name == "local" or not settings.store.database.startswith("sqlite:"):
        return None
    return (
        "runner.name is pgqueuer, which needs PostgreSQL, and store.database is a file of SQLite: "
        "set runner.name to local, or store.database to postgresql://USER@HOST/NAME"
    )


def ended_sandbox(part: SandboxPart) -> str | None:
    """What is gone of a sandbox that settings name; None where all of it is there, or none is."""
    if not part.hosts:
        return None
    if part.ca_file is not None and not _readable(Path(part.ca_file)):
        return f"its certificate {part.ca_file} is gone"
    places = sorted({(address, port) for address, *ports in part.hosts.values() for port in ports})
    silent = next((place for place in places if not _answers(place)), None)
    return None if silent is None else f"nothing answers at {silent[0]}:{silent[1]}"


def _readable(path: Path) -> bool:
    """Whether a file can be opened."""
    try:
        with path.open("rb"):
            return True
    except OSError:
        return False


def _answers(place: tuple[str, int]) -> bool:
    """Whether somebody listens at a loopback address and port."""
    try:
        with socket.create_connection(place, timeout=_PATIENCE_SECONDS):
            return True
    except OSError:
        return False
