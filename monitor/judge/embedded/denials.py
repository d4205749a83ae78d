"""Faults of denial: a claim denies what its evidence says, or says what its evidence denies."""

from collections.abc import Iterator, Sequence

from monitor.domain.claim import GapKind
from monitor.judge.embedded.denied import Denial, denials
from monitor.judge.embedded.faults import CLOSE, NEARBY, RELATED, Case, Fault, Side
from monitor.judge.embedded.word_lists import DENYING, DENYING_VERBS

_JOINING = frozenset({"and", "but", "which", "though", "although", "becaus"})
_AGREEING = 2
"""Signs, of three, that a denial of the evidence is about the claim."""
_MOST = 0.3
"""Share of a claim above which a clause that denies is about the same."""


def denial_faults(case: Case) -> Iterator[Fault]:
    """Words denied on one side only; at most one fault, the first found."""
    claimed, told = list(denials(case.claim)), list(denials(case.passage))
    if (len(claimed) - len(_about(case, told))) % 2 == 1:
        own = (_own_denial(case, at, targets, told) for at, targets in claimed)
        fault = next((one for one in own if one is not None), None)
        if fault is not None:
            yield fault
            return
    if case.cover < RELATED:
        return
    yield from [*_lost_denial(case, claimed, told), *_verb_denials(case, claimed, told)][:1]


def _inside(case: Case, told: Sequence[Denial]) -> list[Denial]:
    """Denials of the best sentence among those of the passage."""
    first, last = case.sentence.words.starts[0], case.sentence.words.starts[-1]
    return [one for one in told if first <= case.passage.words.starts[one[0]] <= last]


def _about(case: Case, told: Sequence[Denial]) -> list[Denial]:
    """Denials of the best sentence that deny a word of the claim, or have one in their clause."""
    theirs = case.passage.words.stems
    return [
        one
        for one in _inside(case, told)
        if any(theirs[place] in case.weights for place in _clause(case.passage, one[0]))
    ]


def _own_denial(
    case: Case, at: int, targets: Sequence[int], told: Sequence[Denial]
) -> Fault | None:
    """A denial of the claim that the passage does not make."""
    stems = case.claim.words.stems
    shared = [stems[place] for place in targets[:1] if stems[place] in case.passage.words.stems]
    denied = _denied_there_too(case, told)
    if not shared and not (_inside(case, told) or _implied(case.sentence)):
        return Fault(GapKind.NEGATION, at, at, "negation not in evidence")
    if not shared or shared[0] in denied or case.nearby < NEARBY:
        return None
    elsewhere = shared[0] not in case.sentence.words.stems
    if _denied_nearby(case.passage, shared[0]) or (elsewhere and _implied(case.sentence)):
        return None
    return Fault(GapKind.NEGATION, at, at, "negation differs", turned=True)


def _lost_denial(case: Case, claimed: Sequence[Denial], told: Sequence[Denial]) -> Iterator[Fault]:
    """Denials of the passage whose words the claim has undenied."""
    mine, theirs = case.claim.words.stems, case.passage.words.stems
    denied = {mine[place] for _, places in claimed for place in places}
    plain = {theirs[at] for at in range(len(theirs))} - {
        theirs[place] for _, places in told for place in places
    }
    if claimed or any(one in DENYING and one not in theirs for one in mine):
        return
    inside = _inside(case, told)
    for at, targets in told:
        clause = [theirs[place] for place in _clause(case.passage, at)]
        shared = [one for one in dict.fromkeys(clause) if one in case.weights and one not in denied]
        first = theirs[targets[0]] if targets else ""
        met = first in shared and first not in plain
        near = (at, targets) in inside
        much = len(shared) > 1 and _mostly(case, shared)
        if sum((met, near, much)) >= _AGREEING:
            there = mine.index(first if met else shared[-1])
            source = case.passage.written(at)
            reason = "negation differs"
            yield Fault(GapKind.NEGATION, there, there - 1, reason, source, turned=True)


def _verb_denials(case: Case, claimed: Sequence[Denial], told: Sequence[Denial]) -> Iterator[Fault]:
    """`Failed to`, `refused`, `prevented` on one side, and nothing that denies on the other."""
    mine, theirs = case.claim.words.stems, case.sentence.words.stems
    if claimed or _inside(case, told):
        return
    if not _implied(case.sentence):
        for at, one in enumerate(mine):
            if one in DENYING_VERBS and one not in case.passage.words.stems:
                yield Fault(GapKind.NEGATION, at, at, "negation differs", turned=True)
    if not _implied(case.claim):
        for place, one in enumerate(theirs):
            after = next((s for s in theirs[place + 1 : place + 3] if s in case.weights), None)
            if case.cover >= CLOSE and one in DENYING_VERBS and after is not None:
                at, source = mine.index(after), case.sentence.written(place)
                yield Fault(GapKind.NEGATION, at, at - 1, "negation differs", source, turned=True)


def _clause(side: Side, at: int) -> range:
    """Words of the clause around a place, between stops and joining words."""
    stems = side.words.stems
    first = last = at
    while first > 0 and first not in side.breaks and stems[first] not in _JOINING:
        first -= 1
    while last + 1 < len(stems) and last + 1 not in side.breaks and stems[last + 1] not in _JOINING:
        last += 1
    return range(first, last + 1)


def _mostly(case: Case, shared: Sequence[str]) -> bool:
    """Whether shared words make up most of what the claim says."""
    return sum(case.weights[one] for one in shared) >= _MOST * sum(case.weights.values())


def _denied_there_too(case: Case, told: Sequence[Denial]) -> set[str]:
    """Stems denied in the best sentence, and those denied in its neighbours that it lacks."""
    theirs, words = case.passage.words.stems, case.passage.words
    first, last = case.sentence.words.starts[0], case.sentence.words.starts[-1]
    return {
        theirs[place]
        for _, places in told
        for place in places
        if first <= words.starts[place] <= last or theirs[place] not in case.sentence.words.stems
    }


def _implied(side: Side) -> bool:
    return any(one in DENYING for one in side.words.stems)


def _denied_nearby(side: Side, one: str) -> bool:
    """Whether a word stands close to one that denies in other words."""
    stems = side.words.stems
    return any(
        DENYING.intersection(stems[max(0, at - 4) : at + 5])
        for at, s in enumerate(stems)
        if s == one
    )
