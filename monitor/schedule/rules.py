"""Panel files -> the rules that count, also while some of the files are broken."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from monitor.config.logs import log
from monitor.config.settings import Settings
from monitor.domain.panel import Schedule
from monitor.pipeline.bench import Bench
from monitor.pipeline.checking import PanelFiles, load_folder
from monitor.store import Connection, schedules


@dataclass(frozen=True, slots=True)
class Rules:
    """What the panel files say about schedules at one moment."""

    panels: Mapping[str, Schedule | None]
    """Panel of a file that can be read -> its rule, None for one that is run by hand."""
    broken: Mapping[str, str]
    """Panel, or name of a file that cannot be read -> what is wrong with it."""
    complete: bool
    """Whether every file can be read, so that a panel which is in none of them has gone."""

    def trouble(self, panel: str) -> str | None:
        """What is wrong with a panel's file, as far as it can be told."""
        if panel in self.broken or panel in self.panels or self.complete:
            return self.broken.get(panel)
        return "no readable file has this panel; " + "; ".join(self.broken.values())


def read_rules(settings: Settings) -> Rules:
    """Rules of all panel files; nothing in a file is an error here."""
    folder = Path(settings.panels)
    if not folder.is_dir():
        why = f"{folder}: no such folder; set `panels` to the folder of panel files"
        return Rules({}, {str(folder): why}, complete=False)
    try:
        every = load_folder(folder, settings)
    except OSError as error:
        return Rules({}, {str(folder): f"{folder}: {error.strerror}"}, complete=False)
    files = [one for one in every if one.path != one.baseline_path]
    return Rules(
        panels={one.panel.name: one.panel.schedule for one in files if one.panel},
        broken={_name(one): wrong for one in files if (wrong := _errors(one))},
        complete=all(one.panel for one in files),
    )


class KnownRules:
    """Rules of the panel files, read again only where a file is another than before."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._known: tuple[object, Rules] | None = None

    def read(self) -> Rules:
        """Rules as the files say now."""
        stand = _stand(Path(self._settings.panels))
        known = self._known
        if known is not None and stand is not None and known[0] == stand:
            return known[1]
        rules = read_rules(self._settings)
        self._known = stand, rules
        return rules


def _stand(folder: Path) -> object:
    """What changes with any file of a folder; None where that cannot be told."""
    try:
        files = [(one.name, one.stat()) for one in os.scandir(folder)]
    except OSError:
        return None
    return sorted((name, at.st_mtime_ns, at.st_size, at.st_ino) for name, at in files)


def _name(one: PanelFiles) -> str:
    """Panel of a file; the file's own name where it cannot be read."""
    return one.panel.name if one.panel else one.path.stem


def _errors(one: PanelFiles) -> str | None:
    """The first thing that keeps a panel from being run, or None."""
    errors = [str(problem) for problem in one.problems if not problem.warning]
    if not errors:
        return None
    return errors[0] + (f" (and {len(errors) - 1} more, see `monitor check`)" if errors[1:] else "")


def keep_rules(bench: Bench, read: Rules, now: datetime) -> dict[str, Schedule]:
    """Bring the store's rules to what the files say, and return those that count.

    A file that cannot be read leaves its panel's rule as it was. Nothing is written where nothing
    changed.
    """
    kept = {one.panel: one for one in bench.read(schedules.load_all)}
    wanted = {name: one.rule for name, one in kept.items()}
    wanted |= {name: rule for name, rule in read.panels.items() if rule or name in kept}
    if read.complete:
        wanted |= dict.fromkeys(kept.keys() - read.panels.keys())
    for name, rule in wanted.items():
        before = kept.get(name)
        if before is None or before.rule != rule:
            log(
                "schedule_rule",
                panel=name,
                reason=f"{rule.cron} {rule.timezone}" if rule else "none",
            )
            bench.write(lambda c, name=name, rule=rule: schedules.keep_rule(c, name, rule, at=now))  # type: ignore[misc]
        _note(bench, name, read.trouble(name) if rule else None, before)
    return {name: rule for name, rule in wanted.items() if rule}


def _note(bench: Bench, panel: str, why: str | None, before: schedules.Kept | None) -> None:
    """Keep what is wrong with a panel's file, once for each change."""
    if why == (before.broken if before else None):
        return
    if why:
        log("panel_broken", level="warning", panel=panel, reason=why)

    def save(connection: Connection) -> None:
        schedules.set_broken(connection, panel, why)

    bench.write(save)
