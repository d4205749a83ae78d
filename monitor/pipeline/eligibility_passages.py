"""The passage of a page that is nearest to a baseline claim, and what of the claim it holds."""

from collections.abc import Iterable, Sequence

from monitor.domain.baseline import BaselineClaim, ClaimCategory
from monitor.domain.claim import Judge, Question, Support, Verdict
from monitor.domain.eligibility import ClaimPassage, Qualifier
from monitor.domain.page import Passage
from monitor.judge.embedded.passages import best_windows
from monitor.judge.embedded.word_lists import CONDITIONS, HEDGES, NEGATORS
from monitor.judge.embedded.words import read_words, stem
from monitor.pages.eligibility_text import is_in, nearest, runs_of, words_of
from monitor.pages.passages import passages

WORDS = 100
"""Of a passage; it may run over by a quarter to end with its sentence."""
_NEAR_WORDS = 300
_MOST_ASKED = 8
"""Passages that a judge is asked about for one claim."""
_RESTRICTING = frozenset(
    {ClaimCategory.LIMITATION, ClaimCategory.ELIGIBILITY, ClaimCategory.EXCEPTION}
)
_QUALIFYING = HEDGES | CONDITIONS | NEGATORS | {stem("only")}

PromptClaim = tuple[str, BaselineClaim]
"""A prompt's id and one of its claims."""


def claim_passages(
    text: str, claims: Sequence[PromptClaim], judge: Judge, *, sent: str | None
) -> tuple[ClaimPassage, ...]:
    """The best passage of a main text for each claim; none where there is no text.

    `sent` is all text of the page before its scripts ran, None where nobody ran them.
    """
    found = passages(text, WORDS)
    if not found:
        return ()
    runs = None if sent is None else runs_of(sent)
    total = max(1, len(words_of(text)))
    return tuple(
        _described(text, one, total, _best(text, found, one[1], judge), runs=runs, judge=judge)
        for one in claims
    )


def _best(
    text: str, found: Sequence[Passage], claim: BaselineClaim, judge: Judge
) -> tuple[Passage, Verdict]:
    """The passage of the highest probability of full support; the first of equals."""
    windows = best_windows(claim.text, text, words=_NEAR_WORDS)
    near = (nearest(found, windows) or tuple(found))[:_MOST_ASKED]
    verdicts = judge.verdicts([Question(claim.text, (one.text,)) for one in near])
    return max(zip(near, verdicts, strict=True), key=lambda pair: pair[1].score or 0.0)


def _described(
    text: str,
    asked: PromptClaim,
    total: int,
    best: tuple[Passage, Verdict],
    *,
    runs: frozenset[tuple[str, ...]] | None,
    judge: Judge,
) -> ClaimPassage:
    """A passage with its place and what the judge says of it."""
    (prompt_id, claim), (passage, verdict) = asked, best
    before = len(words_of(text[: passage.start]))
    return ClaimPassage(
        prompt_id=prompt_id,
        claim_id=claim.id,
        text=passage.text,
        start=passage.start,
        end=passage.end,
        word_offset=before,
        share_before=before / total,
        support=verdict.support.value,
        score=verdict.score,
        judge=judge.version,
        qualifier=qualifier_of(claim, passage.text, verdict.support),
        without_scripts=None if runs is None else is_in(passage.text, runs),
    )


def qualifier_of(claim: BaselineClaim, passage: str, support: Support) -> Qualifier:
    """Whether a passage holds what restricts a claim.

    A claim restricts by its category or by words such as `may`, `unless`, `not` and `only`. Full
    support holds it; partial support and an unsure judge do where all of those words are there.
    """
    words = _stems(claim.text) & _QUALIFYING
    if not words and claim.category not in _RESTRICTING:
        return Qualifier.NONE
    if support is Support.FULL:
        return Qualifier.INSIDE
    if support in {Support.UNSUPPORTED, Support.CONTRADICTED}:
        return Qualifier.OUTSIDE
    if words and words <= _stems(passage):
        return Qualifier.INSIDE
    return Qualifier.OUTSIDE if support is Support.PARTIAL else Qualifier.UNCLEAR


def _stems(text: str) -> frozenset[str]:
    return frozenset(read_words(text).stems)


def claims_of(
    supports: Iterable[str], claims: Sequence[BaselineClaim]
) -> tuple[BaselineClaim, ...]:
    """Claims that a source evidences; all of its prompt where the baseline does not say which."""
    named = set(supports)
    return tuple(one for one in claims if one.id in named or not named)
