"""One capture as a reader checks it: answer, passages, sources, pictures, hashes."""

import base64
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from monitor.domain.claim import Gap, StatementKind, Support
from monitor.report.claim_gaps import (
    ANSWER_BY_BASELINE,
    BASELINE_BY_ANSWER,
    BASELINE_BY_PAGE,
    Piece,
    Sides,
    pieces,
    telling,
    told_gaps,
    votes_words,
)
from monitor.report.costs import cost_words
from monitor.report.reasons import baseline_words, judged_words, without_named
from monitor.report.view import (
    BaselineClaimView,
    CaptureView,
    ClaimView,
    PageView,
    QuoteView,
    ReportView,
    ScreenshotView,
    StatementView,
)
from monitor.report.words import plural, reason_words, support_words, when

STATEMENTS_SHOWN = 300
"""Statements of one answer that are shown; the page says how many there are."""

_PICTURES = (
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
)
_SHOWN = {
    "viewport": "the window",
    "full": "the whole page",
    "panel": "the opened source panel",
    "card": "a rendering of the stored text, no picture of an interface",
}
_EVIDENCE = {
    Support.FULL: "found",
    Support.PARTIAL: "found in part",
    Support.NOT_ASSESSABLE: "unresolved",
    Support.UNSUPPORTED: "missing",
    Support.CONTRADICTED: "missing; a cited page contradicts it",
}
_STATED = {
    Support.FULL: "stated",
    Support.PARTIAL: "stated in part",
    Support.NOT_ASSESSABLE: "not assessable",
    Support.UNSUPPORTED: "not stated",
    Support.CONTRADICTED: "contradicted",
}
_BY_BASELINE = {
    Support.FULL: "accurate by the baseline",
    Support.PARTIAL: "only partly in the baseline, counted as outside it",
    Support.NOT_ASSESSABLE: "not assessable by the baseline",
    Support.UNSUPPORTED: "not in the baseline",
    Support.CONTRADICTED: "contradicts the baseline",
}
_KINDS = {
    StatementKind.CLAIM: "no citation; a reader may ask for one",
    StatementKind.HEADING: "heading",
    StatementKind.QUESTION: "question",
    StatementKind.TRANSITION: "transition",
    StatementKind.SUMMARY: "summary",
    StatementKind.OPINION: "opinion",
    StatementKind.ADVICE: "advice",
}


@dataclass(frozen=True, slots=True)
class Passage:
    """The cited text around a quote, cut at the quote."""

    page: int | None
    """Number of the page; None where it is the answer."""
    before: str
    quote: str
    after: str


@dataclass(frozen=True, slots=True)
class UncitedLine:
    """What the baseline says of one uncited claim, in words."""

    text: tuple[Piece, ...]
    """The claim, where its statement makes more than one or goes beyond it; else empty."""
    shape: str
    word: str
    why: str
    gaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class SaidLine:
    """One of several claims of a statement, cut where it goes beyond its pages."""

    text: tuple[Piece, ...]
    shape: str
    word: str
    why: str
    gaps: tuple[str, ...]
    votes: str


@dataclass(frozen=True, slots=True)
class StatementLine:
    """A statement with its support as word and shape, and the passage behind it."""

    number: int
    view: StatementView
    shape: str
    """Class of the shape: full, partial, unsupported, contradicted, not_assessable or none."""
    support: str
    why: str
    passage: Passage | None
    by_baseline: tuple[UncitedLine, ...]
    text: tuple[Piece, ...]
    """The statement, cut where it goes beyond its pages."""
    gaps: tuple[str, ...]
    """How it goes beyond them; empty where its claims say it."""
    votes: str
    claims: tuple[SaidLine, ...]
    alone: tuple[tuple[int, str, str], ...]
    """(number, shape, word) of each cited page read by itself, where several are cited."""


