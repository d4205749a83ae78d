"""Settings: config.yaml, then MONITOR_* variables; secrets only from the environment or files.

A variable names a path with double underscores: MONITOR_STORE__DATABASE sets store.database.
MONITOR_CONFIG names the file. Keys of engines are read by `secret`, never stored here.
"""

import json
import os
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    ValidationError,
    field_validator,
)
from pydantic_settings import (
    BaseSettings,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
)

from monitor.config.validation import problems_of
from monitor.config.words import nearest
from monitor.config.yaml import Document, Place, Problem, read_file, read_yaml
from monitor.domain.assessment import AdequacyPolicy, PartialPolicy, Profile
from monitor.domain.panel import Risk
from monitor.errors import ConfigError

PREFIX = "MONITOR_"
_NOT_SETTINGS = {"MONITOR_CONFIG", "MONITOR_CORPORA"}
MOST_CALLS = 1_000_000_000
MOST_USD = 1_000_000
"""Caps above this are a slip; they would also not fit the store's columns."""

_WEIGHTS = ("topical_fit", "authority", "freshness", "support")
_KEY_CHARACTERS = re.compile("[ -~]+")
_MOST_KEY_BYTES = 16_384


class Part(BaseModel):
    """A section of the settings; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def _address(value: str | None) -> str | None:
    """A base URL without anything secret in it: it is stored with every call."""
    if value is None:
        return None
    try:
        parts = urlsplit(value)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        port_is_fine, parts = False, urlsplit("")
    if parts.scheme not in {"http", "https"} or not parts.hostname or not port_is_fine:
        raise ValueError("expected an address such as 'https://api.example.org/v1'")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("no login, query or fragment here: an address is stored with every call")
    return value


def _country(value: str | None) -> str | None:
    """An ISO 3166 code of two capital letters."""
    if value is not None and not re.fullmatch("[A-Z]{2}", value):
        raise ValueError("expected a country such as 'GB', two capital letters")
    return value


def _plain_json(value: dict[str, Any]) -> dict[str, Any]:
    """Options that can be sent and hashed."""
    try:
        json.dumps(value, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError("options are words, numbers, lists and keys with values only") from error
    return value


def _weight_name(value: str) -> str:
    """Name of a relevance weight."""
    if value not in _WEIGHTS:
        raise ValueError(f"no such part of relevance{nearest(value, _WEIGHTS)}")
    return value


def _family_label(value: Any) -> str | dict[str, str]:
    """`family`, or `{family, unit}`, of one override."""
    if isinstance(value, str) and value.strip():
        return value
    keyed = isinstance(value, dict) and all(isinstance(v, str) and v for v in value.values())
    if keyed and "family" in value and not value.keys() - {"family", "unit"}:
        return dict(value)
    raise ValueError("expected a family such as 'example.org', or {family, unit}")


Weight = Annotated[float, Field(ge=0, le=1000)]
WeightName = Annotated[str, AfterValidator(_weight_name)]
FamilyLabel = Annotated[str | dict[str, str], PlainValidator(_family_label)]


class StorePart(Part):
    """Where rows and bytes live."""

    database: str = "sqlite:///data/monitor.db"
    """Rows: sqlite:///PATH, or postgresql://USER@HOST/NAME with the extra `postgres`."""
    artifacts: str = "data/artifacts"
    """Bytes by hash: a folder, or an s3://, gs:// or az:// URL."""


class EnginePart(Part):
    """How one engine is asked."""

    model: str | None = None
    """Model to ask for; None asks for the engine's default."""
    base_url: Annotated[str | None, AfterValidator(_address)] = None
    """Where the API lives, without anything secret; None is the vendor's own address."""
    country: Annotated[str | None, AfterValidator(_country)] = None
    """Country to ask from, such as GB; None takes it from the prompt's locale."""
    options: Annotated[dict[str, Any], AfterValidator(_plain_json)] = {}
    """Options of the engine's module; they are part of the recipe."""
    concurrency: int = Field(default=4, ge=1, le=256)
    """Calls under way at once, at most."""
    per_minute: float = Field(default=60, ge=0.01, le=100_000)
    """Calls started in a minute, at most."""
    timeout_seconds: float = Field(default=180, gt=0, le=3600)
    """Total time for one call."""
    attempts: int = Field(default=4, ge=1, le=10)
    """Tries of one call, the first one included."""
    call_micros: int | None = Field(default=None, ge=0, le=1_000_000_000)
    """Price of one call in millionths of a USD where the table is wrong for you."""


