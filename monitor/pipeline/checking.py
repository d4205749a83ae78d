"""Files people wrote -> panels and baselines, with every problem of all of them at once."""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from monitor.baseline import parse_baseline
from monitor.config.settings import (
    DEFAULT_FILE,
    Settings,
    read_settings,
    settings_file,
    settings_text,
)
from monitor.config.yaml import Document, Problem, read_file, read_yaml
from monitor.domain.baseline import Baseline
from monitor.domain.page import FetchStatus
from monitor.domain.panel import Panel
from monitor.domain.source import UrlIdentity
from monitor.engines import ENGINES
from monitor.errors import ConfigError, PanelError
from monitor.panels import ParsedPanel, parse_panel
from monitor.pipeline.agreeing import check_requests, check_words, sound_families, unheard, unpinged
from monitor.pipeline.paging import guarded_fetcher
from monitor.pipeline.planning import skip_reason
from monitor.pipeline.reaching import measures_problem, runner_problem, sandbox_problem
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
    prompt_lines: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))
    engine_lines: Mapping[str, int] = field(default_factory=lambda: MappingProxyType({}))


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
    chosen = settings_file(None if str(config) == DEFAULT_FILE else config)
    text = settings_text(chosen, optional=str(chosen) == DEFAULT_FILE)
    settings, problems, document = _settings(text, str(chosen))
    usable = settings or _fallback(document)
    every, found, skipped = _looked_at(usable, document)
    return Checked(settings, found, (*_sorted(problems), *every), skipped)


def check_panels(settings: Settings) -> Checked:
    """The same for settings that are at work already, without the lines they stand on."""
    every, found, skipped = _looked_at(settings, Document(DEFAULT_FILE, {}, {}))
    return Checked(settings, found, every, skipped)


def _looked_at(
    usable: Settings, document: Document
) -> tuple[tuple[Problem, ...], tuple[PanelFiles, ...], Mapping[str, str]]:
    """Problems of everything but the form of the settings, the panels, and skipped engines."""
    every = [*check_words(usable, document)]
    gone = sandbox_problem(usable)
    every += [document.problem(("sandbox",), gone)] if gone else []
    unserved = runner_problem(usable)
    every += [document.problem(("runner", "name"), unserved)] if unserved else []
    unknown = measures_problem(usable)
    every += [document.problem(("alerts", "measures"), unknown)] if unknown else []
    found = load_folder(Path(usable.panels), usable)
    every += [p for one in found for p in one.problems]
    every += [p for one in found for p in _requests(one, usable, document)]
    every += _folder_problems(Path(usable.panels), found)
    named = {p.name for one in found if (p := one.panel) is not None}
    if all(one.panel for one in found):
        every += unpinged(usable, named, document) + unheard(usable, named, document)
    skipped, keys = _skipped(found, usable)
    return (*every, *keys), found, skipped


def _settings(
    text: str | Problem | None, file: str
) -> tuple[Settings | None, tuple[Problem, ...], Document]:
    """Settings or their problems, and the file with its lines, empty where it cannot be read."""
    if isinstance(text, Problem):
        return None, (text,), Document(file, {}, {})
    settings, problems = read_settings(text, file)
    read = read_yaml(text or "", file)
    return settings, problems, read if isinstance(read, Document) else Document(file, {}, {})


def _requests(one: PanelFiles, settings: Settings, document: Document) -> list[Problem]:
    """Questions of one panel that cannot be put to its engines."""
    return check_requests(
        one.panel,
        str(one.path),
        settings,
        document,
        prompt_lines=one.prompt_lines,
        engine_lines=one.engine_lines,
    )


def _fallback(document: Document) -> Settings:
    """Defaults, with the folder of panels that unsound settings still name."""
    value = document.value.get("panels") if isinstance(document.value, dict) else None
    usable = Settings.model_construct()
    return usable.model_copy(update={"panels": value}) if isinstance(value, str) else usable