@dataclass(frozen=True, slots=True)
class ClaimLine:
    """A baseline claim held against the capture, in words."""

    view: BaselineClaimView
    stated: str
    evidence: str
    page: int | None
    """Number of the page that decides it."""
    passages: tuple[Passage, ...]
    """Where the answer states it, then where the page evidences it."""
    stated_gaps: tuple[str, ...] = ()
    evidence_gaps: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageLine:
    """A cited page with its state in words."""

    view: PageView
    state: str


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture with its address inside the page; None where the bytes are no picture."""

    source: str | None
    views: tuple[ScreenshotView, ...]
    """Screenshots that have these bytes: where all fits the window, it is the whole page too."""
    words: str
    """What it shows."""


@dataclass(frozen=True, slots=True)
class CaptureCard:
    """One capture, ready to be placed."""

    view: CaptureView
    label: str
    """The engine's name for a reader."""
    is_earlier: bool
    statements: tuple[StatementLine, ...]
    claims: tuple[ClaimLine, ...]
    pages: tuple[PageLine, ...]
    pictures: tuple[Picture, ...]
    summary: str
    cost: str
    """What was counted for all its calls, and who says so."""


@dataclass(frozen=True, slots=True)
class CaptureGroup:
    """Captures of one engine in one run."""

    heading: str
    cards: tuple[CaptureCard, ...]


def capture_groups(view: ReportView) -> tuple[CaptureGroup, ...]:
    """Every capture of the view, by run and engine, this run first, in the panel's order."""
    grouped: dict[tuple[bool, str], list[CaptureCard]] = {}
    for card in sorted(capture_cards(view), key=_placer(view)):
        grouped.setdefault((card.is_earlier, card.label), []).append(card)
    earlier = when(view.before_slot, view.slot) if view.before_slot else "another run"
    names = {False: when(view.slot, view.before_slot), True: earlier}
    return tuple(
        CaptureGroup(f"{label}, {names[is_earlier]}", tuple(cards))
        for (is_earlier, label), cards in grouped.items()
    )


def _placer(view: ReportView) -> Callable[[CaptureCard], tuple[bool, int, int, int]]:
    """Key that puts a card in its place: run, engine, prompt, repeat; unknown ones last."""
    engines = {engine.name: place for place, engine in enumerate(view.engines)}
    prompts = {prompt.id: place for place, prompt in enumerate(view.panel.prompts)}

    def place(card: CaptureCard) -> tuple[bool, int, int, int]:
        engine = engines.get(card.view.engine, len(engines))
        prompt = prompts.get(card.view.prompt_id, len(prompts))
        return card.is_earlier, engine, prompt, card.view.repeat

    return place


def capture_cards(view: ReportView) -> tuple[CaptureCard, ...]:
    """Every capture of the view in its order."""
    labels = {engine.name: engine.label for engine in view.engines}
    return tuple(_card(view, capture, labels) for capture in view.captures)


def _card(view: ReportView, capture: CaptureView, labels: dict[str, str]) -> CaptureCard:
    label = labels.get(capture.engine, capture.engine)
    return capture_card(capture, label, is_earlier=capture.slot != view.slot)


def capture_card(capture: CaptureView, label: str, *, is_earlier: bool = False) -> CaptureCard:
    """One capture's parts in words."""
    return CaptureCard(
        view=capture,
        label=label,
        is_earlier=is_earlier,
        statements=tuple(_statement(n, s) for n, s in _numbered(capture)),
        claims=tuple(_claim(claim) for claim in capture.claims),
        pages=tuple(_page(page) for page in capture.pages),
        pictures=_pictures(capture),
        summary=_summary(capture),
        cost=cost_words(capture.counted, capture.cost_micros),
    )


def _pictures(capture: CaptureView) -> tuple[Picture, ...]:
    """Each picture once, with every screenshot that has its bytes."""
    found: dict[str, list[ScreenshotView]] = {}
    for shot in capture.screenshots:
        found.setdefault(shot.sha256, []).append(shot)
    return tuple(
        Picture(
            _data_uri(shots[0].jpeg),
            tuple(shots),
            " and ".join(dict.fromkeys(_shown(shot.kind) for shot in shots)),
        )
        for shots in found.values()
    )


def _shown(kind: str) -> str:
    """What a kind of screenshot shows."""
    return _SHOWN.get(kind, kind.replace("_", " "))


def _numbered(capture: CaptureView) -> Iterator[tuple[int, StatementView]]:
    """The statements that are shown, numbered from 1."""
    return enumerate(capture.statements[:STATEMENTS_SHOWN], start=1)