class BudgetPart(Part):
    """Caps of one run."""

    calls: int = Field(default=5000, ge=0, le=MOST_CALLS)
    """Most calls; each is reserved before it is made."""
    usd: float = Field(default=50.0, ge=0, le=MOST_USD)
    """Most money, by estimate until the vendor reports a cost."""


class PagesPart(Part):
    """How cited pages are fetched."""

    fetch: bool = True
    """Without fetching, claims are not assessable."""
    concurrency: int = Field(default=16, ge=1, le=128)
    """Pages under way at once, at most."""
    deadline_seconds: float = Field(default=20, gt=0, le=300)
    """Time for one page with all of its redirects."""
    max_bytes: int = Field(default=5 * 1024 * 1024, ge=1024, le=100 * 1024 * 1024)
    """Most bytes of one page; a longer one is not assessable (too_large)."""
    respect_robots: bool = True
    """Leave alone what robots.txt closes (RFC 9309)."""
    user_agent: str = "CitationMonitor/0.1 (evidence check of cited pages)"
    """How the fetcher introduces itself."""


class BrowserPart(Part):
    """How browser surfaces are captured."""

    enabled: bool = True
    """Without it, browser surfaces are left out of plans."""
    executable: str | None = None
    """Path of a Chromium; None looks for one."""
    width: int = Field(default=1280, ge=320, le=3840)
    """Of the page, in pixels."""
    height: int = Field(default=900, ge=320, le=2160)
    """Of the page, in pixels."""
    spacing_seconds: float = Field(default=20, ge=0, le=3600)
    """Least time between two live captures of one surface."""
    stable_seconds: float = Field(default=2, ge=0.1, le=600)
    """How long the text must stay unchanged before an answer counts as finished."""
    timeout_seconds: float = Field(default=120, gt=0, le=3600)
    """Total time for one answer."""


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
    """`embedded` reads words and needs no download and no key."""


class ScoringPart(Part):
    """Choices that change numbers; all of them are in the signature."""

    profile: Profile = Profile.MONITOR
    """How citation recall counts: live answers, or as the ALCE benchmark does."""
    partial: PartialPolicy = PartialPolicy.HALF
    """What partial support is worth: half, nothing, or not assessable until split."""
    adequacy: dict[Risk, AdequacyPolicy] = {
        Risk.STANDARD: AdequacyPolicy.ANY,
        Risk.YMYL: AdequacyPolicy.REQUIRED_OR_ACCEPTABLE,
    }
    """Risk class -> grades that may evidence a required claim; a class left out keeps its own."""
    relevance: dict[WeightName, Weight] = {}
    """Weights of the parts of relevance; a part left out weighs 1."""

    @field_validator("adequacy")
    @classmethod
    def _all_classes(cls, value: dict[Risk, AdequacyPolicy]) -> dict[Risk, AdequacyPolicy]:
        defaults: dict[Risk, AdequacyPolicy] = cls.model_fields["adequacy"].default
        return {**defaults, **value}

    @field_validator("relevance")
    @classmethod
    def _some_weight(cls, value: dict[str, float]) -> dict[str, float]:
        if not any(value.get(name, 1.0) for name in _WEIGHTS):
            raise ValueError("at least one weight is more than 0")
        return value


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
    panels: str = "prompt_panels"
    """Folder of panel and baseline files."""
    reports: str = "data/reports"
    """Folder that reports are written to."""
    engines: dict[str, EnginePart] = {}
    """Engine name -> how it is asked."""
    budget: BudgetPart = BudgetPart()
    pages: PagesPart = PagesPart()
    browser: BrowserPart = BrowserPart()
    judge: JudgePart = JudgePart()
    sandbox: SandboxPart = SandboxPart()
    scoring: ScoringPart = ScoringPart()
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
        return None, (*problems, *problems_of(error, document, Settings, _variable_of))
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


def _variable_of(place: Place) -> str | None:
    """The variable that set a place or what holds it, or None."""
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
