"""Settings: config.yaml, then MONITOR_* variables; secrets only from the environment or files.

A variable names a path with double underscores: MONITOR_STORE__DATABASE sets store.database.
MONITOR_CONFIG names the file. Keys of engines are read by `secret`, never stored here.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from monitor.config.yaml import Document, Problem, nearest, problems_of, read_yaml
from monitor.errors import ConfigError

PREFIX = "MONITOR_"
_NOT_SETTINGS = {"MONITOR_CONFIG", "MONITOR_CORPORA"}


class Part(BaseModel):
    """A section of the settings; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class StorePart(Part):
    """Where rows and bytes live."""

    database: str = "sqlite:///data/monitor.db"
    artifacts: str = "data/artifacts"
    """A folder, or s3://, gs:// or az:// URL."""


class EnginePart(Part):
    """How one engine is asked."""

    model: str | None = None
    base_url: str | None = None
    country: str | None = Field(default=None, pattern="^[A-Z]{2}$")
    options: dict[str, Any] = {}
    concurrency: int = Field(default=4, ge=1, le=256)
    per_minute: float = Field(default=60, gt=0)
    """Calls started in a minute, at most."""
    timeout_seconds: float = Field(default=180, gt=0, le=3600)
    """Total time for one call."""
    attempts: int = Field(default=4, ge=1, le=10)
    """Tries of one call, the first one included."""
    call_micros: int | None = Field(default=None, ge=0)
    """Price of one call in millionths of a USD where the table is wrong for you."""


class BudgetPart(Part):
    """Caps of one run."""

    calls: int = Field(default=5000, ge=0)
    usd: float = Field(default=50.0, ge=0)


class PagesPart(Part):
    """How cited pages are fetched."""

    fetch: bool = True
    concurrency: int = Field(default=16, ge=1, le=128)
    deadline_seconds: float = Field(default=20, gt=0, le=300)
    max_bytes: int = Field(default=5 * 1024 * 1024, ge=1024)
    respect_robots: bool = True
    user_agent: str = "CitationMonitor/0.1 (evidence check of cited pages)"


class BrowserPart(Part):
    """How browser surfaces are captured."""

    enabled: bool = True
    executable: str | None = None
    """Path of a Chromium; None looks for one."""
    width: int = Field(default=1280, ge=320, le=3840)
    height: int = Field(default=900, ge=320, le=2160)
    spacing_seconds: float = Field(default=20, ge=0)
    """Least time between two live captures of one surface."""
    stable_seconds: float = Field(default=2, ge=0.1)
    """How long the text must stay unchanged before an answer counts as finished."""
    timeout_seconds: float = Field(default=120, gt=0)


class SandboxPart(Part):
    """Where the sandbox's fictional hosts listen; written by the demo and by tests only.

    No environment variable can set it, and a run records it.
    """

    hosts: dict[str, tuple[str, int, int]] = {}
    """Reserved names -> (loopback address, http port, https port); names only."""
    ca_file: str | None = None
    """Certificate that those hosts present."""


class JudgePart(Part):
    """Which judge gives verdicts."""

    name: str = "embedded"


class ScoringPart(Part):
    """Choices that change numbers; all of them are in the signature."""

    profile: str = Field(default="monitor", pattern="^(monitor|alce)$")
    partial: str = Field(default="half", pattern="^(half|none|split)$")
    adequacy: dict[str, str] = {"standard": "any", "ymyl": "required_or_acceptable"}
    relevance: dict[str, float] = {}


class Settings(BaseSettings):
    """Everything an operator may set."""

    model_config = SettingsConfigDict(
        extra="forbid", frozen=True, env_prefix=PREFIX, env_nested_delimiter="__"
    )

    store: StorePart = StorePart()
    panels: str = "prompt_panels"
    """Folder of panel and baseline files."""
    reports: str = "data/reports"
    engines: dict[str, EnginePart] = {}
    budget: BudgetPart = BudgetPart()
    pages: PagesPart = PagesPart()
    browser: BrowserPart = BrowserPart()
    judge: JudgePart = JudgePart()
    sandbox: SandboxPart = SandboxPart()
    scoring: ScoringPart = ScoringPart()
    families: dict[str, str] = {}
    """User overrides: exact host, *.suffix or host/path prefix -> family."""

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
    problems = _unknown_variables(os.environ)
    try:
        settings = Settings(**{str(key): part for key, part in value.items()})
    except ValidationError as error:
        return None, (*problems, *problems_of(error, document, Settings))
    except SettingsError as error:
        return None, (*problems, Problem("environment", None, str(error)))
    return (None, problems) if problems else (settings, ())


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


def load_settings(path: Path | None) -> Settings:
    """Settings for the doors; ConfigError lists every problem at once."""
    chosen = path or Path(os.environ.get("MONITOR_CONFIG", "config.yaml"))
    text = chosen.read_text("utf-8") if chosen.exists() else None
    if text is None and (path or "MONITOR_CONFIG" in os.environ):
        raise ConfigError(f"{chosen}: no such file; write it or leave out the option")
    settings, problems = read_settings(text, str(chosen))
    if settings is None:
        raise ConfigError("\n".join(map(str, problems)))
    return settings


def secret(name: str, environ: Mapping[str, str] = os.environ) -> str | None:
    """A key from NAME or from the file that NAME_FILE points at; None when neither is set."""
    value = environ.get(name)
    if value:
        return value.strip()
    file = environ.get(f"{name}_FILE")
    if not file:
        return None
    try:
        return Path(file).read_text("utf-8").strip() or None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(
            f"{name}_FILE: cannot read {file}: {error.__class__.__name__}; "
            "point it at a readable text file that holds the key"
        ) from error
