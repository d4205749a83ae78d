"""A digest for programs: what `docs/schemas/digest.schema.json` describes.

Names stand as they are, since programs compare them; sentences show their control characters.
"""

from typing import Any

from monitor.domain.alert import Alert, AnswerRef, Digest
from monitor.domain.change import Change, ConcentrationChange, Event, Side
from monitor.domain.moments import utc_second
from monitor.domain.score import Concentration, Interval
from monitor.report.digest import alert_verdict, digest_words, events_in_order, numbers_words, plain
from monitor.report.files import Links
from monitor.report.words import event_words


def digest_json(digest: Digest, links: Links, *, test: bool = False) -> dict[str, Any]:
    """A digest as JSON values; fields may be added, never renamed."""
    told = digest_words(digest, links, test=test)
    return {
        "schema": 1,
        "test": test,
        "fictional": digest.fictional,
        "title": told.title,
        "panel": digest.panel,
        "engine": digest.engine,
        "run": digest.run,
        "slot": digest.slot,
        "severity": digest.severity.value,
        "events": [_event(one) for one in events_in_order(digest)],
        "alerts": [alert_json(one, digest.panel, links) for one in digest.alerts],
        "still_open": digest.still_open,
        "report": told.report_link,
        "report_file": links.file(digest.run),
        "signature": digest.signature,
        "made_at": utc_second(digest.made_at),
    }


def _event(event: Event) -> dict[str, Any]:
    return {
        "kind": event.kind.value,
        "before": event.before,
        "after": event.after,
        "note": event.note,
        "says": plain(event_words(event)),
    }


def alert_json(alert: Alert, panel: str, links: Links) -> dict[str, Any]:
    """An alert as JSON values: the form it has in digests, lists and pages."""
    return {
        "key": alert.key(panel),
        "kind": alert.kind.value,
        "severity": alert.severity.value,
        "verdict": alert_verdict(alert).value,
        "entity": alert.entity,
        "direction": alert.direction.value,
        "says": plain(alert.says),
        "numbers": plain(numbers_words(alert)) or None,
        "advice": plain(alert.advice),
        "before_runs": list(alert.before),
        "after_run": alert.after,
        "change": None if alert.change is None else _change(alert.change),
        "concentration": None
        if alert.concentration is None
        else _concentration(alert.concentration),
        "answers": [_answer(one, links) for one in alert.answers],
        "answers_in_all": max(alert.answers_in_all, len(alert.answers)),
    }


def _answer(one: AnswerRef, links: Links) -> dict[str, Any]:
    return {
        "capture": one.capture_id,
        "prompt": one.prompt_id,
        "repeat": one.repeat,
        "run": one.run,
        "link": links.answer(one),
    }


def _change(change: Change) -> dict[str, Any]:
    test = change.test
    return {
        "subject": change.subject.value,
        "name": change.name,
        "before": _side(change.before),
        "after": _side(change.after),
        "difference": change.difference,
        "interval": None if test is None else _interval(test.interval),
        "p": None if test is None else test.p_value,
        "adjusted_p": None if test is None else test.adjusted,
        "prompts": change.prompts,
        "because": plain(change.because),
    }


def _side(side: Side) -> dict[str, Any]:
    return {
        "hits": side.pooled.hits,
        "total": side.pooled.total,
        "not_assessable": dict(side.pooled.not_assessable),
        "share_per_answer": side.share,
        "prompts": side.prompts,
    }


def _concentration(change: ConcentrationChange) -> dict[str, Any]:
    test = change.test
    return {
        "before": _level(change.before),
        "after": _level(change.after),
        "ratio": None if test is None else test.ratio,
        "interval": None if test is None else _interval(test.interval),
        "p": None if test is None else test.p_value,
        "adjusted_p": None if test is None else test.adjusted,
        "prompts": change.prompts,
        "because": plain(change.because),
    }


def _level(one: Concentration) -> dict[str, Any]:
    return {
        "hhi": one.hhi,
        "effective_sources": one.effective_sources,
        "citations": one.citations,
        "families": one.families,
    }


def _interval(one: Interval) -> dict[str, Any]:
    return {"low": one.low, "high": one.high, "level": one.level}
