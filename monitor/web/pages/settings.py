"""Settings, read-only: values and their origin, keys set or not, panels as their files stand."""

import platform
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version

from monitor import __version__
from monitor.config.endpoints import endpoints
from monitor.config.settings import Settings
from monitor.config.yaml import Problem
from monitor.domain.access import Role
from monitor.pipeline.checking import PanelFiles
from monitor.pipeline.settings_shown import masked_address, shown_keys, shown_settings
from monitor.report.screens.settings import (
    EndpointLine,
    PanelLine,
    ProblemLine,
    SettingsScreen,
    SkippedLine,
    VersionLine,
    settings_table,
)
from monitor.scoring import SCORING_VERSION
from monitor.web.pages.finding import DeskOf
from monitor.web.pages.panel_files import checked_panels
from monitor.web.screens import Screen

_LIBRARIES = ("fastapi", "starlette", "pydantic", "sqlalchemy", "httpx", "uvicorn")


def load_settings(desk: DeskOf) -> SettingsScreen:
    """All settings with their origin; the panels and what is wrong with them."""
    settings = desk.bench.settings
    checked = checked_panels(desk)
    return SettingsScreen(
        groups=shown_settings(settings),
        keys=shown_keys(settings),
        endpoints=tuple(
            EndpointLine(one.setting, masked_address(one.address) if one.address else "set")
            for one in endpoints(settings)
        ),
        folder=settings.panels,
        panels=tuple(map(_panel, checked.panels)),
        problems=tuple(map(_problem, checked.problems)),
        skipped=tuple(SkippedLine(*pair) for pair in sorted(checked.skipped.items())),
        versions=tuple(_versions(settings)),
        database=desk.bench.database.shown_url,
    )


def _panel(one: PanelFiles) -> PanelLine:
    panel = one.panel
    return PanelLine(
        file=str(one.path),
        panel=f"{panel.name}, version {panel.version}" if panel else "",
        prompts=len(panel.prompts) if panel else 0,
        engines=panel.engines if panel else (),
        baseline=one.baseline_path.name if one.baseline_path else "",
    )


def _problem(one: Problem) -> ProblemLine:
    where = f"{one.file}:{one.line}" if one.line else one.file
    return ProblemLine(where, one.message, one.warning)


def _versions(settings: Settings) -> Iterator[VersionLine]:
    yield VersionLine("monitor", __version__)
    yield VersionLine("scoring", str(SCORING_VERSION))
    yield VersionLine("runner", settings.runner.name)
    yield VersionLine("python", platform.python_version())
    for name in _LIBRARIES:
        try:
            yield VersionLine(name, version(name))
        except PackageNotFoundError:
            continue


SCREENS = (
    Screen(
        "/settings",
        load_settings,
        SettingsScreen,
        "settings.html.j2",
        table=settings_table,
        role=Role.ADMIN,
    ),
)
