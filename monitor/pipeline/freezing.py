"""A draft that people settled -> a stored version of a baseline, and why it is blind or not."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from monitor.baseline.assembling import Assembled, GradedSource, assemble
from monitor.baseline.parse import ParsedBaseline, parse_baseline
from monitor.baseline.writing import write_baseline
from monitor.config.yaml import Problem
from monitor.domain.baseline import Baseline
from monitor.domain.drafted import DraftedClaim, DraftState
from monitor.domain.keys import content_key
from monitor.domain.panel import Panel
from monitor.errors import PanelError, StoreError, UnfitError
from monitor.pipeline.bench import Bench
from monitor.pipeline.checking import family_labels
from monitor.pipeline.drafting import load_graded, panel_now, seen_before
from monitor.store import Connection, baselines, drafts, panels, source_labels
from monitor.store.drafts import Draft


@dataclass(frozen=True, slots=True)
class Standing:
    """A draft as it stands: what it would become, what is in the way, and what is to be known."""

    draft: Draft
    assembled: Assembled
    graded: tuple[GradedSource, ...]
    claims: tuple[DraftedClaim, ...]
    not_blind: tuple[str, ...]
    """Why it is not drawn blind, as far as the application knows; empty where it may be."""
    edited: tuple[str, ...]
    """Prompts that read otherwise now than when the draft began."""
    first_run: datetime | None
    """When the panel's first run began: a baseline frozen later follows answers."""
    mark: str
    """Another one where anything that counts was added meanwhile."""


def standing(bench: Bench, draft: Draft) -> Standing:
    """How a draft stands now."""
    now = _panel_or_none(bench, draft.panel)
    return bench.read(lambda c: _standing(c, bench, draft, now))


def _panel_or_none(bench: Bench, name: str) -> Panel | None:
    try:
        return panel_now(bench, name)
    except PanelError:
        return None


def _standing(connection: Connection, bench: Bench, draft: Draft, now: Panel | None) -> Standing:
    graded = load_graded(connection, draft)
    claims = drafts.load_claims(connection, draft.id)
    prompt_ids = [one.id for one in draft.plan.panel.prompts]
    assembled = assemble(prompt_ids, graded, claims, bench.identify)
    return Standing(
        draft,
        assembled,
        graded,
        claims,
        _not_blind(connection, draft, graded, claims),
        _edited(draft.plan.panel, now),
        baselines.first_begun(connection, draft.panel),
        _mark(connection, draft, graded),
    )


def _edited(then: Panel, now: Panel | None) -> tuple[str, ...]:
    """Prompts whose words changed, or that are gone."""
    if now is None:
        return ()
    keys = {one.id: one.version_key for one in now.prompts}
    return tuple(one.id for one in then.prompts if keys.get(one.id) != one.version_key)


def _mark(connection: Connection, draft: Draft, graded: Sequence[GradedSource]) -> str:
    """Hash of everything that a freezing rests on."""
    return content_key(
        [
            source_labels.label_mark(connection, draft.id),
            drafts.claim_mark(connection, draft.id),
            [[one.source.page_hash, one.ruling.id if one.ruling else 0] for one in graded],
        ],
        16,
    )


def _not_blind(
    connection: Connection,
    draft: Draft,
    graded: Sequence[GradedSource],
    claims: Sequence[DraftedClaim],
) -> tuple[str, ...]:
    """What speaks against `drawn_blind`, one line for each person and kind of act."""
    seen = seen_before(connection, draft.panel)
    why: dict[tuple[str, str], set[str]] = {}
    for label in (label for one in graded if one.is_kept for label in one.labels):
        if not label.blind:
            why.setdefault((label.annotator, "graded sources"), set()).add(label.prompt)
    for claim in claims:
        first = seen.get((claim.annotator, claim.prompt))
        if claim.words is not None and first is not None and first <= claim.saved_at:
            why.setdefault((claim.annotator, "wrote claims"), set()).add(claim.prompt)
    for one in graded:
        ruled = one.ruled
        first = seen.get((ruled.adjudicator, one.source.prompt)) if ruled else None
        if ruled is not None and first is not None and first <= ruled.saved_at:
            what = (ruled.adjudicator, "settled disagreements")
            why.setdefault(what, set()).add(one.source.prompt)
    lines = [
        f"{who} {what} after seeing what engines cite for {_named(prompts)}"
        for (who, what), prompts in sorted(why.items())
    ]
    return (*lines, *_of_start(connection, draft, claims))


