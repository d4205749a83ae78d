"""Numbers of a claim looked for beside the words they belong to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from monitor.judge.embedded.passages import Page, Sentence
from monitor.judge.embedded.units import amounts
from monitor.judge.embedded.words import Words, is_number, number_value

How = Literal["absent", "far", "displaced"]
"""No evidence text has the number; the best passage has not; another one takes its place."""

_ROUNDED = frozenset(
    {"about", "around", "approximat", "near", "almost", "rough", "some", "circa", "over", "than"}
)
_NEAR_SHARE = 0.05
"""How far a number said to be rounded may lie from its source, as a share."""
_CONTEXT = 3
"""Words on each side that tell what a number counts."""
_MARGIN = 0.3
"""How much better a rival number must fit."""
_MARGIN_PRESENT = 0.9
"""The same where the passage has the claim's number, or the rival is a number of the claim too."""
_GENERIC = frozenset(
    {"of", "the", "a", "an", "in", "to", "and", "or", "by", "for", "at", "on", "is", "was"}
)


@dataclass(frozen=True, slots=True)
class WrongNumber:
    """A number of a claim that the best passage does not bear out."""

    at: int
    """Place among the claim's words."""
    how: How
    rival: int | None
    """Place, in the best sentence, of a number of the same kind that stands where it should."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """What became of a claim's numbers."""

    wrong: tuple[WrongNumber, ...]

    def has(self, how: How) -> bool:
        """Whether a number went wrong that way."""
        return any(one.how == how for one in self.wrong)


def compare_numbers(
    claim: Words, sentence: Sentence, passage: Sequence[Sentence], pages: Sequence[Page]
) -> Numbers:
    """Look for each number of the claim: in the best passage, then anywhere."""
    wanted = [at for at, stem in enumerate(claim.stems) if is_number(stem)]
    if not wanted:
        return Numbers(())
    inside = {stem for one in passage for stem in one.stems if is_number(stem)}
    wrong = []
    for at in wanted:
        stem = claim.stems[at]
        if stem not in inside and (_rounds(claim, at, inside) or _converted(claim, at, passage)):
            continue
        rival = _rival(claim, at, sentence.words, passage)
        if stem not in inside:
            anywhere = any(stem in page.index for page in pages)
            wrong.append(WrongNumber(at, "far" if anywhere else "absent", rival))
        elif rival is not None:
            wrong.append(WrongNumber(at, "displaced", rival))
    return Numbers(tuple(one for one in wrong if _stays(one, wrong, claim, sentence)))


def _stays(
    one: WrongNumber, wrong: Sequence[WrongNumber], claim: Words, sentence: Sentence
) -> bool:
    """Numbers of one claim have changed places only where both stand wrong."""
    rival = None if one.rival is None else sentence.words.stems[one.rival]
    if one.how != "displaced" or rival not in claim.stems:
        return True
    return any(other.how == "displaced" and claim.stems[other.at] == rival for other in wrong)


def _rounds(claim: Words, at: int, numbers: set[str]) -> bool:
    """Whether a claim says that its number is rounded, and a number near it is there."""
    if not _ROUNDED.intersection(claim.stems[max(0, at - 3) : at]):
        return False
    value = number_value(claim.stems[at])
    return any(abs(number_value(one) - value) <= _NEAR_SHARE * value for one in numbers)


def _converted(claim: Words, at: int, passage: Sequence[Sentence]) -> bool:
    """Whether the passage has the same amount in another unit: two hours, 120 minutes."""
    mine = [amount for place, amount in amounts(claim) if place == at]
    there = [amount for one in passage for _, amount in amounts(one.words)]
    return any(
        dimension == kind and abs(value - size) <= 1e-6 * value
        for dimension, value in mine
        for kind, size in there
    )


def _rival(claim: Words, at: int, evidence: Words, passage: Sequence[Sentence]) -> int | None:
    """A number of the sentence that fits the claim's context better than the claim's own does."""
    context = _context(claim, at)
    if not context:
        return None
    own = claim.stems[at]
    present = any(own in one.stems for one in passage)
    fits = _fits(evidence, context)
    mine = max(
        (_own_fit(one.words, own, context) for one in passage if own in one.stems), default=0.0
    )
    for place, fit in fits.items():
        other = evidence.stems[place]
        same = other != own and is_year(other) == is_year(own)
        needed = mine + (_MARGIN_PRESENT if present or other in claim.stems else _MARGIN)
        if same and fit > needed:
            return place
    return None


def _own_fit(evidence: Words, own: str, context: Mapping[str, int]) -> float:
    """Best fit of a number wherever a sentence has it."""
    fits = _fits(evidence, context)
    return max((fits[place] for place in fits if evidence.stems[place] == own), default=0.0)


def _fits(evidence: Words, context: Mapping[str, int]) -> dict[int, float]:
    """How well each number of a sentence fits a context; numbers of one list share the best."""
    fits: dict[int, float] = {}
    before: list[int] = []
    for place, stem in enumerate(evidence.stems):
        if not is_number(stem):
            continue
        if before and place - before[-1] > 2:
            before = []
        before.append(place)
        best = max(fits.get(before[0], 0.0), _fit(evidence, place, context))
        fits |= dict.fromkeys(before, best)
    return fits


def _fit(evidence: Words, at: int, context: Mapping[str, int]) -> float:
    """Shared words near a number: close ones count more, the other side counts half."""
    total = 0.0
    for stem, place in _context(evidence, at).items():
        if stem in context:
            same_side = (place > 0) == (context[stem] > 0)
            total += (1.0 if same_side else 0.5) / abs(place)
    return total


def _context(words: Words, at: int) -> dict[str, int]:
    """Content words around a number with their signed distance; the nearer place wins."""
    found: dict[str, int] = {}
    for distance in range(1, _CONTEXT + 1):
        for place in (at - distance, at + distance):
            stem = words.stems[place] if 0 <= place < len(words.stems) else ""
            if stem and not is_number(stem) and stem not in _GENERIC:
                found.setdefault(stem, place - at)
    return found


def is_year(stem: str) -> bool:
    """Whether a number may be a year."""
    return 1000 <= number_value(stem) <= 2100 and "." not in stem
