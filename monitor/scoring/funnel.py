"""Four stages from a baseline source to a reader: eligible, retrieved, selected, visible.

They are never made into one figure. Each stage says what it was counted from, and is undefined
where nobody tells: an engine that does not expose its search has no retrieval and no selection.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from monitor.domain.assessment import CitedPage
from monitor.domain.baseline import BaselineSource, PromptBaseline
from monitor.domain.eligibility import (
    Because,
    Crawler,
    Directive,
    PageFacts,
    Ruling,
    SourceCheck,
    Standing,
    Stood,
)
from monitor.domain.page import FetchStatus
from monitor.domain.score import Measured, Rate, Undefined, UndefinedReason, pooled
from monitor.domain.source import Grade
from monitor.scoring.sources import NO_REQUIRED, NOT_EXPOSED, PRECISE, best_match

NO_CRAWLER = Undefined(UndefinedReason.NO_CRAWLER)
NOT_CHECKED = Undefined(UndefinedReason.NOT_CHECKED)

FAMILY_ALONE = "family_item"
"""A source that is a publisher: no page of it is known that could be checked."""
UNCHECKED = "not_checked"
NEEDS_SCRIPTS = 0.5
"""Below this share of the rendered words in the page as sent, a crawler must run scripts."""
_ALL_TEXT = 0.999

_BARRED = {
    Because.RULE: "robots",
    Because.SERVER_ERROR: "robots_server_error",
}
_IN_DOUBT = {
    Because.RATE_LIMITED: "robots_rate_limited",
    Because.UNREACHABLE: "robots_unreachable",
}
"""What forbids everything by the rules, though it may have been meant for us alone."""

_GONE = frozenset({FetchStatus.NOT_FOUND, FetchStatus.PAYWALLED})
_READ = frozenset({FetchStatus.OK, FetchStatus.NO_TEXT, *_GONE})


def standing(check: SourceCheck | None, crawlers: Sequence[Crawler]) -> Stood:
    """How a page stands with an engine whose deciding crawlers are given, all of them needed.

    Anything that keeps a crawler out, or its text from being used, makes it not eligible. Else
    anything that we could not find out makes it not assessable.
    """
    if check is None:
        return Stood(Standing.NOT_ASSESSABLE, (UNCHECKED,))
    barred, doubts = _by_robots(check, crawlers)
    barred += [check.fetch_status.value] if check.fetch_status in _GONE else []
    if check.page is not None:
        barred += [w for c in crawlers if c.requests for w in _by_page(check.page, c)]
    doubts += _unknown(check, crawlers)
    if barred:
        return Stood(Standing.NOT_ELIGIBLE, tuple(dict.fromkeys(barred)))
    if doubts:
        return Stood(Standing.NOT_ASSESSABLE, tuple(dict.fromkeys(doubts)))
    return Stood(Standing.ELIGIBLE)


def _by_robots(check: SourceCheck, crawlers: Sequence[Crawler]) -> tuple[list[str], list[str]]:
    """What robots.txt bars, and what it leaves in doubt."""
    shut = [r for c in crawlers if (r := check.ruling(c.token)) is not None and not r.allowed]
    return _named(shut, _BARRED), _named(shut, _IN_DOUBT)


def _named(rulings: Iterable[Ruling], names: Mapping[Because, str]) -> list[str]:
    return [names[one.because] for one in rulings if one.because in names]


def _by_page(page: PageFacts, crawler: Crawler) -> Iterator[str]:
    """What a page itself asks of a crawler that would keep its text out of answers."""
    said = [d for d in page.directives if d.agent in {"*", crawler.token.lower()}]
    if any(one.name in {"noindex", "none"} for one in said):
        yield "noindex"
    if any(map(_bars_snippets, said)) or (page.nosnippet_share or 0) >= _ALL_TEXT:
        yield "nosnippet"
    if page.canonical is not None:
        yield "canonical_elsewhere"
    if _needs_scripts(page) and not crawler.javascript:
        yield "needs_scripts"


def _bars_snippets(one: Directive) -> bool:
    is_zero = one.name == "max-snippet" and (one.value or "").strip() == "0"
    return one.name == "nosnippet" or is_zero


def _needs_scripts(page: PageFacts) -> bool:
    """Whether scripts add text, and less than half of what they leave is in the page as sent."""
    adds = (page.rendered_words or 0) > page.words
    return adds and page.sent_share is not None and page.sent_share < NEEDS_SCRIPTS


def _unknown(check: SourceCheck, crawlers: Sequence[Crawler]) -> list[str]:
    """What our own fetch could not find out."""
    if check.fetch_status not in _READ:
        return [check.fetch_status.value]
    if not any(check.ruling(one.token) for one in crawlers):
        return [UNCHECKED]
    has_text = check.page is not None and bool(check.page.words or check.page.rendered_words)
    return [] if has_text else [FetchStatus.NO_TEXT.value]


def eligibility(stood: Iterable[Stood]) -> Measured:
    """Sources that an engine's crawlers may fetch and read / sources assessed.

    Undefined(not_checked) where none of them was ever checked; a source counts once.
    """
    found = tuple(stood)
    if all(one.reasons[:1] == (UNCHECKED,) for one in found):
        return NOT_CHECKED
    states = Counter(one.standing for one in found)
    doubts = Counter(one.reasons[0] for one in found if one.standing is Standing.NOT_ASSESSABLE)
    hits = states[Standing.ELIGIBLE]
    return Rate(hits, hits + states[Standing.NOT_ELIGIBLE], dict(sorted(doubts.items())))


def barring(stood: Iterable[Stood]) -> Mapping[str, int]:
    """Reason -> sources that are not eligible for it; one source may have several."""
    counted = Counter(
        r for one in stood if one.standing is Standing.NOT_ELIGIBLE for r in one.reasons
    )
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))


def wanted_sources(baseline: PromptBaseline) -> tuple[BaselineSource, ...]:
    """Sources that somebody wants seen: required, acceptable and optional ones."""
    return tuple(one for one in baseline.sources if one.grade in PRECISE)


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What was retrieved for one prompt once, and what was then shown."""

    retrieved: tuple[CitedPage, ...]
    visible: frozenset[str]
    """Page keys cited visibly."""


