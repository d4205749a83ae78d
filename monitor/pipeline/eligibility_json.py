"""What `monitor eligibility --json` prints."""

from typing import Any

from monitor.domain.eligibility import ClaimPassage, Crawler, PageFacts, Ruling, SourceCheck
from monitor.pages.eligibility_crawlers import load_crawlers
from monitor.pipeline.eligibility import Eligibility
from monitor.pipeline.eligibility_sources import EngineStanding, ListedSource
from monitor.pipeline.rates_json import rate_json

SCHEMA = 1


def eligibility_json(found: Eligibility) -> dict[str, Any]:
    """Everything that is known of a panel's sources; fields are added, never renamed."""
    crawlers = load_crawlers()
    return {
        "schema": SCHEMA,
        "panel": found.panel.name,
        "baseline": found.baseline.label,
        "checked": found.checked,
        "no_browser": found.no_browser,
        "crawlers": [_crawler(one) for one in crawlers.every],
        "engines": {one.engine: _engine(one, found) for one in found.engines},
        "sources": [_source(one, found) for one in found.sources],
    }


def _crawler(one: Crawler) -> dict[str, Any]:
    return {
        "token": one.token,
        "vendor": one.vendor,
        "purpose": one.purpose,
        "source": one.source,
        "seen_on": one.seen_on.isoformat(),
        "decides_for": list(one.engines),
        "requests": one.requests,
        "javascript": one.javascript,
    }


def _engine(one: EngineStanding, found: Eligibility) -> dict[str, Any]:
    return {
        "in_panel": one.engine in found.panel.engines,
        "crawlers": [c.token for c in load_crawlers().deciding(one.engine)],
        "eligibility": rate_json(one.rate),
        "not_eligible": dict(one.barred),
    }


def _source(one: ListedSource, found: Eligibility) -> dict[str, Any]:
    check = found.checks.get(one.page_key or "")
    return {
        "key": one.source.key,
        "match": one.source.match.value,
        "grade": one.source.grade.value,
        "prompts": list(one.prompts),
        "url": one.clean_url,
        "page_key": one.page_key,
        "standing": {
            engine.engine: {"standing": stood.standing.value, "reasons": list(stood.reasons)}
            for engine in found.engines
            for listed, stood in engine.stood
            if listed is one
        },
        "check": None if check is None else _check(check),
    }


def _check(one: SourceCheck) -> dict[str, Any]:
    return {
        "checked_at": one.checked_at.isoformat(),
        "own_agent": one.own_agent,
        "fetch_status": one.fetch_status.value,
        "http_status": one.http_status,
        "hops": list(one.hops),
        "detail": one.detail,
        "body_sha256": one.body_sha256,
        "robots": one.robots.value if one.robots else None,
        "rulings": [_ruling(ruling) for ruling in one.rulings],
        "page": None if one.page is None else _page(one.page),
        "passages": [_passage(passage) for passage in one.passages],
    }


def _ruling(one: Ruling) -> dict[str, Any]:
    return {
        "token": one.token,
        "allowed": one.allowed,
        "because": one.because.value,
        "url": one.url,
        "group": one.group,
        "rule": one.rule,
        "line": one.line,
    }


def _page(one: PageFacts) -> dict[str, Any]:
    return {
        "directives": [
            {"agent": d.agent, "name": d.name, "value": d.value, "place": d.place.value}
            for d in one.directives
        ],
        "canonical_elsewhere": one.canonical,
        "paywalls": list(one.paywalls),
        "paywall_hints": list(one.paywall_hints),
        "words": one.words,
        "nosnippet_share": one.nosnippet_share,
        "published": one.published.isoformat() if one.published else None,
        "updated": one.updated.isoformat() if one.updated else None,
        "rendering": one.rendering.value,
        "rendered_words": one.rendered_words,
        "sent_share": one.sent_share,
    }


def _passage(one: ClaimPassage) -> dict[str, Any]:
    return {
        "prompt": one.prompt_id,
        "claim": one.claim_id,
        "text": one.text,
        "start": one.start,
        "end": one.end,
        "word_offset": one.word_offset,
        "share_before": one.share_before,
        "support": one.support,
        "score": one.score,
        "judge": one.judge,
        "qualifier": one.qualifier.value,
        "without_scripts": one.without_scripts,
    }
