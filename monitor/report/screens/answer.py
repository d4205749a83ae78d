"""One answer with its proof: as a reader saw it, and what every statement of it rests on."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.domain.claim import StatementKind, Support
from monitor.domain.engine import Cost
from monitor.report.answer_view import (
    AnswerView,
    BesideView,
    CitingView,
    ExchangeView,
    FileView,
    ProofView,
    ShotView,
)
from monitor.report.costs import cost_words
from monitor.report.evidence import (
    STATEMENTS_SHOWN,
    ClaimLine,
    StatementLine,
    capture_card,
)
from monitor.report.screens.answer_numbers import CaptureNumber, capture_numbers
from monitor.report.screens.answer_shown import Chosen, ShownGroup, shown_groups
from monitor.report.screens.answer_sources import (
    ChosenSource,
    SourceLine,
    chosen_source,
    source_lines,
)
from monitor.report.screens.links import (
    capture_address,
    captures_diff_address,
    prompt_address,
    run_address,
)
from monitor.report.tables import Table
from monitor.report.view import BaselineSourceView, StatementView
from monitor.report.words import outcome_words, support_words, when


@dataclass(frozen=True, slots=True)
class PeopleLine:
    """What one person says of a claim and the pages it cites, beside the judge."""

    claim: str
    shape: str
    word: str
    who: str
    note: str
    is_decision: bool


@dataclass(frozen=True, slots=True)
class ChosenStatement:
    """The statement that was chosen, with what people say of it and the ones beside it."""

    line: StatementLine
    people: tuple[PeopleLine, ...]
    earlier: str | None
    later: str | None


@dataclass(frozen=True, slots=True)
class UncitedClaim:
    """A claim without citation, and the number of its statement."""

    statement: int
    text: str


@dataclass(frozen=True, slots=True)
class UncitedGroup:
    """Claims without citation that are alike."""

    name: str
    claims: tuple[UncitedClaim, ...]


@dataclass(frozen=True, slots=True)
class BesideLine:
    """Another answer to the same prompt."""

    id: int
    name: str
    slot: str
    outcome: str
    href: str
    diff: str | None
    """None for the answer itself."""


@dataclass(frozen=True, slots=True)
class AnswerScreen:
    """One answer and all that proves it."""

    id: int
    title: str
    run: str
    run_href: str
    slot: str
    panel: str
    fictional: bool
    engine: str
    label: str
    access: str
    prompt_id: str
    prompt_text: str
    prompt_href: str
    repeat: int
    outcome: str
    outcome_text: str
    notes: tuple[str, ...]
    """Why it is in no figure, where it is not; and what its reader should know."""
    asked_at: datetime | None
    requested_model: str | None
    served_model: str | None
    retrieval: str
    queries: tuple[str, ...]
    locale: str
    locale_text: str
    warnings: tuple[str, ...]
    cost_micros: int | None
    """What the engine itself tells."""
    counted: Cost | None
    """What was counted for all its calls; None where no call was made."""
    cost: str
    """What was counted, and who says so."""
    duration_ms: int | None
    """Of all calls together; None where nobody measured it."""
    judges: tuple[str, ...]
    baseline: str | None
    signature: str | None
    text: str
    """What was said, as it was stored."""
    groups: tuple[ShownGroup, ...]
    statements: tuple[StatementLine, ...]
    statement_count: int
    summary: str
    sources: tuple[SourceLine, ...]
    statement: ChosenStatement | None
    source: ChosenSource | None
    uncited: tuple[UncitedGroup, ...]
    claims: tuple[ClaimLine, ...]
    baseline_sources: tuple[BaselineSourceView, ...]
    numbers: tuple[CaptureNumber, ...]
    people: tuple[PeopleLine, ...]
    beside: tuple[BesideLine, ...]
    earlier: BesideLine | None
    later: BesideLine | None
    exchanges: tuple[ExchangeView, ...]
    shots: tuple[ShotView, ...]
    snapshots: tuple[FileView, ...]
    proof: ProofView | None


def answer_screen(one: AnswerView, chosen: Chosen, citing: Sequence[CitingView]) -> AnswerScreen:
    """One answer, at the source and the statement that were chosen."""
    seen = one.view
    card = capture_card(seen, one.label)
    durations = [e.duration_ms for e in one.exchanges if e.duration_ms is not None]
    return AnswerScreen(
        id=seen.id,
        title=f"{one.label} on {seen.prompt_id}, {when(seen.slot)}, answer {seen.repeat}",
        run=one.run,
        run_href=run_address(one.run),
        slot=seen.slot,
        panel=one.panel,
        fictional=one.fictional,
        engine=seen.engine,
        label=one.label,
        access=one.access,
        prompt_id=seen.prompt_id,
        prompt_text=seen.prompt_text,
        prompt_href=prompt_address(seen.prompt_id, run=one.run),
        repeat=seen.repeat,
        outcome=seen.outcome,
        outcome_text=outcome_words(seen.outcome),
        notes=tuple(_notes(one)),
        asked_at=seen.asked_at,
        requested_model=one.requested_model,
        served_model=seen.served_model,
        retrieval=seen.retrieval,
        queries=seen.queries,
        locale=one.locale,
        locale_text=_locale(one),
        warnings=seen.warnings,
        cost_micros=seen.cost_micros,
        counted=seen.counted,
        cost=cost_words(seen.counted, seen.cost_micros),
        duration_ms=sum(durations) if durations else None,
        judges=seen.judges,
        baseline=one.baseline,
        signature=one.signature,
        text=one.text,
        groups=tuple(shown_groups(one, chosen, card.statements)),
        statements=card.statements,
        statement_count=len(seen.statements),
        summary=card.summary,
        sources=source_lines(one, card.pages, chosen.source),
        statement=_chosen(one, chosen, card.statements),
        source=chosen_source(one, card.pages, chosen.source, citing),
        uncited=tuple(_uncited(seen.statements)),
        claims=card.claims,
        baseline_sources=seen.sources,
        numbers=capture_numbers(one.tally, one.run, one.measures),
        people=tuple(_people(one)),
        beside=tuple(_beside(b, seen.id) for b in one.beside),
        earlier=_beside(one.earlier, seen.id) if one.earlier else None,
        later=_beside(one.later, seen.id) if one.later else None,
        exchanges=one.exchanges,
        shots=one.shots,
        snapshots=one.snapshots,
        proof=one.proof,
    )


_LOCALES: Mapping[str | None, str] = {
    None: "as requested, not confirmed",
    "requested": "as requested, not confirmed",
    "confirmed": "confirmed by what it said of the country",
    "contradicted": "contradicted by what it said of the country",
}


def _locale(one: AnswerView) -> str:
    told = f"; the surface says {one.locale_confirmed}" if one.locale_confirmed else ""
    return f"{one.locale}: {_LOCALES[one.locale_state]}{told}"


def _notes(one: AnswerView) -> Iterator[str]:
    if one.is_canary:
        yield "It asks about the locale only, and is in no figure."
    if one.locale_state == "contradicted":
        yield "It was heard in another locale than the one asked for, and is in no figure."
    if one.without_text:
        yield "Its text was not handed in; only its sources are known."
    if one.hidden_citations:
        yield f"{one.hidden_citations} more citations stand behind labels whose addresses it lacks."
    if one.moves:
        told = ", ".join(f"{move.key} {move.then}, now {move.now}" for move in one.moves)
        yield (
            f"It was counted under other rules than the rest of this page follows ({told}): "
            f"`monitor rescore {one.run}` counts it anew."
        )


def _chosen(
    one: AnswerView, chosen: Chosen, lines: Sequence[StatementLine]
) -> ChosenStatement | None:
    number = chosen.statement
    if number is None or number > len(lines):
        return None
    return ChosenStatement(
        lines[number - 1],
        tuple(_people(one, number - 1)),
        capture_address(one.view.id, statement=number - 1) if number > 1 else None,
        capture_address(one.view.id, statement=number + 1) if number < len(lines) else None,
    )


def _people(one: AnswerView, statement: int | None = None) -> Iterator[PeopleLine]:
    for label in one.labels:
        if statement in {None, label.statement}:
            yield PeopleLine(
                label.claim,
                label.support.value,
                support_words(label.support.value),
                label.annotator,
                label.note,
                label.is_decision,
            )


_BY_BASELINE = {
    Support.CONTRADICTED: "Contradicts the baseline",
    Support.FULL: "Accurate by the baseline",
    Support.PARTIAL: "Not in the baseline, or only in part",
    Support.UNSUPPORTED: "Not in the baseline, or only in part",
    Support.NOT_ASSESSABLE: "Not assessable by the baseline",
}
_UNHELD = "A reader may ask for a source; no baseline to hold it against"
_FREE = "Needs no citation"
_UNCITED = (*dict.fromkeys(_BY_BASELINE.values()), _UNHELD, _FREE)


def _uncited(statements: Sequence[StatementView]) -> Iterator[UncitedGroup]:
    """Statements without citation, as the measures of uncited claims split them."""
    found: dict[str, list[UncitedClaim]] = {name: [] for name in _UNCITED}
    for number, one in enumerate(statements[:STATEMENTS_SHOWN], start=1):
        if one.chips or one.support is not None:
            continue
        for claim in one.by_baseline:
            found[_BY_BASELINE[claim.support]].append(UncitedClaim(number, claim.text))
        if not one.by_baseline:
            name = _UNHELD if one.kind is StatementKind.CLAIM else _FREE
            found[name].append(UncitedClaim(number, one.text))
    yield from (UncitedGroup(name, tuple(claims)) for name, claims in found.items() if claims)


def _beside(one: BesideView, own: int) -> BesideLine:
    return BesideLine(
        id=one.id,
        name=f"{one.label}, answer {one.repeat}",
        slot=when(one.slot),
        outcome=outcome_words(one.outcome),
        href=capture_address(one.id),
        diff=captures_diff_address(min(own, one.id), max(own, one.id)) if one.id != own else None,
    )


ANSWER_HEADER = ("statement", "text", "kind", "support", "why", "sources", "family", "url")


def answer_table(screen: AnswerScreen) -> Table:
    """Every statement with every page it cites, one row each."""
    pages = {one.page.number: one.page for one in screen.sources}
    return ANSWER_HEADER, [
        (
            line.number,
            line.view.text,
            line.view.kind.value,
            line.shape,
            line.why,
            number,
            pages[number].family if number else None,
            (pages[number].clean_url or pages[number].page_key) if number else None,
        )
        for line in screen.statements
        for number in (line.view.chips or (None,))
    ]