def log_recall(retrievals: Iterable[tuple[Retrieval, PromptBaseline]]) -> Measured:
    """Required sources among what a log says was retrieved / required sources, pooled.

    Undefined(not_exposed) without any retrieval in the log, no_required where nothing is required.
    """
    counted = [_recalled(one, baseline) for one, baseline in retrievals]
    return pooled(counted) if counted else NOT_EXPOSED


def _recalled(one: Retrieval, baseline: PromptBaseline) -> Measured:
    wanted = [s for s in baseline.sources if s.grade is Grade.REQUIRED]
    if not wanted:
        return NO_REQUIRED
    met = {id_of(s) for p in one.retrieved if (s := best_match(p, baseline.sources)) is not None}
    return Rate(sum(id_of(s) in met for s in wanted), len(wanted))


def id_of(source: BaselineSource) -> tuple[str, str]:
    """Match level and key: what tells the sources of one prompt apart."""
    return source.match.value, source.key


def selection(retrievals: Iterable[Retrieval], eligible: Collection[str]) -> Measured:
    """Retrieved eligible pages that are visibly cited / retrieved eligible pages, pooled.

    `eligible` holds keys of baseline pages. Undefined(not_exposed) where nothing tells of a search.
    """
    counted = tuple(retrievals)
    if not counted:
        return NOT_EXPOSED
    keys = set(eligible)
    hits = total = 0
    for one in counted:
        searched = {page.page_key for page in one.retrieved} & keys
        hits += len(searched & one.visible)
        total += len(searched)
    return Rate(hits, total)


VISIBILITY = ("source_precision", "required_source_recall", "claim_evidence_recall")
"""Measures of the scorecard that stand for the last stage."""
