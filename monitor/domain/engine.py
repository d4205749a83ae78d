"""What an answer engine is asked, what came back, and how we read it.

An engine module is pure: `request(prompt, settings)`, `follow_up(...)` and `parse(exchanges)`
turn values into values. Keys never appear here; capture adds them from `Engine.auth`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from monitor.domain.panel import Prompt


class Access(StrEnum):
    """How an answer was obtained; rows of different access never share a rate."""

    API = "api"
    BROWSER = "browser"
    IMPORT = "import"


class Retrieval(StrEnum):
    """Did the engine search? Never inferred from the absence of citations."""

    USED = "used"
    NOT_USED = "not_used"
    UNKNOWN = "unknown"


class Outcome(StrEnum):
    """What became of a capture; only `answered` enters rates."""

    ANSWERED = "answered"
    TRUNCATED = "truncated"
    NO_ANSWER = "no_answer"
    NEEDS_INPUT = "needs_input"
    BLOCKED = "blocked"
    LOGIN_REQUIRED = "login_required"
    CONSENT_REQUIRED = "consent_required"
    TIMEOUT = "timeout"
    LAYOUT_UNKNOWN = "layout_unknown"
    ERROR = "error"


REASONS: Mapping[Outcome, tuple[str, ...]] = {
    Outcome.NO_ANSWER: ("declined", "absent"),
    Outcome.BLOCKED: ("captcha", "challenge", "rate_limit", "geo"),
    Outcome.ERROR: ("auth", "quota", "request", "network", "empty", "unreadable", "server"),
}
"""The closed list of reasons; an outcome that is not a key here has none."""

HEARD = frozenset({Outcome.ANSWERED, Outcome.NO_ANSWER})
"""Outcomes that tell something about the engine; all others are coverage."""
ANY_HEARD = "heard"
"""Sought among outcomes: every one by which a capture was heard, in the locale asked for."""


class Role(StrEnum):
    """Where a source stands in an answer; strongest first."""

    DISPLAYED = "displayed"
    LISTED = "listed"
    LINK = "link"
    RETRIEVED = "retrieved"


ROLE_ORDER = (Role.DISPLAYED, Role.LISTED, Role.LINK, Role.RETRIEVED)
"""Strongest role first: one page with several roles counts under the first of them."""

VISIBLE = frozenset({Role.DISPLAYED, Role.LISTED})
"""Only these are scored."""


class SpanKind(StrEnum):
    """What a span of the answer covers."""

    MARKER = "marker"
    CLAIM = "claim"
    BLOCK = "block"


@dataclass(frozen=True, slots=True)
class Span:
    """Half-open range of code points of `Reading.text`."""

    start: int
    end: int
    kind: SpanKind


class Reach(StrEnum):
    """What a reader must do to see where a citation leads."""

    SHOWN = "shown"
    HOVER = "hover"
    CLICK = "click"


@dataclass(frozen=True, slots=True)
class Placement:
    """Where an interface shows a citation for the first time; None is not known."""

    reach: Reach | None = None
    in_view: bool | None = None
    """Whether it is seen without scrolling."""
    group: int | None = None
    """Number of the pill that shows it, from 0; several citations may share one."""
    group_size: int | None = None
    """Citations behind that pill, by its own label."""
    place_in_group: int | None = None
    """From 0."""
    publisher: str | None = None
    """Name the interface gives the source."""


@dataclass(frozen=True, slots=True)
class Citation:
    """One distinct raw URL of an answer, in order of first mark."""

    url: str
    title: str | None
    role: Role
    marks: int
    """How often the answer points at this URL; 0 for a source that is only listed."""
    spans: tuple[Span, ...] = ()
    snippet: str | None = None
    """The vendor's own excerpt: stored and shown, never judged."""
    placement: Placement | None = None
    """None where no interface was seen."""


