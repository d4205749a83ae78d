"""Sections of the settings: what each may hold, its bounds, its default and its meaning."""

import ipaddress
import json
import re
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    PlainValidator,
    SecretStr,
    field_validator,
    model_validator,
)

from monitor.config.words import nearest
from monitor.domain.access import Role
from monitor.domain.assessment import AdequacyPolicy, PartialPolicy, Profile
from monitor.domain.instrument import AlarmRules
from monitor.domain.panel import Risk

MOST_CALLS = 1_000_000_000
MOST_USD = 1_000_000
"""Caps above this are a slip; they would also not fit the store's columns."""

_RULES = AlarmRules()
_WEIGHTS = ("topical_fit", "authority", "freshness", "support")


class Part(BaseModel):
    """A section of the settings; an unknown key is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


def base_address(value: str | None) -> str | None:
    """A base URL without anything secret in it: it is stored with every call."""
    if value is None:
        return None
    try:
        parts = urlsplit(value)
        port_is_fine = parts.port is None or parts.port > 0
    except ValueError:
        port_is_fine, parts = False, urlsplit("")
    # What stands for nothing in an address would be cut out of it silently, or sent in pieces.
    is_plain = re.search(r"[\x00-\x20\x7f]", value) is None
    if parts.scheme not in {"http", "https"} or not (parts.hostname and port_is_fine and is_plain):
        raise ValueError("expected an address such as 'https://api.example.org/v1'")
    if parts.username or parts.password or parts.query or parts.fragment:
        raise ValueError("no login, query or fragment here: an address is stored with every call")
    return value


def _ping_url(value: SecretStr) -> SecretStr:
    """A base URL that words can be put behind; its path is the secret."""
    try:
        base_address(value.get_secret_value())
    except ValueError:
        raise ValueError(
            "expected a base URL such as 'https://ping.example.org/KEY', without login, query or "
            "fragment"
        ) from None
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


PingUrl = Annotated[SecretStr, AfterValidator(_ping_url)]
Weight = Annotated[float, Field(ge=0, le=1000)]
WeightName = Annotated[str, AfterValidator(_weight_name)]
FamilyLabel = Annotated[str | dict[str, str], PlainValidator(_family_label)]


class StorePart(Part):
    """Where rows and bytes live."""

    database: str = "sqlite:///data/monitor.db"
    """Rows: sqlite:///PATH, or postgresql://USER@HOST/NAME with the extra `postgres`.

    A password is best left out: PGPASSWORD_FILE names a file that holds it, and PGPASSWORD,
    PGPASSFILE and the other variables of libpq are read.
    """
    artifacts: str = "data/artifacts"
    """Bytes by hash: a folder, or s3://BUCKET/PREFIX, gs:// or az://.

    Keys come from the environment: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_REGION;
    GOOGLE_SERVICE_ACCOUNT; AZURE_STORAGE_ACCOUNT_NAME and AZURE_STORAGE_ACCOUNT_KEY. Each KEY may
    be a file instead, named by NAME_FILE. S3 that is not Amazon's has
    AWS_ENDPOINT=https://HOST, and AWS_ALLOW_HTTP=true where that is http. The service must know
    If-None-Match on PUT, as that of Amazon does.
    """


class RetentionPart(Part):
    """How long `monitor retain` and schedulers keep stored bytes; rows and quotes always stay."""

    payload_days: int | None = Field(default=None, ge=1, le=36_500)
    """Days after a run ended that its payloads are kept; None is for ever. `reparse` needs them."""
    screenshot_days: int | None = Field(default=None, ge=1, le=36_500)
    """Days that its screenshots, and pages and texts beside them, are kept; None is for ever."""
    page_days: int | None = Field(default=None, ge=1, le=36_500)
    """Days that its fetched pages are kept, as they were sent; None is for ever."""
    text_days: int | None = Field(default=None, ge=1, le=36_500)
    """Days that the texts read from pages are kept; None is for ever. New verdicts need them."""


class EnginePart(Part):
    """How one engine is asked."""

    model: str | None = None
    """Model to ask for; None asks for the engine's default."""
    base_url: Annotated[str | None, AfterValidator(base_address)] = None
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
    """Caps of one run, and of all runs of a month."""

    calls: int = Field(default=5000, ge=0, le=MOST_CALLS)
    """Most calls; each is reserved before it is made."""
    usd: float = Field(default=50.0, ge=0, le=MOST_USD)
    """Most money, by estimate until the vendor reports a cost."""
    month_calls: int | None = Field(default=None, ge=0, le=MOST_CALLS)
    """Most calls of all runs in a calendar month (UTC); None is no cap."""
    month_usd: float | None = Field(default=None, ge=0, le=MOST_USD)
    """Most money of all runs in a calendar month (UTC); None is no cap."""


class RunnerPart(Part):
    """Who works on runs: one process, or any number of workers on PostgreSQL."""

    name: Literal["local", "pgqueuer"] = "local"
    """`local` works in the process that was started; `pgqueuer` leaves it to `monitor worker`."""
    attempts: int = Field(default=3, ge=1, le=20)
    """Failures of one job before it is given up and named by `monitor status`."""
    takeover_seconds: float = Field(default=15, ge=2, le=600)
    """Silence of a worker after which its jobs are taken over by another one."""
    judge_workers: int = Field(default=2, ge=1, le=64)
    """Jobs of the judge under way at once over all workers; they take a core each."""


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
    """Least time between two captures of a page of our own; surfaces of others have theirs."""
    stable_seconds: float = Field(default=2, ge=0.1, le=600)
    """How long the text must stay unchanged before an answer counts as finished."""
    answer_seconds: float = Field(default=180, gt=0, le=3600)
    """From the question to the finished answer, at most."""
    timeout_seconds: float = Field(default=300, gt=0, le=3600)
    """Total time for one capture, with all that is opened and pictured."""


