"""What to do next: rules in plain words, each with the counts it rests on."""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TypeVar

from monitor.domain.change import ChangeRules
from monitor.domain.claim import Support
from monitor.domain.source import Grade
from monitor.report.findings import Finding, findings, side_text
from monitor.report.places import (
    Place,
    claim_places,
    contradicted_places,
    page_places,
    source_places,
    ungraded_pages,
)
from monitor.report.told import told_alerts
from monitor.report.view import BaselineClaimView, BaselineSourceView, CaptureView, ReportView
from monitor.report.words import (
    anchor,
    clipped,
    outcome_words,
    plural,
    reason_words,
    reasons_words,
    short,
)

_K = TypeVar("_K")

_MOST = 3
"""Lines of one kind; the rest stands in the tables below."""

_RIVALS = 2
"""Families named beside the one that the headline is about."""

_NAME = 64
"""Characters of a name inside a sentence, which is not cut itself."""

_FOUND = frozenset({Support.FULL, Support.PARTIAL})


@dataclass(frozen=True, slots=True)
class NextStep:
    """One thing to do, why, and where its evidence stands."""

    text: str
    because: str
    href: str
    places: tuple[Place, ...] = ()
    """Everything the step is about, each with links; shown where `href` leads."""

    @property
    def anchor(self) -> str:
        """Name of the place where its places stand."""
        return self.href.removeprefix("#")


def next_steps(view: ReportView) -> tuple[NextStep, ...]:
    """Everything that follows from the numbers, the run's own health first."""
    answered = tuple(c for c in current(view) if c.outcome == "answered")
    return (
        *_unheard(view),
        *_skipped(view),
        *_headline(view),
        *_no_baseline(view),
        *_missed_sources(view, answered),
        *_contradicted(view, answered),
        *_missed_claims(view, answered),
        *_ungraded(view, answered),
        *_unreadable(view, answered),
        *_unsettled_baseline(view),
    )


def current(view: ReportView) -> tuple[CaptureView, ...]:
    """Captures of this run, in the view's order."""
    return tuple(c for c in view.captures if c.slot == view.slot)


def _unheard(view: ReportView) -> Iterator[NextStep]:
    """Engines that were heard too rarely to be compared."""
    for engine in view.engines:
        coverage = engine.card.coverage
        if ChangeRules().is_heard(coverage):
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


def _headline(view: ReportView) -> Iterator[NextStep]:
    """The answers behind what the report says first: a finding, else what was told of the run."""
    said = findings(view)
    if said:
        yield NextStep(
            f"Open the answers behind it: {said[0].sentence}",
            _rivals(view, said[0]) or "see which prompts moved",
            said[0].href,
        )
        return
    told = next((one for one in told_alerts(view) if one.answers), None)
    if told is not None:
        yield NextStep(
            f"Open the answers behind the alert: {told.says}",
            f"{told.against}: {told.numbers}" if told.numbers else told.against,
            f"#{told.anchor}",
        )


def _rivals(view: ReportView, finding: Finding) -> str:
    """Families that moved most the other way, with their counts; empty where none did."""
    comparison = next(e.comparison for e in view.engines if e.name == finding.engine)
    moved = {c.name: c for c in comparison.families} if comparison else {}
    of = moved.get(finding.subject) if finding.is_family else None
    if of is None:
        return ""
    rose = (of.difference or 0.0) > 0
    others = [c for c in moved.values() if c.difference and (c.difference > 0) is not rose]
    others.sort(key=lambda c: -abs(c.difference or 0.0))
    named = "; ".join(
        f"{short(c.name, _NAME)} {side_text(c.before)} → {side_text(c.after)}"
        for c in others[:_RIVALS]
    )
    return f"moved most the other way: {named}" if named else ""


def _no_baseline(view: ReportView) -> Iterator[NextStep]:
    """A baseline that is missing altogether."""
    if view.baseline is None:
        yield NextStep(
            "Write a baseline: required sources and claims for each prompt",
            "without one, nothing can be said of what should be cited",
            "#coverage",
        )


def _unsettled_baseline(view: ReportView) -> Iterator[NextStep]:
    """A baseline that is a draft, one person's, or drawn with sight of the answers."""
    if view.baseline is None:
        return
    if view.baseline.endswith("-draft"):
        yield NextStep(
            "Freeze the baseline before the next run",
            f"{view.baseline} may still change, and every number with it",
            "#coverage",
        )
    if view.annotators < 2:
        yield NextStep(
            "Let a second person grade the baseline",
            f"{plural(view.annotators, 'annotator')}: nobody can tell how far two would agree",
            "#coverage",
        )
    if view.drawn_blind is False:
        yield NextStep(
            "Draw the next baseline before its annotators see any answer",
            "this one was drawn with the answers in sight",
            "#coverage",
        )


def _missed_sources(view: ReportView, answered: tuple[CaptureView, ...]) -> Iterator[NextStep]:
    """Required sources that most answers leave out."""
    missed, asked = Counter[str](), Counter[str]()
    left_out: dict[str, list[tuple[CaptureView, BaselineSourceView]]] = {}
    for capture in answered:
        for source in capture.sources:
            if source.grade is Grade.REQUIRED:
                asked[source.key] += 1
                missed[source.key] += not source.cited
                if not source.cited:
                    left_out.setdefault(source.key, []).append((capture, source))
    for number, (key, _) in enumerate(_commonest(missed), start=1):
        yield _missed_source(view, key, left_out[key], asked[key], number)