@dataclass(frozen=True, slots=True)
class Retrieved:
    """A source the engine searched, cited or not."""

    url: str
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Usage:
    """What the vendor says it used; None where it does not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    searches: int | None = None


@dataclass(frozen=True, slots=True)
class Cost:
    """Money in millionths of the currency unit; `reported` by the vendor or `priced` by table."""

    micros: int
    currency: str = "USD"
    basis: str = "reported"


@dataclass(frozen=True, slots=True)
class Reading:
    """One capture's payloads, read: the outcome and, where heard, the answer."""

    outcome: Outcome
    reason: str | None = None
    text: str = ""
    citations: tuple[Citation, ...] = ()
    retrieved: tuple[Retrieved, ...] = ()
    queries: tuple[str, ...] = ()
    retrieval: Retrieval = Retrieval.UNKNOWN
    requested_model: str | None = None
    served_model: str | None = None
    usage: Usage | None = None
    cost: Cost | None = None
    warnings: tuple[str, ...] = ()
    shopping: bool = False
    """True where the payload carries product cards."""
    hidden_citations: int | None = 0
    """Citations behind "+N" labels whose URLs the payload lacks; None where it cannot tell."""
    without_text: bool = False
    """Whether an answer was seen whose text nobody handed in: its sources are known, no more."""

    def __post_init__(self) -> None:
        """Refuse a reason outside the closed list and an answer without text."""
        allowed = REASONS.get(self.outcome)
        if allowed is None and self.reason is not None:
            raise ValueError(f"outcome {self.outcome} has no reason, got {self.reason!r}")
        if allowed is not None and self.reason not in allowed:
            raise ValueError(f"outcome {self.outcome} needs one of {allowed}, got {self.reason!r}")
        silent = self.outcome is Outcome.ANSWERED and not self.text.strip()
        if silent and not self.without_text:
            raise ValueError("an answered capture has text")
        if self.without_text and not silent:
            raise ValueError("only an answered capture can be without its text")

    @property
    def displayed(self) -> tuple[Citation, ...]:
        """Citations the engine shows as support."""
        return tuple(c for c in self.citations if c.role is Role.DISPLAYED)


@dataclass(frozen=True, slots=True)
class Request:
    """A description of one HTTP call, without its key.

    `json` is the body; a GET has none and puts everything in `query`.
    """

    method: str
    url: str
    json: Any = None
    query: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Exchange:
    """One call and the bytes that came back, unaltered."""

    body: bytes
    status: int | None = None
    """HTTP status; None where a file came without one."""
    headers: tuple[tuple[str, str], ...] = ()
    request: Request | None = None
    """None for imports and for `monitor parse` of a bare file."""
    failure: str | None = None
    """`network`, `timeout` or `too_large` where no bytes came back or were kept."""

    def header(self, name: str) -> str | None:
        """First header of that name, compared without case; None when absent."""
        wanted = name.lower()
        return next((v for k, v in self.headers if k.lower() == wanted), None)


@dataclass(frozen=True, slots=True)
class EngineSettings:
    """What an operator may set for one engine; all of it but `model` is in the request hash."""

    model: str | None = None
    """None asks for the engine's default."""
    base_url: str | None = None
    """Where the API lives; the sandbox supplies its own."""
    country: str | None = None
    """ISO 3166 alpha-2; None takes it from the prompt's locale."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Engine options passed on as the engine module documents."""


@dataclass(frozen=True, slots=True)
class Auth:
    """Which secret a call needs and where it goes: `header` with `scheme`, or `query`, or basic."""

    variables: tuple[str, ...]
    """Environment variables, in order; each may also be given as NAME_FILE."""
    header: str | None = "authorization"
    scheme: str = "Bearer "
    query: str | None = None
    basic: bool = False


class Surface(StrEnum):
    """How capture talks to an engine."""

    HTTP = "http"
    BROWSER = "browser"


Exchanges = Sequence[Exchange]
MakeRequest = Callable[[Prompt, EngineSettings], Request]
FollowUp = Callable[[Prompt, EngineSettings, Exchanges], Request | None]
Parse = Callable[[Exchanges], Reading]


@dataclass(frozen=True, slots=True)
class Engine:
    """One answer engine as we ask it: a row of the table ENGINES."""

    name: str
    label: str
    """Name a reader sees."""
    access: Access
    surface: Surface
    request: MakeRequest
    follow_up: FollowUp
    parse: Parse
    auth: Auth | None
    default_model: str | None
    call_micros: int
    """Estimated price of one call in millionths of a USD, for budgets and dry runs."""
    max_calls: int = 1
    """Most paid calls one capture can need without retries (continuations)."""
    shows_citations: bool = True
    """False where a surface never shows sources, so their absence is no finding."""
    exposes_retrieved: bool = False
    """True where the payload tells what was searched."""
    lists_sources: bool = False
    """True where it shows a list of sources beside the marks in its text."""


def no_follow_up(
    prompt: Prompt,  # noqa: ARG001 - the signature of every engine
    settings: EngineSettings,  # noqa: ARG001
    exchanges: Exchanges,  # noqa: ARG001
) -> Request | None:
    """Most engines answer in one call."""
    return None
