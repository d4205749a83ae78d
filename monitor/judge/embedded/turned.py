"""Faults by which a claim says the contrary: denials, opposites, comparisons turned round."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from monitor.domain.claim import GapKind
from monitor.judge.embedded.faults import Case, Fault, Side
from monitor.judge.embedded.turns import (
    DENYING,
    DENYING_VERBS,
    NEGATORS,
    SYNONYMS,
    TURNING,
    contraries,
)
from monitor.judge.embedded.words import FUNCTION_WORDS, is_number, stem

_JOINING = frozenset({"and", "but", "which", "though", "although", "becaus"})
_SCOPE = 5
"""Words behind a denial that it may deny."""
_RELATED = 0.45
"""Cover of the best sentence below which words that differ say nothing."""
_NEARBY = 0.6
"""Cover of the passage below which a denial of the claim may be about something else."""
_CLOSE = 0.6
_AGREEING = 2
"""Signs, of three, that a denial of the evidence is about the claim."""
_MOST = 0.3
"""Share of a claim above which a clause that denies is about the same."""
_CONTEXT = 4
_ONLY = frozenset({stem("only"), stem("just"), stem("mere"), stem("merely"), stem("least")})
_LIMITS = frozenset(
    map(stem, ("more", "less", "fewer", "later", "longer", "earlier", "higher", "lower", "exceed"))
)
_ORDINARY = FUNCTION_WORDS - set(map(stem, ("go", "come", "make", "take")))


def denial_faults(case: Case) -> Iterator[Fault]:
    """Words denied on one side only; at most one fault, the first found."""
    claimed, told = list(_denials(case.claim)), list(_denials(case.passage))
    if (len(claimed) - len(_about(case, told))) % 2 == 1:
        own = (_own_denial(case, at, targets, told) for at, targets in claimed)
        fault = next((one for one in own if one is not None), None)
        if fault is not None:
            yield fault
            return
    if case.cover < _RELATED:
        return
    yield from [*_lost_denial(case, claimed, told), *_verb_denials(case, claimed, told)][:1]


_Denial = tuple[int, tuple[int, ...]]


def _inside(case: Case, told: Sequence[_Denial]) -> list[_Denial]:
    """Denials of the best sentence among those of the passage."""
    first, last = case.sentence.words.starts[0], case.sentence.words.starts[-1]
    return [one for one in told if first <= case.passage.words.starts[one[0]] <= last]


def _about(case: Case, told: Sequence[_Denial]) -> list[_Denial]:
    """Denials of the best sentence that deny a word of the claim, or have one in their clause."""
    theirs = case.passage.words.stems
    return [
        one
        for one in _inside(case, told)
        if any(theirs[place] in case.weights for place in _clause(case.passage, one[0]))
    ]


def _denials(side: Side) -> Iterator[_Denial]:
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
        if "than" in after and _LIMITS.intersection(after):
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
            stems[place] not in _ORDINARY
            and stems[place] != "longer"
            and stems[place] not in NEGATORS
        ):
            behind.append(place)
    if behind:
        return tuple(behind)
    before: list[int] = []
    for place in range(at - 1, max(-1, at - 1 - _SCOPE), -1):
        if stems[place] not in _ORDINARY:
            before.append(place)
        if place in side.breaks:
            break
    return tuple(before)


def _own_denial(
    case: Case, at: int, targets: Sequence[int], told: Sequence[_Denial]
) -> Fault | None:
    """A denial of the claim that the passage does not make."""
    stems = case.claim.words.stems
    shared = [stems[place] for place in targets[:1] if stems[place] in case.passage.words.stems]
    denied = _denied_there_too(case, told)
    if not shared and not (_inside(case, told) or _implied(case.sentence)):
        return Fault(GapKind.NEGATION, at, at, "negation not in evidence")
    if not shared or shared[0] in denied or case.nearby < _NEARBY:
        return None
    elsewhere = shared[0] not in case.sentence.words.stems
    if _denied_nearby(case.passage, shared[0]) or (elsewhere and _implied(case.sentence)):
        return None
    return Fault(GapKind.NEGATION, at, at, "negation differs", turned=True)


def _lost_denial(
    case: Case, claimed: Sequence[_Denial], told: Sequence[_Denial]
) -> Iterator[Fault]:
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


def _verb_denials(
    case: Case, claimed: Sequence[_Denial], told: Sequence[_Denial]
) -> Iterator[Fault]:
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
            if case.cover >= _CLOSE and one in DENYING_VERBS and after is not None:
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


def _denied_there_too(case: Case, told: Sequence[_Denial]) -> set[str]:
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


def opposite_faults(case: Case) -> Iterator[Fault]:
    """Words of the claim that the sentence lacks while it has their opposite."""
    mine, theirs = case.claim.words.stems, case.sentence.words.stems
    have = frozenset(mine)
    near = frozenset(case.passage.words.stems)
    if case.cover < _RELATED and case.nearby < _NEARBY:
        return
    for at, one in enumerate(mine):
        if one in near or is_number(one):
            continue
        against = contraries(one)
        if against.isdisjoint(theirs):
            continue
        rivals = [
            place for place, other in enumerate(theirs) if other in against and other not in have
        ]
        met = next((place for place in rivals if _same_place(case, at, place)), None)
        if met is None or _denied_here(case, at) != _denied_there(case, met):
            continue
        kind = GapKind.DIRECTION if theirs[met] in TURNING.get(one, ()) else GapKind.OPPOSITE
        written = case.sentence.written(met)
        reason = f"opposites: {case.claim.written(at)} / {written}"
        yield Fault(kind, at, at, reason, written, turned=True, firm=True)


def _same_place(case: Case, at: int, place: int) -> bool:
    """Whether two words stand among the same words, or their sentences say nearly the same."""
    if case.cover >= _CLOSE:
        return True
    mine = case.claim.words.stems[max(0, at - _CONTEXT) : at + _CONTEXT + 1]
    theirs = case.sentence.words.stems[max(0, place - _CONTEXT) : place + _CONTEXT + 1]
    return any(one in theirs for one in mine if one not in _ORDINARY)


def _denied_here(case: Case, at: int) -> bool:
    return any(at in places for _, places in _denials(case.claim))


def _denied_there(case: Case, place: int) -> bool:
    return any(place in places for _, places in _denials(case.sentence))


def turned_faults(case: Case) -> Iterator[Fault]:
    """Comparisons with both sides changed over, and names or spans in the opposite order."""
    for word, near in (("than", 5), ("from", 0)):
        yield from list(_changed_over(case, word, near))[:1]


def _changed_over(case: Case, word: str, near: int) -> Iterator[Fault]:
    """`A more than B` against `B more than A`; `from 2 to 3` against `from 3 to 2`."""
    mine, theirs = case.claim.words.stems, case.sentence.words.stems
    if word not in mine or word not in theirs:
        return
    at, place = mine.index(word), theirs.index(word)
    if near:
        left, right = _around(mine, at), _around(mine, at, right=True)
        other_left, other_right = _around(theirs, place), _around(theirs, place, right=True)
    else:
        left, right = _span(mine, at)
        other_left, other_right = _span(theirs, place)
    crossed = left & other_right - other_left and right & other_left - other_right
    if crossed and not right & other_right:
        reason = "comparison turned round"
        yield Fault(
            GapKind.DIRECTION, at, at, reason, case.sentence.written(place), turned=True, firm=True
        )


def _around(stems: Sequence[str], at: int, *, right: bool = False) -> frozenset[str]:
    part = stems[at + 1 : at + 7] if right else stems[max(0, at - 9) : at]
    return frozenset(one for one in part if one not in _ORDINARY and one not in TURNING)


def _span(stems: Sequence[str], at: int) -> tuple[frozenset[str], frozenset[str]]:
    """Words behind `from`, and behind the `to` that follows it."""
    end = next((p for p in range(at + 1, min(len(stems), at + 7)) if stems[p] == "to"), None)
    if end is None:
        return frozenset(), frozenset()
    first = frozenset(s for s in stems[at + 1 : end] if s not in _ORDINARY)
    last = frozenset(s for s in stems[end + 1 : end + end - at] if s not in _ORDINARY)
    return first, last


_LONGEST_SWAP = 3
_FOLLOWED = 0.7
"""Share of a claim's words in the order of the sentence from which it counts as following it."""
_TURNING_WORDS = NEGATORS | DENYING