class SandboxPart(Part):
    """Where the sandbox's fictional hosts listen; written by the demo and by tests only.

    No environment variable can set it, and a run records it.
    """

    hosts: dict[str, tuple[str, int, int]] = {}
    """Reserved names -> (loopback address, http port, https port); names only."""
    ca_file: str | None = None
    """Certificate that those hosts present."""


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


def _listening(value: str) -> str:
    """An address to listen on."""
    try:
        ipaddress.ip_address(value)
    except ValueError:
        raise ValueError("expected an address such as 127.0.0.1 or ::1, not a name") from None
    return value


def _host_name(value: str) -> str:
    """A name as a Host header has it, without a port."""
    if not re.fullmatch(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?", value.lower()):
        raise ValueError("expected a name such as 'monitor.example.org', without port or scheme")
    return value.lower()


def _network(value: str) -> str:
    """An address, or a network of them."""
    try:
        ipaddress.ip_network(value)
    except ValueError:
        raise ValueError(
            "expected an address or a network, such as 10.0.0.7 or 10.0.0.0/24"
        ) from None
    return value


def _header_name(value: str | None) -> str | None:
    """Name of an HTTP header."""
    if value is not None and not re.fullmatch(r"[A-Za-z][A-Za-z0-9-]{0,63}", value):
        raise ValueError("expected the name of a header, such as 'X-Forwarded-User'")
    return value


class WebPart(Part):
    """Where `monitor serve` listens, by which names it is called, and who may do what there."""

    host: Annotated[str, AfterValidator(_listening)] = "127.0.0.1"
    """Address to listen on; others than this machine's own take an account with a password."""
    port: int = Field(default=8750, ge=0, le=65_535)
    """Port to listen on; 0 takes a free one."""
    hosts: tuple[Annotated[str, AfterValidator(_host_name)], ...] = ()
    """Names a proxy passes on; a request for any other name is refused."""
    trusted_proxy: bool = False
    """A proxy in front asks for a password, and nobody else can connect: any address will do."""
    proxies: tuple[Annotated[str, AfterValidator(_network)], ...] = ("127.0.0.0/8", "::1/128")
    """Where that proxy connects from; what others say in its headers is not believed."""
    proxy_user_header: Annotated[str | None, AfterValidator(_header_name)] = None
    """Header in which that proxy names who asks, such as X-Forwarded-User; None for none."""
    proxy_role: Role = Role.VIEWER
    """Role of those whom that proxy lets in and who have no account of their name."""
    session_idle_hours: float = Field(default=12, gt=0, le=24 * 90)
    """A login ends after so long without a request."""
    session_days: float = Field(default=7, gt=0, le=90)
    """A login ends after so long in any case."""
    open_metrics: bool = False
    """/metrics without login from other machines, too, where accounts exist."""
    upload_megabytes: int = Field(default=200, ge=1, le=10_000)
    """Most megabytes of one upload; any other form may have one."""

    @model_validator(mode="after")
    def _header_of_a_proxy(self) -> Self:
        if self.proxy_user_header is not None and not self.trusted_proxy:
            raise ValueError("proxy_user_header needs trusted_proxy: true, a proxy that sets it")
        return self


class HealthPart(Part):
    """How the monitor tells that it works: pings of a dead-man switch, logs.

    A ping URL is a secret: it is never logged and never stored with a run.
    """

    ping_url: PingUrl | None = Field(default=None, exclude=True)
    """Base URL of a dead-man switch: URL/start, URL and URL/fail are asked as runs go."""
    ping_url_file: str | None = None
    """File that holds the ping URL, where it is not given itself."""
    panel_ping_urls: dict[str, PingUrl] = Field(default={}, exclude=True)
    """Panel -> a ping URL of its own."""
    alive_ping_url: PingUrl | None = Field(default=None, exclude=True)
    """Asked again and again while a scheduler lives; a switch of its own notices its death."""
    alive_ping_url_file: str | None = None
    """File that holds the URL of the scheduler's ping, where it is not given itself."""
    alive_seconds: float = Field(default=300, ge=1, le=86_400)
    """Time between two pings of a living scheduler."""
    ping_timeout_seconds: float = Field(default=10, gt=0, le=60)
    """Total time for one ping."""
    log_format: Literal["text", "json"] = "text"
    """`json` writes one object a line on standard error."""
    log_level: Literal["debug", "info", "warning", "error"] | None = None
    """Least weight of a line; None is `info` for services, `warning` for commands of one run."""


class AlarmsPart(Part):
    """From when on a run's own counts put its numbers in doubt, and whether that pings fail."""

    ping_fail: bool = True
    """A run that is done but puts its own numbers in doubt pings fail instead of success."""
    past_runs: int = Field(default=3, ge=1, le=24)
    """Earlier runs of a panel that an engine is held against, pooled."""
    least_answers: int = Field(default=_RULES.least_answers, ge=1, le=10_000)
    """Answers, now and before, below which citing is not compared."""
    citing_left: float = Field(default=_RULES.citing_left, ge=0, lt=1)
    """Citations per answer, as a part of those before, at which an engine has stopped citing."""
    unread: float = Field(default=_RULES.unread, gt=0, le=1)
    """Part of the asked captures whose payload could not be read."""
    coverage: float = Field(default=_RULES.coverage, ge=0, le=1)
    """Part of the planned captures that must have been heard."""
    storm: float = Field(default=_RULES.storm, gt=0, le=1)
    """Part of the asked captures that ended at one barrier, such as a captcha or a rate limit."""
    least_captures: int = Field(default=_RULES.least_captures, ge=1, le=10_000)
    """Captures below which neither unread payloads nor a barrier raise an alarm."""