def _folder_problems(folder: Path, found: tuple[PanelFiles, ...]) -> list[Problem]:
    """A folder without panels, and files in it that nobody reads."""
    problems = [
        Problem(str(path), None, "only .yaml files are read; rename it", warning=True)
        for path in sorted(folder.glob("*.yml"))
    ]
    if not found:
        message = "no panel file here; expected NAME.yaml files"
        problems.append(Problem(str(folder), None, message))
    return problems


def _skipped(
    found: tuple[PanelFiles, ...], settings: Settings
) -> tuple[dict[str, str], list[Problem]]:
    """Engines that would not be asked, and keys that are there but cannot be used."""
    skipped: dict[str, str] = {}
    problems = []
    for name in sorted({e for one in found if one.panel for e in one.panel.engines}):
        try:
            reason = skip_reason(ENGINES[name], settings, no_browser=False)
        except ConfigError as error:
            problems.append(Problem("environment", None, str(error)))
            continue
        if reason:
            skipped[name] = reason
    return skipped, problems


def load_folder(folder: Path, settings: Settings) -> tuple[PanelFiles, ...]:
    """Every panel file of a folder with the baseline beside it."""
    paths = sorted(p for p in folder.glob("*.yaml") if not p.name.endswith(BASELINE_SUFFIX))
    found = tuple(load_files(path, settings) for path in paths)
    known = {p.with_name(p.stem + BASELINE_SUFFIX) for p in paths}
    orphans = tuple(
        _orphan(path, settings)
        for path in sorted(folder.glob(f"*{BASELINE_SUFFIX}"))
        if path not in known
    )
    return (*_same_name(found), *orphans)


def _orphan(path: Path, settings: Settings) -> PanelFiles:
    """A baseline without its panel: read for its own problems."""
    text = read_file(path)
    if isinstance(text, Problem):
        return PanelFiles(path, None, None, path, None, (text,))
    graded = parse_baseline(
        text, str(path), None, _placing(settings), labels=family_labels(settings)
    )
    wanted = path.name.removesuffix(BASELINE_SUFFIX) + ".yaml"
    alone = Problem(str(path), None, f"no panel beside it; expected {wanted}")
    return PanelFiles(path, None, None, path, text, (alone, *_sorted(graded.problems)))


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
    parsed = read_panel(path, settings)
    beside = path.with_name(path.stem + BASELINE_SUFFIX)
    files = PanelFiles(
        path,
        parsed.panel,
        None,
        None,
        None,
        _sorted(parsed.problems),
        prompt_lines=parsed.prompt_lines,
        engine_lines=parsed.engine_lines,
    )
    if not beside.exists():
        return files
    text = read_file(beside)
    if isinstance(text, Problem):
        return replace(files, baseline_path=beside, problems=(*files.problems, text))
    graded = parse_baseline(
        text,
        str(beside),
        parsed.panel,
        _placing(settings),
        outline=parsed.outline,
        labels=family_labels(settings),
    )
    return replace(
        files,
        baseline=graded.baseline,
        baseline_path=beside,
        baseline_text=text,
        problems=(*files.problems, *_sorted(graded.problems)),
    )


def read_panel(path: Path, settings: Settings) -> ParsedPanel:
    """The panel of a file, or what is wrong with the file."""
    text = read_file(path)
    if isinstance(text, Problem):
        return ParsedPanel(None, (text,))
    placed, labels = _placing(settings), family_labels(settings)

    def family_of(name: str) -> str | None:
        return name if name in labels else placed(name).family

    return parse_panel(text, str(path), tuple(ENGINES), family_of=family_of)


def _placing(settings: Settings) -> Callable[[str], UrlIdentity]:
    """Identity of a URL under the family overrides that can be used."""
    families = family_map(sound_families(settings))
    return partial(identify, families=families)


def family_labels(settings: Settings) -> frozenset[str]:
    """Family names that the overrides make."""
    labels = sound_families(settings).values()
    return frozenset(one if isinstance(one, str) else one["family"] for one in labels)


def _sorted(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Problems of one file in line order, each told once."""
    every = dict.fromkeys(problems)
    return tuple(sorted(every, key=lambda p: (p.file, p.line or 0, p.message)))


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
            raise PanelError(f"no panel {name[:200]!r} in {settings.panels}; found: {known}")
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
