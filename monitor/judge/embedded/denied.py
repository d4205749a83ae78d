"""What a text denies: places of its denials, and of the words they are about."""

from collections.abc import Iterator, Sequence

from monitor.judge.embedded.faults import Side
from monitor.judge.embedded.word_lists import NEGATORS
from monitor.judge.embedded.words import FUNCTION_WORDS, is_number, stem

_SCOPE = 5
"""Words behind a denial that it may deny."""

_ONLY = frozenset({stem("only"), stem("just"), stem("mere"), stem("merely"), stem("least")})

_LIMITS = frozenset(
    map(stem, ("more", "less", "fewer", "later", "longer", "earlier", "higher", "lower", "exceed"))
)

_EXCEEDS = {(stem("exceed"),), (stem("exceeds"),)}
"""`May not exceed` sets a limit and denies nothing."""

ORDINARY = FUNCTION_WORDS - set(map(stem, ("go", "come", "make", "take")))
"""Stems that a denial passes over; some verbs are not among them."""

Denial = tuple[int, tuple[int, ...]]
"""Place of a negator, and those of the words it may deny."""


def denials(side: Side) -> Iterator[Denial]:
    """Places of negators, with the places of the words each may deny, nearest first."""
    stems = side.words.stems
    for at, one in enumerate(stems):
        if one not in NEGATORS or (stems[at + 1 : at + 2] and stems[at + 1] in _ONLY):
            continue
        if stems[at - 1 : at] == ("or",) or (one == "no" and _numbered(stems, at)):
            continue
        if one == "nor" and "neither" in stems[:at]:
            continue
        after = stems[at + 1 : at + 5]
        if ("than" in after and _LIMITS.intersection(after)) or after[:1] in _EXCEEDS:
            continue
        yield at, _targets(side, at)


def _numbered(stems: Sequence[str], at: int) -> bool:
    """Whether a number follows: `No. 2` denies nothing."""
    return any(is_number(one) for one in stems[at + 1 : at + 2])


def _targets(side: Side, at: int) -> tuple[int, ...]:
    """Words behind a negator up to a break; before it where nothing stands behind."""
    stems = side.words.stems
    behind: list[int] = []
    for place in range(at + 1, min(len(stems), at + 1 + _SCOPE)):
        if place in side.breaks or stems[place] in {"but", "because"}:
            break
        if (
            stems[place] not in ORDINARY
            and stems[place] != "longer"
            and stems[place] not in NEGATORS
        ):
            behind.append(place)
    if behind:
        return tuple(behind)
    before: list[int] = []
    for place in range(at - 1, max(-1, at - 1 - _SCOPE), -1):
        if stems[place] not in ORDINARY:
            before.append(place)
        if place in side.breaks:
            break
    return tuple(before)
