"""Eligibility: whether an engine's crawler may fetch and read a source, by what pages say.

Everything here is what a site asks for and what one fetch of ours saw; what a crawler really did is
known to its owner alone.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from monitor.domain.page import FetchStatus
from monitor.domain.score import Measured


class RobotsState(StrEnum):
    """What became of asking for a robots.txt (RFC 9309, 2.3.1)."""

    READ = "read"
    ABSENT = "absent"
    """A 4xx answer, or redirects that lead nowhere: nothing is forbidden."""
    SERVER_ERROR = "server_error"
    """A 5xx answer: everything is forbidden."""
    RATE_LIMITED = "rate_limited"
    """429: taken as forbidding everything, though it may be meant for us alone."""
    UNREACHABLE = "unreachable"
    """No answer: everything is forbidden, though the trouble may be ours."""


class Because(StrEnum):
    """Why a robots.txt lets a crawler in or keeps it out."""

    RULE = "rule"
    NO_RULE = "no_rule"
    """No rule fits the page, so it may be fetched."""
    ABSENT = "absent"
    SERVER_ERROR = "server_error"
    RATE_LIMITED = "rate_limited"
    UNREACHABLE = "unreachable"


@dataclass(frozen=True, slots=True)
class Crawler:
    """A crawler as its owner describes it on a day."""

    token: str
    """Product token of robots.txt."""
    vendor: str
    purpose: str
    source: str
    """Address of the page that says so."""
    seen_on: date
    engines: tuple[str, ...] = ()
    """Engines whose eligibility it decides; empty where it is only shown."""
    requests: bool = True
    """False for a token that asks for nothing itself and only steers what others fetched."""
    javascript: bool | None = None
    """Whether it runs a page's scripts; None where nobody is known to say so."""


@dataclass(frozen=True, slots=True)
class Ruling:
    """What the robots.txt of a URL says to one crawler, with the line that decides."""

    token: str
    allowed: bool
    because: Because
    url: str
    """The hop that was ruled on: the first one that is forbidden, else the last one."""
    group: str | None = None
    """Product token of the group that applies, or `*`."""
    rule: str | None = None
    """The line as written."""
    line: int | None = None
    """Its number, from 1."""


class Place(StrEnum):
    """Where a page says something to crawlers."""

    HEADER = "header"
    META = "meta"


@dataclass(frozen=True, slots=True)
class Directive:
    """One word of X-Robots-Tag or of a robots meta element, such as noindex or max-snippet:20."""

    agent: str
    """`*`, or the crawler it is addressed to, in lower case."""
    name: str
    """In lower case."""
    value: str | None
    place: Place


class Rendering(StrEnum):
    """What became of running a page's scripts."""

    DONE = "done"
    NOT_WANTED = "not_wanted"
    NO_BROWSER = "no_browser"
    NOT_FINISHED = "not_finished"
    """The page did not come to rest in time, or broke the browser."""
    NOT_FETCHED = "not_fetched"
    NO_SCRIPTS = "no_scripts"
    """Plain text: there is nothing to run."""


class Qualifier(StrEnum):
    """Whether a passage holds what restricts the claim."""

    NONE = "none"
    """The claim restricts nothing."""
    INSIDE = "inside"
    OUTSIDE = "outside"
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class ClaimPassage:
    """The passage of a page that is nearest to one baseline claim."""

    prompt_id: str
    claim_id: str
    text: str
    start: int
    """Code points of the page's main text."""
    end: int
    word_offset: int
    """Words of the main text before it."""
    share_before: float
    """Share of the words of the main text that stand before it, in [0, 1]."""
    support: str
    """What the judge says of the claim and this passage alone."""
    score: float | None
    judge: str
    qualifier: Qualifier
    without_scripts: bool | None
    """Whether its words are in the page as sent; None where the page was not rendered."""


@dataclass(frozen=True, slots=True)
class PageFacts:
    """What a fetched page says of itself to crawlers, and what text it holds as sent."""

    directives: tuple[Directive, ...] = ()
    canonical: str | None = None
    """rel=canonical or the Link header, absolute, where it is another page than this one."""
    paywalls: tuple[str, ...] = ()
    """Declarations that its text is not free."""
    paywall_hints: tuple[str, ...] = ()
    """Names in its markup that walls often have: a heuristic, never decides."""
    words: int = 0
    """Of the main text as sent."""
    nosnippet_share: float | None = None
    """Share of those words that stand in data-nosnippet areas; None without words."""
    published: date | None = None
    updated: date | None = None
    rendering: Rendering = Rendering.NOT_WANTED
    rendered_words: int | None = None
    """Of the main text once the scripts ran."""
    sent_share: float | None = None
    """Share of the rendered words that are in the page as sent; None where not rendered."""


@dataclass(frozen=True, slots=True)
class SourceCheck:
    """One check of one page of a baseline."""

    url: str
    page_key: str
    checked_at: datetime
    own_agent: str
    """How our fetcher introduced itself."""
    fetch_status: FetchStatus
    http_status: int | None
    hops: tuple[str, ...]
    detail: str | None
    robots: RobotsState | None
    """State of the robots.txt of the page's own origin; None where it could not be asked for."""
    rulings: tuple[Ruling, ...]
    page: PageFacts | None
    """None where the page was not read."""
    body_sha256: str | None = None
    passages: tuple[ClaimPassage, ...] = ()
    crawlers_seen_on: date | None = None
    """Newest date in the list of crawlers that was used."""

    def ruling(self, token: str) -> Ruling | None:
        """The ruling for one crawler; None where there is none."""
        return next((one for one in self.rulings if one.token == token), None)


class Standing(StrEnum):
    """How a source stands with one engine."""

    ELIGIBLE = "eligible"
    NOT_ELIGIBLE = "not_eligible"
    NOT_ASSESSABLE = "not_assessable"


@dataclass(frozen=True, slots=True)
class Stood:
    """A source's standing with one engine, and every reason for it."""

    standing: Standing
    reasons: tuple[str, ...] = ()
    """Empty for an eligible source."""


class Told(StrEnum):
    """What tells which pages an engine retrieved."""

    PAYLOAD = "payload"
    LOG = "log"
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class Funnel:
    """The four stages of one engine in one run, side by side."""

    engine: str
    eligibility: Measured
    barred: Mapping[str, int]
    """Reason -> sources that are not eligible for it."""
    retrieval: Measured
    selection: Measured
    told_by: Told
    retrievals: int
    """Searches that retrieval and selection are counted from."""
    visibility: Mapping[str, Measured]
    """Measure of the scorecard -> its counts: source precision, recalls of sources and claims."""