def _missed_source(
    view: ReportView,
    key: str,
    missing: list[tuple[CaptureView, BaselineSourceView]],
    asked: int,
    number: int,
) -> NextStep:
    """One required source that answers leave out, and whether their searches found it."""
    labels = {e.name: e.label for e in view.engines}
    ((engine, most),) = Counter(capture.engine for capture, _ in missing).most_common(1)
    told = [source.retrieved for _, source in missing if source.retrieved is not None]
    some = "" if all(told) else "some "
    why = f", though {some}searches find it" if any(told) else ": can engines fetch and read it?"
    return NextStep(
        f"Find out why {short(key, _NAME)} is left out of {len(missing)} of "
        f"{plural(asked, 'answer')}{why}",
        f"required; most often left out by {labels.get(engine, engine)} ({most})"
        f"{_search_words(told)}",
        f"#{anchor('step', 'source', str(number))}",
        source_places(view, missing),
    )


def _search_words(told: list[bool]) -> str:
    """How often a source that is not shown was found by a search that engines tell of."""
    if not told:
        return ""
    answers = plural(len(told), "answer")
    if not any(told):
        return f"; in no search of the {answers} that tell what was searched"
    return f"; found by the search of {sum(told)} of {answers} that tell it, and not shown"


def _contradicted(view: ReportView, answered: tuple[CaptureView, ...]) -> Iterator[NextStep]:
    """Statements that their own source contradicts."""
    places = contradicted_places(view, answered)
    if not places:
        return
    where = sum(
        any(s.support is Support.CONTRADICTED for s in capture.statements) for capture in answered
    )
    yield NextStep(
        "Read the statements that their own source contradicts",
        f"{plural(len(places), 'statement')} in {plural(where, 'answer')}",
        "#step-contradicted",
        places,
    )


def _missed_claims(view: ReportView, answered: tuple[CaptureView, ...]) -> Iterator[NextStep]:
    """Required claims for which answers show no evidence."""
    missed, asked = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
    texts: dict[tuple[str, str], str] = {}
    without: dict[tuple[str, str], list[CaptureView]] = {}
    for capture in answered:
        for claim in (c for c in capture.claims if c.required):
            key = (capture.prompt_id, claim.id)
            asked[key] += 1
            if is_missing(claim):
                missed[key] += 1
                texts.setdefault(key, claim.text)
                without.setdefault(key, []).append(capture)
    for number, (key, count) in enumerate(_commonest(missed), start=1):
        yield NextStep(
            f"Publish or point out evidence for: “{clipped(texts[key])}”",
            f"{key[0]}: no supporting citation in {count} of {plural(asked[key], 'answer')}",
            f"#{anchor('step', 'claim', str(number))}",
            claim_places(view, without[key]),
        )


def is_missing(claim: BaselineClaimView) -> bool:
    """Whether no visible page supports a claim, not even in part, and that is certain."""
    return claim.evidence not in _FOUND and claim.evidence is not Support.NOT_ASSESSABLE


def _ungraded(view: ReportView, answered: tuple[CaptureView, ...]) -> Iterator[NextStep]:
    """Cited families that the baseline does not grade, where it grades any."""
    found = tuple(ungraded_pages(answered))
    if not found:
        return
    families = Counter(family for _, _, family in found)
    first = ", ".join(f"{short(family, _NAME)} ({n})" for family, n in _commonest(families))
    yield NextStep(
        f"Grade the sources that the baseline does not know, first {first}",
        f"{plural(len(found), 'citation')} of {plural(len(families), 'family', 'families')} "
        "without a grade",
        "#step-ungraded",
        page_places(view, found),
    )


def _unreadable(view: ReportView, answered: tuple[CaptureView, ...]) -> Iterator[NextStep]:
    """Cited pages whose text could not be read."""
    found = unreadable_pages(answered)
    if not found:
        return
    cited = (
        (capture, page, reason_words(page.fetch_status))
        for capture in answered
        for page in capture.pages
        if page.fetch_status != "ok"
    )
    yield NextStep(
        "Look at the cited pages that could not be read; what rests on them stays open",
        f"{plural(sum(found.values()), 'page')}: {reasons_words(found)}",
        "#step-unreadable",
        page_places(view, cited),
    )


def unreadable_pages(captures: tuple[CaptureView, ...]) -> Mapping[str, int]:
    """Fetch status -> distinct cited pages that were not read, commonest first."""
    status = {p.page_key: p.fetch_status for c in captures for p in c.pages}
    found = Counter(s for s in status.values() if s != "ok")
    return dict(sorted(found.items(), key=lambda pair: (-pair[1], pair[0])))


def _commonest(counted: Counter[_K]) -> list[tuple[_K, int]]:
    """The most frequent entries that occur at all."""
    return [(key, n) for key, n in counted.most_common(_MOST) if n]
