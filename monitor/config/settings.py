"""Settings: config.yaml, then MONITOR_* variables; secrets only from the environment or files.

A variable names a path with double underscores: MONITOR_STORE__DATABASE sets store.database.
MONITOR_CONFIG names the file. Keys of engines are read by `secret`, never stored here.
"""

import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path

from pydantic import (
    ValidationError,
)
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from monitor.config.alerting import AlertsPart
from monitor.config.judging import JudgePart
from monitor.config.parts import (
    AlarmsPart,
    BrowserPart,
    BudgetPart,
    EnginePart,
    FamilyLabel,
    HealthPart,
    PagesPart,
    RetentionPart,
    RunnerPart,
    SandboxPart,
    ScoringPart,
    StorePart,
    WebPart,
)
from monitor.config.surfaces import EvidencePart, LocalePart, SurfacePart
from monitor.config.validation import problems_of
from monitor.config.words import nearest
from monitor.config.yaml import Document, Place, Problem, read_file, read_yaml
from monitor.errors import ConfigError

PREFIX = "MONITOR_"
_NOT_SETTINGS = {"MONITOR_CONFIG", "MONITOR_CORPORA"}
_KEY_CHARACTERS = re.compile("[ -~]+")
_MOST_KEY_BYTES = 16_384


class Settings(BaseSettings):
    """Everything an operator may set."""

    model_config = SettingsConfigDict(
        extra="forbid",
        frozen=True,
        allow_inf_nan=False,
        env_prefix=PREFIX,
        env_nested_delimiter="__",
    )

    store: StorePart = StorePart()
    retention: RetentionPart = RetentionPart()
    panels: str = "prompt_panels"
    """Folder of panel and baseline files."""
    reports: str = "data/reports"
    """Folder that reports are written to."""
    engines: dict[str, EnginePart] = {}
    """Engine name -> how it is asked."""
    budget: BudgetPart = BudgetPart()
    runner: RunnerPart = RunnerPart()
    pages: PagesPart = PagesPart()
    browser: BrowserPart = BrowserPart()
    surfaces: dict[str, SurfacePart] = {}
    """Browser surface -> how it is captured live."""
    locale: LocalePart = LocalePart()
    judge: JudgePart = JudgePart()
    evidence: EvidencePart = EvidencePart()
    sandbox: SandboxPart = SandboxPart()
    scoring: ScoringPart = ScoringPart()
    health: HealthPart = HealthPart()
    alarms: AlarmsPart = AlarmsPart()
    alerts: AlertsPart = AlertsPart()
    web: WebPart = WebPart()
    families: dict[str, FamilyLabel] = {}
    """User overrides: exact host, *.suffix or host/path prefix -> family, or {family, unit}."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - the signature of the library
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Variables win over the file; nothing else is read."""
        return env_settings, init_settings

    def engine(self, name: str) -> EnginePart:
        """Settings of one engine; defaults where the file says nothing."""
        return self.engines.get(name, EnginePart())


def read_settings(text: str | None, file: str) -> tuple[Settings | None, tuple[Problem, ...]]:
    """Settings from file text and MONITOR_* variables, or every problem found in them."""
    document = Document(file, {}, {}) if text is None else read_yaml(text, file)
    if isinstance(document, Problem):
        return None, (document,)
    value = document.value if document.value is not None else {}
    if not isinstance(value, dict):
        return None, (document.problem((), "expected sections such as `store:` and `engines:`"),)
    problems = [*document.problems, *_unknown_variables(os.environ), *_private(document, value)]
    try:
        settings = Settings(**{k: part for k, part in value.items() if not k.startswith("_")})
    except ValidationError as error:
        return None, (*problems, *problems_of(error, document, Settings, variable_of))
    except SettingsError as error:
        return None, (*problems, Problem("environment", None, str(error)))
    return (None, tuple(problems)) if problems else (settings, ())


def _private(document: Document, value: Collection[str]) -> list[Problem]:
    """Keys that the settings library would take for its own switches."""
    hint = nearest("", Settings.model_fields)
    return [
        document.problem((key,), f"unknown key {key!r}{hint}")
        for key in value
        if key.startswith("_")
    ]


def variable_of(place: Place) -> str | None:
    """The variable that sets a place or what holds it, or None."""
    names = {name.upper(): name for name in os.environ}
    words = [str(part).upper() for part in place]
    for length in range(len(words), 0, -1):
        name = PREFIX + "__".join(words[:length])
        if name in names:
            return names[name]
    return None


def _unknown_variables(environ: Mapping[str, str]) -> tuple[Problem, ...]:
    """A problem for every MONITOR_* variable that names no setting, or one only a file may set."""
    problems = []
    for name in sorted(environ):
        if not name.upper().startswith(PREFIX) or name in _NOT_SETTINGS:
            continue
        part = name[len(PREFIX) :].lower().split("__")[0]
        if part == "sandbox":
            problems.append(Problem(name, None, "sandbox hosts are set in a file only"))
        elif part not in Settings.model_fields:
            hint = nearest(part, Settings.model_fields)
            problems.append(Problem(name, None, f"no setting of that name{hint}"))
    return tuple(problems)


DEFAULT_FILE = "config.yaml"


def settings_file(path: Path | None) -> Path:
    """The settings file to read: the one asked for, MONITOR_CONFIG's, or config.yaml."""
    return path or Path(os.environ.get("MONITOR_CONFIG") or DEFAULT_FILE)


def settings_text(path: Path, *, optional: bool) -> str | Problem | None:
    """Text of a settings file, None where an optional one is not there, or what is wrong."""
    if os.path.lexists(path):
        return read_file(path)
    if optional:
        return None
    return Problem(str(path), None, "no such file; write it or leave out the option")


def load_settings(path: Path | None) -> Settings:
    """Settings for the doors; ConfigError lists every problem at once."""
    chosen = settings_file(path)
    optional = path is None and not os.environ.get("MONITOR_CONFIG")
    text = settings_text(chosen, optional=optional)
    if isinstance(text, Problem):
        raise ConfigError(str(text))
    settings, problems = read_settings(text, str(chosen))
    if settings is None:
        raise ConfigError("\n".join(map(str, problems)))
    return settings


def secret(name: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """A key from NAME or from the file that NAME_FILE points at; None when neither is set.

    Neither a key nor the value of NAME_FILE, which may be a key by mistake, is part of an error.
    """
    value = environ.get(name, "").strip()
    if value:
        return _usable_key(name, value)
    file = environ.get(f"{name}_FILE", "").strip()
    if not file:
        return None
    try:
        with Path(file).open("rb") as stream:
            content = stream.read(_MOST_KEY_BYTES + 1).decode("utf-8-sig").strip()
    except (OSError, ValueError) as error:
        raise ConfigError(
            f"{name}_FILE: the file it names cannot be read ({error.__class__.__name__}); "
            "point it at a readable text file that holds the key"
        ) from None
    return _usable_key(f"{name}_FILE", content) if content else None


def _usable_key(name: str, value: str) -> str:
    """The key itself; ConfigError where it could not stand in an HTTP header."""
    if len(value) > _MOST_KEY_BYTES or not _KEY_CHARACTERS.fullmatch(value):
        raise ConfigError(
            f"{name}: holds line breaks or characters that no key has; "
            "copy the key again, on one line"
        )
    return value