def replaced_faults(case: Case) -> Iterator[Fault]:
    """Words that stand, in a claim that follows the sentence, where it has others."""
    mine, theirs = case.claim.words.stems, case.sentence.words.stems
    have = frozenset(theirs)
    if sum(one in have for one in mine) < _FOLLOWED * len(mine):
        return
    steps = SequenceMatcher(None, mine, theirs, autojunk=False).get_opcodes()
    same = sum(last - first for step, first, last, _, _ in steps if step == "equal")
    if same < _FOLLOWED * len(mine):
        return
    for place, (step, first, last, start, end) in enumerate(steps):
        if step != "replace" or max(last - first, end - start) > _LONGEST_SWAP:
            continue
        beside = [steps[n] for n in (place - 1, place + 1) if 0 <= n < len(steps)]
        firm = all(one[0] == "equal" for one in beside)
        new = [s for s in mine[first:last] if s in case.weights and s not in _TURNING_WORDS]
        old = [one for one in theirs[start:end] if one not in _ORDINARY]
        if any(is_number(one) for one in (*mine[first:last], *theirs[start:end])):
            continue
        if not firm or not new or not old or set(new) & set(case.passage.words.stems):
            continue
        if any(frozenset({a, b}) in SYNONYMS for a in new for b in old):
            continue
        source = case.sentence.written(start, end - 1)
        reason = f"differs: {case.claim.written(first, last - 1)} / {source}"
        named = any(one in case.claim.words.names for one in new)
        yield Fault(GapKind.NAME if named else GapKind.MISSING, first, last - 1, reason, source)
