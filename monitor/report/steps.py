"""What to do next: rules in plain words, each with the counts it rests on."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from monitor.domain.claim import Support
from monitor.domain.source import Grade
from monitor.report.view import BaselineClaimView, CaptureView, ReportView
from monitor.report.words import (
    anchor,
    clipped,
    outcome_words,
    plural,
    reasons_words,
    rows_anchor,
)

_K = TypeVar("_K")

_MOST = 3
"""Lines of one kind; the rest stands in the tables below."""

_LEAST_HEARD = 0.9
_FOUND = frozenset({Support.FULL, Support.PARTIAL})


@dataclass(frozen=True, slots=True)
class NextStep:
    """One thing to do, why, and where its evidence stands."""

    text: str
    because: str
    href: str


def next_steps(view: ReportView) -> tuple[NextStep, ...]:
    """Everything that follows from the numbers, the run's own health first."""
    answered = tuple(c for c in current(view) if c.outcome == "answered")
    return (
        *_unheard(view),
        *_skipped(view),
        *_no_baseline(view),
        *_missed_sources(view, answered),
        *_contradicted(answered),
        *_missed_claims(answered),
        *_ungraded(answered),
        *_unreadable(answered),
        *_unsettled_baseline(view),
    )


def current(view: ReportView) -> tuple[CaptureView, ...]:
    """Captures of this run, in the view's order."""
    return tuple(c for c in view.captures if c.slot == view.slot)


def _unheard(view: ReportView) -> Iterator[NextStep]:
    """Engines that were heard too rarely to be compared."""
    for engine in view.engines:
        coverage = engine.card.coverage
        if not coverage.planned or coverage.heard / coverage.planned >= _LEAST_HEARD:
            continue
        unheard = {
            outcome: n
            for outcome, n in coverage.outcomes.items()
            if n and outcome.partition("/")[0] not in {"answered", "no_answer"}
        }
        words = ", ".join(f"{outcome_words(outcome)} ({n})" for outcome, n in unheard.items())
        yield NextStep(
            f"Find out why {engine.label} was not heard, then resume the run",
            f"{coverage.heard} of {coverage.planned} captures heard"
            + (f"; {words}" if words else ""),
            "#coverage",
        )


def _skipped(view: ReportView) -> Iterator[NextStep]:
    """Engines of the panel that were not asked at all."""
    for engine, why in view.skipped:
        yield NextStep(f"Decide whether {engine} belongs in the panel", why, "#coverage")


def _no_baseline(view: ReportView) -> Iterator[NextStep]:
    """A baseline that is missing altogether."""
    if view.baseline is None:
        yield NextStep(
            "Write a baseline: required sources and claims for each prompt",
            "without one, nothing can be said of what should be cited",
            "#measures",
        )


def _unsettled_baseline(view: ReportView) -> Iterator[NextStep]:
    """A baseline that is a draft, one person's, or drawn with sight of the answers."""
    if view.baseline is None:
        return
    if view.baseline.endswith("-draft"):
        yield NextStep(
            "Freeze the baseline before the next run",
            f"{view.baseline} may still change, and every number with it",
            "#measures",
        )
    if view.annotators < 2:
        yield NextStep(
            "Let a second person grade the baseline",
            f"{plural(view.annotators, 'annotator')}: nobody can tell how far two would agree",
            "#measures",
        )
    if view.drawn_blind is False:
        yield NextStep(
            "Draw the next baseline before its annotators see any answer",
            "this one was drawn with the answers in sight",
            "#measures",
        )


