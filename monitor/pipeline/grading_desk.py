"""What an annotator has to grade in a draft, what comes next, and each act as it is kept."""

from dataclasses import dataclass
from functools import cached_property

from monitor.domain.drafted import DraftedClaim, PooledSource, SourceDetails, SourceLabel
from monitor.domain.source import Grade
from monitor.errors import StoreError
from monitor.pipeline.bench import Bench
from monitor.pipeline.removed import text_of
from monitor.store import Connection, answers_seen, drafts, pools, source_labels
from monitor.store.drafts import Draft
from monitor.store.source_labels import GradeAct

_TEXT = 40_000
"""Characters of a page's text that a form shows."""


@dataclass(frozen=True)
class OwnSources:
    """All sources of a draft that one annotator grades, and the annotator's own newest acts."""

    draft: Draft
    annotator: str
    sources: tuple[PooledSource, ...]
    """By prompt in the order of the panel, then in the drawn order."""
    acts: tuple[SourceLabel, ...]
    """Withdrawals too, oldest first."""

    @cached_property
    def labels(self) -> dict[tuple[str, str], SourceLabel]:
        """(prompt, hash of the page) -> own newest act."""
        return {(one.prompt, one.page_hash): one for one in self.acts}

    def of(self, prompt: str) -> tuple[PooledSource, ...]:
        """Own sources of one prompt."""
        return tuple(one for one in self.sources if one.prompt == prompt)

    def is_done(self, source: PooledSource) -> bool:
        """Whether a source is graded."""
        found = self.labels.get((source.prompt, source.page_hash))
        return found is not None and found.grade is not None

    def next_open(self, after: PooledSource | None = None) -> PooledSource | None:
        """The next source without a grade, from a place on and round to it; None when done."""
        start = self.sources.index(after) + 1 if after in self.sources else 0
        turned = (*self.sources[start:], *self.sources[:start])
        return next((one for one in turned if not self.is_done(one)), None)

    @property
    def last(self) -> SourceLabel | None:
        """The own newest grade that was not taken back."""
        return next((one for one in reversed(self.acts) if one.grade is not None), None)


def own_sources(bench: Bench, draft: Draft, annotator: str) -> OwnSources:
    """What one annotator has to grade."""
    return bench.read(lambda c: _desk(c, draft, annotator))


def _desk(connection: Connection, draft: Draft, annotator: str) -> OwnSources:
    order = {one.id: place for place, one in enumerate(draft.plan.panel.prompts)}
    pool = pools.load_pool(connection, draft.id)
    mine = [one for one in pool if annotator in one.annotators and one.prompt in order]
    mine.sort(key=lambda one: (order[one.prompt], one.position, one.page_hash))
    acts = source_labels.load_source_labels(connection, draft.id, annotator=annotator)
    return OwnSources(draft, annotator, tuple(mine), acts)


def live_claims(bench: Bench, draft: Draft, prompt: str) -> tuple[DraftedClaim, ...]:
    """Claims of a prompt that were not removed."""
    found = bench.read(lambda c: drafts.load_claims(c, draft.id, prompt))
    return tuple(one for one in found if one.words is not None)


@dataclass(frozen=True, slots=True)
class Graded:
    """What an annotator says of a source, over their own label that the form showed."""

    prompt: str
    page_hash: str
    grade: Grade | None
    details: SourceDetails
    seconds: float | None
    seen: int | None


def keep_grade(bench: Bench, desk: OwnSources, graded: Graded) -> int | SourceLabel:
    """Id of the stored label; the annotator's own newer one where there is one, and nothing is.

    Whether it was given blind is told from the answers that its annotator opened before.
    """
    draft, annotator = desk.draft, desk.annotator
    known = {(one.prompt, one.page_hash) for one in desk.sources}
    if (graded.prompt, graded.page_hash) not in known:
        raise StoreError("this source is not among those that you grade; nothing was stored")
    at = bench.clock.now()

    def save(connection: Connection) -> int | SourceLabel:
        seen = answers_seen.prompts_seen(connection, draft.panel)
        act = GradeAct(
            draft.id,
            graded.prompt,
            graded.page_hash,
            graded.grade,
            graded.details,
            annotator,
            draft.guideline,
            (annotator, graded.prompt) not in seen,
            graded.seconds,
            graded.seen,
        )
        return source_labels.save_label(connection, act, at=at)

    return bench.write(save)


def source_text(bench: Bench, source: PooledSource) -> tuple[str, str]:
    """A source's text as it was fetched, and what is to be said of it."""
    if not source.is_page:
        return "", "a whole family or unit: no single page stands for it"
    if source.text_sha256 is None:
        status = source.note.status
        if status is None:
            return "", "the page was not fetched here; open its address"
        return "", f"the page gave no text when it was asked for: {status.replace('_', ' ')}"
    text = text_of(bench, source.text_sha256)
    if text is None:
        return "", "retention removed the text; open its address"
    cut = f"the first {_TEXT:,} of {len(text):,} characters" if len(text) > _TEXT else ""
    return text[:_TEXT], cut
