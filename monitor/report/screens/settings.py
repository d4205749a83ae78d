"""Settings as a page shows them: values and where they came from, never a secret."""

from dataclasses import dataclass

from monitor.report.tables import Table


@dataclass(frozen=True, slots=True)
class SettingLine:
    """A setting: its value now, and where that came from."""

    path: str
    value: str
    """`set` or `not set` for a secret."""
    source: str
    """`default`, `file`, or the variable that sets it."""
    default: str
    meaning: str


@dataclass(frozen=True, slots=True)
class SettingGroup:
    """One section of the settings."""

    heading: str
    meaning: str
    settings: tuple[SettingLine, ...]


@dataclass(frozen=True, slots=True)
class EndpointLine:
    """An address that skips the check of addresses, since an operator wrote it."""

    setting: str
    address: str


@dataclass(frozen=True, slots=True)
class PanelLine:
    """A panel file as it stands."""

    file: str
    panel: str
    """Name and version; empty where it cannot be read."""
    prompts: int
    engines: tuple[str, ...]
    baseline: str
    """Its file; empty for none."""


@dataclass(frozen=True, slots=True)
class ProblemLine:
    """One thing wrong or doubtful in a file."""

    where: str
    message: str
    is_warning: bool


@dataclass(frozen=True, slots=True)
class SkippedLine:
    """An engine that a panel names and a run would leave out."""

    engine: str
    reason: str


@dataclass(frozen=True, slots=True)
class VersionLine:
    """A part of the program and its version."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class SettingsScreen:
    """Everything an operator set, and how the files of panels stand."""

    groups: tuple[SettingGroup, ...]
    keys: tuple[SettingLine, ...]
    """Keys of engines and judges, by the variables that hold them."""
    endpoints: tuple[EndpointLine, ...]
    folder: str
    panels: tuple[PanelLine, ...]
    problems: tuple[ProblemLine, ...]
    skipped: tuple[SkippedLine, ...]
    versions: tuple[VersionLine, ...]
    database: str
    """Where the rows are, without a password."""


SETTINGS_HEADER = ("section", "setting", "value", "source", "default", "meaning")


def settings_table(screen: SettingsScreen) -> Table:
    """Every setting as a row, keys last."""
    rows = [_row(group.heading, one) for group in screen.groups for one in group.settings]
    return SETTINGS_HEADER, [*rows, *(_row("keys", one) for one in screen.keys)]


def _row(section: str, one: SettingLine) -> tuple[str, ...]:
    return section, one.path, one.value, one.source, one.default, one.meaning
