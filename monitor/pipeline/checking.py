"""Files people wrote -> panels and baselines, with every problem of all of them at once."""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from monitor.baseline import parse_baseline
from monitor.config.settings import Settings, read_settings
from monitor.config.yaml import Problem
from monitor.domain.baseline import Baseline
from monitor.domain.page import FetchStatus
from monitor.domain.panel import Panel
from monitor.domain.source import UrlIdentity
from monitor.engines import ENGINES
from monitor.errors import ConfigError, PanelError
from monitor.panels import parse_panel
from monitor.pipeline.paging import guarded_fetcher
from monitor.pipeline.planning import skip_reason
from monitor.urls import family_map, identify

BASELINE_SUFFIX = ".baseline.yaml"


@dataclass(frozen=True, slots=True)
class PanelFiles:
    """One panel as its files stand: the values, their text, and what is wrong with them."""

    path: Path
    panel: Panel | None
    baseline: Baseline | None
    baseline_path: Path | None
    baseline_text: str | None
    problems: tuple[Problem, ...]


@dataclass(frozen=True, slots=True)
class Checked:
    """Everything `monitor check` looked at."""

    settings: Settings | None
    panels: tuple[PanelFiles, ...]
    problems: tuple[Problem, ...]
    skipped: Mapping[str, str]
    """Engine that a panel names -> why it would not be asked."""

    @property
    def errors(self) -> tuple[Problem, ...]:
        """Problems that stop a run."""
        return tuple(p for p in self.problems if not p.warning)


def check_all(config: Path) -> Checked:
    """Settings, panels, baselines and keys, all problems at once, in file order."""
    text = config.read_text("utf-8", "replace") if config.exists() else None
    settings, problems = read_settings(text, str(config))
    usable = settings or Settings.model_construct()
    found = load_folder(Path(usable.panels), usable)
    every = [*problems, *(p for one in found for p in one.problems)]
    if not found:
        every.append(
            Problem(str(usable.panels), None, "no panel file here; expected NAME.yaml files")
        )
    names = sorted({e for one in found if one.panel for e in one.panel.engines})
    skipped = {
        name: reason
        for name in names
        if (reason := skip_reason(ENGINES[name], usable, no_browser=False))
    }
    return Checked(settings, found, tuple(every), skipped)


def load_folder(folder: Path, settings: Settings) -> tuple[PanelFiles, ...]:
    """Every panel file of a folder with the baseline beside it."""
    paths = sorted(p for p in folder.glob("*.yaml") if not p.name.endswith(BASELINE_SUFFIX))
    found = tuple(load_files(path, settings) for path in paths)
    known = {p.with_name(p.stem + BASELINE_SUFFIX) for p in paths}
    orphans = tuple(
        PanelFiles(path, None, None, path, None, (Problem(str(path), None, "no panel beside it"),))
        for path in sorted(folder.glob(f"*{BASELINE_SUFFIX}"))
        if path not in known
    )
    return (*_same_name(found), *orphans)


def _same_name(found: tuple[PanelFiles, ...]) -> tuple[PanelFiles, ...]:
    """The same files, with a problem where two of them name the same panel."""
    first: dict[str, Path] = {}
    checked = []
    for one in found:
        name = one.panel.name if one.panel else None
        if name is not None and name in first:
            message = f"panel {name!r} is also in {first[name]}; give one of them another name"
            problem = Problem(str(one.path), 1, message)
            one = replace(one, panel=None, problems=(*one.problems, problem))  # noqa: PLW2901
        elif name is not None:
            first[name] = one.path
        checked.append(one)
    return tuple(checked)


def load_files(path: Path, settings: Settings) -> PanelFiles:
    """One panel file and the baseline beside it."""
    families = family_map(settings.families)

    def place(url: str) -> UrlIdentity:
        return identify(url, families=families)

    parsed = parse_panel(_text(path), str(path), tuple(ENGINES))
    beside = path.with_name(path.stem + BASELINE_SUFFIX)
    if not beside.exists():
        return PanelFiles(path, parsed.panel, None, None, None, _sorted(parsed.problems))
    text = _text(beside)
    graded = parse_baseline(text, str(beside), parsed.panel, place)
    problems = (*_sorted(parsed.problems), *_sorted(graded.problems))
    return PanelFiles(path, parsed.panel, graded.baseline, beside, text, problems)


def _text(path: Path) -> str:
    """Text of a file, read as UTF-8."""
    try:
        return path.read_text("utf-8-sig")
    except UnicodeDecodeError as error:
        raise PanelError(
            f"{path}: byte {error.start} is not UTF-8; save the file as UTF-8"
        ) from error
    except OSError as error:
        raise PanelError(f"{path}: cannot be read ({error.strerror})") from error


def _sorted(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Problems of one file in line order."""
    return tuple(sorted(problems, key=lambda p: (p.line or 0, p.message)))


def panel_named(name: str, settings: Settings) -> PanelFiles:
    """The panel of that name or path, sound enough to run; PanelError lists its problems."""
    path = Path(name)
    if path.suffix == ".yaml" and path.exists():
        found = load_files(path, settings)
    else:
        folder = load_folder(Path(settings.panels), settings)
        matching = [p for p in folder if name in {p.path.stem, p.panel.name if p.panel else None}]
        if not matching:
            known = ", ".join(sorted(p.path.stem for p in folder)) or "none"
            raise PanelError(f"no panel {name!r} in {settings.panels}; found: {known}")
        found = matching[0]
    errors = [p for p in found.problems if not p.warning]
    if errors or found.panel is None:
        raise PanelError("\n".join(map(str, errors)) or f"{found.path}: no panel in this file")
    return found


@dataclass(frozen=True, slots=True)
class OnlineFinding:
    """One baseline page, asked for over the network."""

    panel: str
    prompt_id: str
    url: str
    status: FetchStatus


async def check_online(settings: Settings, found: tuple[PanelFiles, ...]) -> list[OnlineFinding]:
    """Fetch every page that a baseline names, through the guard."""
    targets = [
        (files.baseline.panel, prompt_id, source.url)
        for files in found
        if files.baseline is not None
        for prompt_id, prompt in files.baseline.prompts.items()
        for source in prompt.sources
        if source.url is not None
    ]
    async with guarded_fetcher(settings) as fetcher:

        async def one(panel: str, prompt_id: str, url: str) -> OnlineFinding:
            return OnlineFinding(panel, prompt_id, url, (await fetcher.fetch(url)).status)

        return list(await asyncio.gather(*(one(*target) for target in targets)))


def settings_or_error(checked: Checked) -> Settings:
    """The settings, or ConfigError with everything that is wrong with them."""
    if checked.settings is None:
        raise ConfigError("\n".join(map(str, checked.errors)))
    return checked.settings
