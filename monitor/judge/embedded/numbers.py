"""Numbers of a claim looked for beside the words they belong to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from monitor.judge.embedded.passages import Page, Sentence
from monitor.judge.embedded.words import Words, is_number, number_value

_ROUNDED = frozenset(
    {"about", "around", "approximat", "near", "almost", "rough", "some", "circa", "over", "than"}
)
_NEAR_SHARE = 0.05
"""How far a number said to be rounded may lie from its source, as a share."""
_CONTEXT = 3
"""Words on each side that tell what a number counts."""
_MARGIN = 0.3
"""How much better a rival number must fit."""
_MARGIN_SWAPPED = 0.9
"""The same where the rival is a number of the claim too, so that two may have changed places."""
_GENERIC = frozenset(
    {"of", "the", "a", "an", "in", "to", "and", "or", "by", "for", "at", "on", "is", "was"}
)


@dataclass(frozen=True, slots=True)
class Numbers:
    """What became of a claim's numbers."""

    count: int
    absent: tuple[str, ...]
    """Numbers that no evidence text has."""
    far: tuple[str, ...]
    """Numbers that the evidence has, but not in the best passage."""
    displaced: tuple[str, ...]
    """Numbers in the passage whose place in the best sentence another number takes."""
    rival: str | None
    """A number of the best sentence, of the same kind, that stands where the claim's should."""

    @property
    def wrong(self) -> tuple[str, ...]:
        """All numbers that the best passage does not bear out."""
        return (*self.absent, *self.far, *self.displaced)


def compare_numbers(
    claim: Words, sentence: Sentence, passage: Sequence[Sentence], pages: Sequence[Page]
) -> Numbers:
    """Look for each number of the claim: in the best passage, then anywhere."""
    wanted = [at for at, stem in enumerate(claim.stems) if is_number(stem)]
    if not wanted:
        return Numbers(0, (), (), (), None)
    inside = {stem for one in passage for stem in one.stems if is_number(stem)}
    absent: list[str] = []
    far: list[str] = []
    displaced: list[str] = []
    rival: str | None = None
    for at in wanted:
        stem = claim.stems[at]
        if stem not in inside and _rounds(claim, at, inside):
            continue
        other = _rival(claim, at, sentence.words)
        if stem not in inside:
            anywhere = any(stem in page.index for page in pages)
            (far if anywhere else absent).append(stem[1:])
            rival = rival or other
        elif other is not None:
            displaced.append(stem[1:])
            rival = rival or other
    return Numbers(len(wanted), tuple(absent), tuple(far), tuple(displaced), rival)


def _rounds(claim: Words, at: int, numbers: set[str]) -> bool:
    """Whether a claim says that its number is rounded, and a number near it is there."""
    if not _ROUNDED.intersection(claim.stems[max(0, at - 3) : at]):
        return False
    value = number_value(claim.stems[at])
    return any(abs(number_value(one) - value) <= _NEAR_SHARE * value for one in numbers)


def _rival(claim: Words, at: int, evidence: Words) -> str | None:
    """A number of the sentence that fits the claim's context better than the claim's own does."""
    context = _context(claim, at)
    own = claim.stems[at]
    fits = _fits(evidence, context) if context else {}
    mine = max((fits[place] for place in fits if evidence.stems[place] == own), default=0.0)
    for place, fit in fits.items():
        other = evidence.stems[place]
        same = other != own and _is_year(other) == _is_year(own)
        needed = mine + (_MARGIN_SWAPPED if other in claim.stems else _MARGIN)
        if same and fit > needed:
            return other[1:]
    return None


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


def _is_year(stem: str) -> bool:
    return 1000 <= number_value(stem) <= 2100 and "." not in stem