def _statement(number: int, statement: StatementView) -> StatementLine:
    """A statement with its support in words."""
    support = statement.support
    claims = tuple(_said(claim) for claim in statement.claims)
    told = any(claim.gaps for claim in claims)
    return StatementLine(
        number=number,
        view=statement,
        shape=support.value if support else "none",
        support=support_words(support.value) if support else _KINDS[statement.kind],
        why=judged_words(without_named(statement.reasons, statement.gaps)),
        passage=passage_of(statement.quote) if statement.quote else None,
        by_baseline=tuple(_uncited(statement)),
        text=pieces(statement.text, telling(statement.text, statement.gaps, support)),
        gaps=() if told else told_gaps(statement.text, statement.gaps, support),
        votes=votes_words(statement.votes),
        claims=claims,
        alone=tuple((n, one.value, support_words(one.value)) for n, one in statement.alone),
    )


def _said(claim: ClaimView) -> SaidLine:
    """One of several claims, in words."""
    support = claim.support
    return SaidLine(
        text=pieces(claim.text, telling(claim.text, claim.gaps, support)),
        shape=support.value if support else "none",
        word=support_words(support.value if support else None),
        why=judged_words(without_named(claim.reasons, claim.gaps)),
        gaps=told_gaps(claim.text, claim.gaps, support),
        votes=votes_words(claim.votes),
    )


def _uncited(statement: StatementView) -> Iterator[UncitedLine]:
    """Uncited claims by the baseline; a single one needs no text of its own."""
    is_alone = len(statement.by_baseline) == 1
    for claim in statement.by_baseline:
        gaps = telling(claim.text, claim.gaps, claim.support)
        yield UncitedLine(
            () if is_alone and not gaps else pieces(claim.text, gaps),
            claim.support.value,
            _BY_BASELINE[claim.support],
            baseline_words(without_named(claim.reasons, claim.gaps)),
            told_gaps(claim.text, claim.gaps, claim.support, ANSWER_BY_BASELINE),
        )


def passage_of(quote: QuoteView) -> Passage:
    """Excerpt cut at the quote; a quote outside its excerpt marks nothing."""
    start, end = sorted((max(0, quote.start), max(0, quote.end)))
    text = quote.excerpt
    return Passage(quote.page, text[:start], text[start:end], text[end:])


def _claim(claim: BaselineClaimView) -> ClaimLine:
    """A baseline claim in words; where nothing was found, no page is named for it."""
    stated = _STATED[claim.stated] if claim.stated else "not measured"
    evidence = _EVIDENCE[claim.evidence] if claim.evidence else "missing; no page that may count"
    page = None if claim.evidence is Support.UNSUPPORTED else claim.evidence_page
    quotes = (claim.stated_quote, claim.evidence_quote if page is not None else None)
    return ClaimLine(
        claim,
        stated,
        evidence,
        page,
        tuple(passage_of(q) for q in quotes if q),
        _weak_gaps(claim.text, claim.stated, claim.stated_gaps, BASELINE_BY_ANSWER),
        _weak_gaps(claim.text, claim.evidence, claim.evidence_gaps, BASELINE_BY_PAGE),
    )


def _weak_gaps(
    text: str, support: Support | None, gaps: Sequence[Gap], sides: Sides
) -> tuple[str, ...]:
    """Gaps that say more than the word: not where next to nothing is there at all."""
    weak = support in {Support.PARTIAL, Support.CONTRADICTED}
    return told_gaps(text, gaps, support, sides) if weak else ()


def _page(page: PageView) -> PageLine:
    """A page's state in words."""
    return PageLine(page, reason_words(page.fetch_status))


def _data_uri(picture: bytes) -> str | None:
    """Bytes of a JPEG or PNG as an address that needs no request; None for anything else."""
    kind = next((kind for head, kind in _PICTURES if picture.startswith(head)), None)
    return f"data:{kind};base64,{base64.b64encode(picture).decode('ascii')}" if kind else None


def _summary(capture: CaptureView) -> str:
    """What one sees before opening it: statements by support, and cited pages."""
    cited = [s.support for s in capture.statements if s.support]
    if not capture.statements:
        return ""
    full = sum(1 for support in cited if support is Support.FULL)
    against = sum(1 for support in cited if support is Support.CONTRADICTED)
    tail = f", {against} contradicted" if against else ""
    pages = plural(len(capture.pages), "page")
    return f"{full} of {len(cited)} supported{tail}; {pages}" if cited else f"no citation; {pages}"
