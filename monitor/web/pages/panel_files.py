"""Panel files as they stand: read once, until one of them is another."""

from pathlib import Path

from monitor.errors import PanelError
from monitor.pipeline.checking import Checked, PanelFiles, check_panels
from monitor.web.desk import Desk


def checked_panels(desk: Desk) -> Checked:
    """What `monitor check` finds under the settings at work; long panels take a second to read."""
    settings = desk.bench.settings
    key = ("panels", _files(Path(settings.panels)))
    return desk.counting.get(key, lambda: check_panels(settings))


def sound_panels(desk: Desk) -> dict[str, PanelFiles]:
    """Panels without an error in their files, by name."""
    found = {}
    for one in checked_panels(desk).panels:
        if one.panel is not None and all(problem.warning for problem in one.problems):
            found[one.panel.name] = one
    return found


def panel_called(desk: Desk, name: str) -> PanelFiles:
    """The sound panel of a name, never of a path; PanelError says which there are."""
    known = sound_panels(desk)
    if name not in known:
        raise PanelError(f"no sound panel {name[:100]!r}; there are: {', '.join(known) or 'none'}")
    return known[name]


def _files(folder: Path) -> tuple[tuple[str, int, int], ...]:
    """What tells whether a file of the folder is another than before."""
    found = []
    for path in sorted(folder.glob("*.y*ml")):
        try:
            about = path.stat()
        except OSError:
            continue
        found.append((path.name, about.st_mtime_ns, about.st_size))
    return tuple(found)
