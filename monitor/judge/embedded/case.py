"""A claim laid beside its evidence: what the models read of it, and what the rules find."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from monitor.domain.claim import NotAssessable
from monitor.domain.page import FetchStatus
from monitor.judge.embedded.compare import Comparison, compare
from monitor.judge.embedded.denials import denial_faults
from monitor.judge.embedded.facts import (
    amount_faults,
    date_faults,
    name_faults,
    number_faults,
    unit_faults,
    wide_faults,
)
from monitor.judge.embedded.faults import Case, Fault, joined, side_of
from monitor.judge.embedded.passages import read_page
from monitor.judge.embedded.stretched import (
    bound_faults,
    clause_faults,
    condition_faults,
    hedge_faults,
    sweeping_faults,
)
from monitor.judge.embedded.turned import opposite_faults, replaced_faults, turned_faults
from monitor.judge.embedded.weights import Weights
from monitor.judge.embedded.words import Words, is_number, read_words

_CAP = 0.4
"""Highest score of a claim with a fault that readers seldom forgive, such as a denial too many."""

_CAP_TURNED = 0.15
"""Highest score of a claim that its source contradicts."""

_COPIED = 0.97

_LONGEST_CLAIM = 4_000


@dataclass(frozen=True, slots=True)
class Read:
    """A claim laid beside its evidence: what the models read, and what the rules found."""

    found: Comparison
    faults: tuple[Fault, ...]
    case: Case

    @property
    def cap(self) -> float:
        """Highest score that the faults allow."""
        if any(one.turned and one.firm for one in self.faults):
            return _CAP_TURNED
        return _CAP if any(one.turned or one.firm for one in self.faults) else 1.0

    def scored(self, probability: float) -> float:
        """The model's probability of full support after the rules."""
        if self.found.copied and not self.faults:
            return max(probability, _COPIED)
        return min(probability, self.cap)


def read_case(
    claim: str, evidence: Sequence[str], weights: Weights
) -> Read | FetchStatus | NotAssessable:
    """Lay a claim beside texts; the reason where there are no words to compare."""
    pages = tuple(read_page(text) for text in evidence)
    if not any(page.sentences for page in pages):
        return FetchStatus.NO_TEXT
    text = claim[:_LONGEST_CLAIM]
    words = read_words(text)
    if not words.stems:
        return NotAssessable.JUDGE_UNCLEAR

    def rarity(stem: str) -> float:
        return weights.number if is_number(stem) else weights.rarity_of(stem)

    found = compare(words, pages, rarity)
    case = _case(text, words, evidence[found.best.page], found)
    return Read(found, tuple(_faults(case, found)), case)


def _case(claim: str, words: Words, text: str, found: Comparison) -> Case:
    best = found.best
    return Case(
        side_of(claim, words),
        side_of(text, best.sentence.words),
        joined(text, best.passage),
        found.weights,
        best.sentence_cover,
        best.passage_cover,
    )


def _faults(case: Case, found: Comparison) -> Iterator[Fault]:
    """Everything the rules object to, what is firmest first."""
    if found.copied:
        return
    yield from date_faults(case)
    yield from number_faults(case, found)
    yield from unit_faults(case, found)
    yield from amount_faults(case, found)
    yield from bound_faults(case)
    yield from denial_faults(case)
    yield from opposite_faults(case)
    yield from turned_faults(case)
    yield from name_faults(case, found)
    yield from wide_faults(case, found)
    yield from sweeping_faults(case)
    yield from hedge_faults(case)
    yield from condition_faults(case)
    yield from replaced_faults(case)
    yield from clause_faults(case)