def _of_start(
    connection: Connection, draft: Draft, claims: Sequence[DraftedClaim]
) -> tuple[str, ...]:
    """Claims that were taken over from a version that was not drawn blind."""
    version = draft.plan.starts_from
    taken = [c for c in claims if c.words is not None and c.annotator == f"version {version}"]
    if version is None or not taken:
        return ()
    start = panels.load_baseline(connection, draft.panel, version)
    if start is None or start.drawn_blind:
        return ()
    return (f"{len(taken)} claims are those of version {version}, which was not drawn blind",)


def _named(prompts: set[str]) -> str:
    """Some prompts by name, the rest as a number."""
    shown = sorted(prompts)[:5]
    more = len(prompts) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


@dataclass(frozen=True, slots=True)
class Declared:
    """What a lead says at freezing."""

    unseen: bool
    """Whether annotators had not seen the answers elsewhere either."""
    by: str | None
    mark: str | None = None
    """The draft as it was shown; None takes it as it is now."""


def freeze(
    bench: Bench,
    draft_id: int,
    declared: Declared,
    *,
    also: Callable[[Connection, Baseline], object] | None = None,
) -> Baseline:
    """Store a draft as a version of its panel's baseline, and end the work on it.

    StoreError where disagreements are open or something was added since it was shown. `also`
    writes in the same transaction.
    """
    at = bench.clock.now().replace(microsecond=0)
    draft = bench.read(lambda c: drafts.require_open(c, draft_id))
    now = _panel_or_none(bench, draft.panel)

    def save(connection: Connection) -> Baseline:
        one = _standing(connection, bench, drafts.hold_open(connection, draft_id), now)
        _refuse(one, declared)
        text = frozen_text(one, declared, at)
        baseline = _read_back(bench, one.draft, text)
        panels.save_baseline(connection, baseline, text, saved_at=bench.clock.now())
        drafts.close_draft(connection, draft_id, DraftState.FROZEN, at=at)
        if also is not None:
            also(connection, baseline)
        return baseline

    return bench.write(save)


def _refuse(one: Standing, declared: Declared) -> None:
    if declared.mark is not None and declared.mark != one.mark:
        raise StoreError(
            "something was graded, written or settled since the page was shown, so nothing was "
            "frozen: look at the draft as it is now, and freeze it then"
        )
    if one.assembled.blocks:
        count = len(one.assembled.open)
        clashes = "; ".join(one.assembled.clashes[:3])
        raise StoreError(
            f"{count} disagreements are not settled{f'; {clashes}' if clashes else ''}: settle "
            "them first, nothing was frozen"
        )
    if not one.assembled.prompts:
        raise UnfitError("nothing is graded and no claim is written; nothing was frozen")


def frozen_text(one: Standing, declared: Declared, at: datetime | None) -> str:
    """Text of the file that a draft becomes."""
    why = list(one.not_blind)
    if not declared.unseen:
        why.append("it was not declared that annotators had not seen the answers elsewhere")
    note = f"not drawn blind: {'; '.join(why)}" if why else ""
    labelled = {label.annotator for label in one.assembled.counted}
    wrote = {c.annotator for c in one.claims if c.words is not None and _is_person(c, one.draft)}
    planned = [name for name in one.draft.plan.annotators if name in labelled | wrote]
    others = sorted((labelled | wrote) - set(planned))
    baseline = Baseline(
        panel=one.draft.panel,
        version=one.draft.version,
        annotators=(*planned, *others) or one.draft.plan.annotators,
        drawn_blind=not why,
        frozen_at=at,
        guideline=one.draft.guideline,
        prompts=one.assembled.prompts,
    )
    return write_baseline(baseline, note=note)


def _is_person(claim: DraftedClaim, draft: Draft) -> bool:
    return claim.annotator != f"version {draft.plan.starts_from}"


def _read_back(bench: Bench, draft: Draft, text: str) -> Baseline:
    """The baseline of the text, bound to the prompts as annotators read them."""
    read = check_text(bench, text, draft.plan.panel, file=f"{draft.panel}.baseline.yaml")
    if read.baseline is None:
        raise UnfitError("the draft makes no sound baseline: " + _told(read.problems))
    return read.baseline


def check_text(bench: Bench, text: str, panel: Panel | None, *, file: str) -> ParsedBaseline:
    """A baseline of a file's text, checked as `monitor check` does."""
    labels = family_labels(bench.settings)
    return parse_baseline(text, file, panel, bench.identify, labels=labels)


def _told(problems: Sequence[Problem]) -> str:
    return "; ".join(str(one) for one in problems if not one.warning)[:2000]