def _missed_sources(view: ReportView, answered: tuple[CaptureView, ...]) -> Iterator[NextStep]:
    """Required sources that most answers leave out."""
    missed, asked, worst = Counter[str](), Counter[str](), Counter[tuple[str, str]]()
    for capture in answered:
        for source in capture.sources:
            if source.grade is Grade.REQUIRED:
                asked[source.key] += 1
                missed[source.key] += not source.cited
                worst[source.key, capture.engine] += not source.cited
    labels = {e.name: e.label for e in view.engines}
    for key, number in _commonest(missed):
        engine, most = max(
            ((e, n) for (k, e), n in worst.items() if k == key), key=lambda pair: pair[1]
        )
        yield NextStep(
            f"Find out why {clipped(key)} is not cited: can engines fetch and read it?",
            f"required, and left out in {number} of {plural(asked[key], 'answer')}, "
            f"most often by {labels.get(engine, engine)} ({most})",
            f"#{rows_anchor(engine, 'required_source_recall')}",
        )


def _contradicted(answered: tuple[CaptureView, ...]) -> Iterator[NextStep]:
    """Statements that their own source contradicts."""
    found = [
        (capture, number)
        for capture in answered
        for number, statement in enumerate(capture.statements, start=1)
        if statement.support is Support.CONTRADICTED
    ]
    if not found:
        return
    capture, number = found[0]
    where = len({c.id for c, _ in found})
    yield NextStep(
        "Read the statements that their own source contradicts",
        f"{plural(len(found), 'statement')} in {plural(where, 'answer')}; "
        f"the first is in {capture.prompt_id}",
        f"#{anchor('s', str(capture.id), str(number))}",
    )


def _missed_claims(answered: tuple[CaptureView, ...]) -> Iterator[NextStep]:
    """Required claims for which answers show no evidence."""
    missed, asked = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    texts: dict[tuple[str, str], tuple[str, int]] = {}
    for capture in answered:
        for claim in (c for c in capture.claims if c.required):
            key = (capture.prompt_id, claim.id)
            asked[key] += 1
            if is_missing(claim):
                missed[key] += 1
                texts.setdefault(key, (claim.text, capture.id))
    for key, number in _commonest(missed):
        text, capture_id = texts[key]
        yield NextStep(
            f"Publish or point out evidence for: “{clipped(text)}”",
            f"{key[0]}: no supporting citation in {number} of {plural(asked[key], 'answer')}",
            f"#{anchor('capture', str(capture_id))}",
        )


def is_missing(claim: BaselineClaimView) -> bool:
    """Whether no visible page supports a claim, not even in part, and that is certain."""
    return claim.evidence not in _FOUND and claim.evidence is not Support.NOT_ASSESSABLE


def _ungraded(answered: tuple[CaptureView, ...]) -> Iterator[NextStep]:
    """Cited families that the baseline does not grade, where it grades any."""
    pages = Counter(
        page.family
        for capture in answered
        if capture.sources
        for page in capture.pages
        if page.grade is Grade.UNGRADED and page.family
    )
    if not pages:
        return
    first = ", ".join(f"{family} ({n})" for family, n in _commonest(pages))
    yield NextStep(
        f"Grade the sources that the baseline does not know, first {first}",
        f"{plural(pages.total(), 'citation')} of {plural(len(pages), 'family', 'families')} "
        "without a grade",
        "#gaps",
    )


def _unreadable(answered: tuple[CaptureView, ...]) -> Iterator[NextStep]:
    """Cited pages whose text could not be read."""
    found = unreadable_pages(answered)
    if not found:
        return
    yield NextStep(
        "Look at the cited pages that could not be read; what rests on them stays open",
        f"{plural(sum(found.values()), 'page')}: {reasons_words(found)}",
        "#gaps",
    )


def unreadable_pages(captures: tuple[CaptureView, ...]) -> Mapping[str, int]:
    """Fetch status -> distinct cited pages that were not read, commonest first."""
    status = {p.page_key: p.fetch_status for c in captures for p in c.pages}
    found = Counter(s for s in status.values() if s != "ok")
    return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))


def _commonest(counted: Counter[_K]) -> list[tuple[_K, int]]:
    """The most frequent entries that occur at all."""
    return [(key, n) for key, n in counted.most_common(_MOST) if n]
