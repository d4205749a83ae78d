"""One assessed capture -> what a report and a page show of it."""

from dataclasses import dataclass
from datetime import datetime

from monitor.domain.assessment import AssessedCapture, CitedPage, Policy
from monitor.domain.baseline import BaselineClaim, PromptBaseline
from monitor.domain.claim import Support, Verdict
from monitor.domain.money import Spent
from monitor.domain.source import Grade
from monitor.pipeline.costs import counted_cost, told_micros
from monitor.pipeline.quoting import answer_quote, page_quote
from monitor.pipeline.run_pages import RunPages
from monitor.pipeline.statement_views import judges_of, statement_views
from monitor.report.view import (
    BaselineClaimView,
    BaselineSourceView,
    CaptureView,
    PageView,
    ScreenshotView,
)
from monitor.scoring.claims import evidence_verdicts
from monitor.scoring.sources import (
    best_match,
    cited_sources,
    is_absence_a_miss,
    satisfied_sources,
)
from monitor.store import captures, citations

_CLAIM_EXCERPT = 90
"""Code points of text shown on either side of a quote for a claim of the baseline: there are many
of them, most in every answer."""

_BEST = (
    Support.FULL,
    Support.PARTIAL,
    Support.NOT_ASSESSABLE,
    Support.CONTRADICTED,
    Support.UNSUPPORTED,
)
"""What is said of several pages, first first: a page nobody could read may hold the support."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One assessed capture with what it rests on."""

    one: AssessedCapture
    stored: citations.StoredReading
    slot: str
    stored_at: datetime | None
    payloads: tuple[captures.StoredPayload, ...]
    graded: PromptBaseline | None
    """Baseline of its prompt, where there is one."""
    spent: Spent | None
    """What the ledger has of its calls; None where none was made."""


def capture_view(
    shown: Shown, pages: RunPages, policy: Policy, screenshots: tuple[ScreenshotView, ...] = ()
) -> CaptureView:
    """One capture with everything a reader may ask of it."""
    one, stored, graded = shown.one, shown.stored, shown.graded
    reading, payloads = stored.reading, shown.payloads
    reason = f"/{one.reason}" if one.reason else ""
    asked_at = payloads[0].started_at if payloads else shown.stored_at
    return CaptureView(
        id=one.capture_id,
        slot=shown.slot,
        engine=one.engine,
        prompt_id=one.prompt.id,
        prompt_text=one.prompt.text,
        repeat=one.repeat,
        outcome=f"{one.outcome.value}{reason}",
        asked_at=asked_at,
        served_model=reading.served_model,
        retrieval=reading.retrieval.value,
        queries=reading.queries,
        statements=statement_views(one, graded, pages),
        pages=tuple(
            _page(n, page, stored, pages, graded) for n, page in enumerate(one.pages, start=1)
        ),
        claims=_claims(one, graded, policy, pages) if graded else (),
        sources=_sources(one, graded) if graded else (),
        screenshots=screenshots,
        payloads=tuple((p.sha256, p.status) for p in payloads),
        warnings=reading.warnings,
        cost_micros=told_micros(reading),
        judges=judges_of(one),
        counted=counted_cost(shown.spent, one.engine, reading, asked_at),
    )


def _page(
    number: int,
    page: CitedPage,
    stored: citations.StoredReading,
    run_pages: RunPages,
    graded: PromptBaseline | None,
) -> PageView:
    """A counted citation with its grade and state."""
    source = best_match(page, graded.sources) if graded else None
    keys = (stored.identities[c].page_key for c in page.citations)
    titles = (f.about.title for k in keys if k and (f := run_pages.fetches.get(k)) and f.about)
    text = run_pages.texts.get(page.page_key) if page.readable else None
    group = run_pages.group_of.get(page.page_key)
    copied = group is not None and (group.original or group.key) != page.page_key
    return PageView(
        number=number,
        clean_url=page.clean_url,
        page_key=page.page_key,
        title=next(filter(None, titles), None)
        or next((stored.reading.citations[c].title for c in page.citations), None),
        family=page.family,
        grade=source.grade if source else Grade.UNGRADED,
        role=page.role,
        marks=page.marks,
        fetch_status=page.fetch_status.value if page.fetch_status else page.unreadable_reason,
        copy_of=(group.original or group.key) if group and copied else None,
        known_limitation=source.known_limitation if source else "",
        text_sha256=text.sha256 if text else None,
    )


def _claims(
    one: AssessedCapture, graded: PromptBaseline, policy: Policy, run_pages: RunPages
) -> tuple[BaselineClaimView, ...]:
    """Baseline claims held against this capture, as claim-evidence recall counts them."""
    silent = None if one.pages or is_absence_a_miss(one) else Support.NOT_ASSESSABLE
    found = []
    for claim in graded.claims:
        verdicts = evidence_verdicts(one, graded, policy, claim)
        best = min(verdicts, key=lambda pair: _BEST.index(pair[1].support), default=None)
        found.append(_claim(claim, one, best, run_pages, silent=silent))
    return tuple(found)


def _claim(
    claim: BaselineClaim,
    one: AssessedCapture,
    best: tuple[int, Verdict] | None,
    run_pages: RunPages,
    *,
    silent: Support | None,
) -> BaselineClaimView:
    """A baseline claim with the passages that evidence and state it; `silent` without a page."""
    stated = one.stated.get(claim.id)
    return BaselineClaimView(
        id=claim.id,
        text=claim.text,
        category=claim.category,
        required=claim.required,
        stated=stated.support if stated else None,
        evidence=best[1].support if best else silent,
        evidence_page=best[0] + 1 if best else None,
        evidence_quote=page_quote(best[1], (best[0],), one, run_pages, around=_CLAIM_EXCERPT)
        if best
        else None,
        stated_quote=answer_quote(stated, one, around=_CLAIM_EXCERPT),
        evidence_gaps=best[1].gaps if best else (),
        stated_gaps=stated.gaps if stated else (),
    )


def _sources(one: AssessedCapture, graded: PromptBaseline) -> tuple[BaselineSourceView, ...]:
    """Baseline sources, and whether this capture cites them, as required-source recall counts."""
    cited = cited_sources(one, graded)
    seen = (*one.pages, *one.retrieved)
    searched = satisfied_sources(one.retrieved, graded.sources, seen)
    return tuple(
        BaselineSourceView(
            key=source.key,
            url=source.url,
            grade=source.grade,
            evidence_type=source.evidence_type,
            cited=index in cited,
            reason=source.reason,
            known_limitation=source.known_limitation,
            retrieved=index in searched if one.exposes_retrieved else None,
        )
        for index, source in enumerate(graded.sources)
    )
