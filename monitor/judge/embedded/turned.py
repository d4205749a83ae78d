"""Faults by which a claim says the contrary: opposites, and comparisons turned round."""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher

from monitor.domain.claim import GapKind
from monitor.judge.embedded.denied import ORDINARY, denials
from monitor.judge.embedded.faults import CLOSE, NEARBY, RELATED, Case, Fault
from monitor.judge.embedded.word_lists import DENYING, NEGATORS, SYNONYMS, TURNING, contraries
from monitor.judge.embedded.words import is_number

_CONTEXT = 4


def opposite_faults(case: Case) -> Iterator[Fault]:
    """Words of the claim that the sentence lacks while it has their opposite."""
    mine, theirs = case.claim.words.stems, case.sentence.words.stems
    have = frozenset(mine)
    near = frozenset(case.passage.words.stems)
    if case.cover < RELATED and case.nearby < NEARBY:
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
    if case.cover >= CLOSE:
        return True
    mine = case.claim.words.stems[max(0, at - _CONTEXT) : at + _CONTEXT + 1]
    theirs = case.sentence.words.stems[max(0, place - _CONTEXT) : place + _CONTEXT + 1]
    return any(one in theirs for one in mine if one not in ORDINARY)


def _denied_here(case: Case, at: int) -> bool:
    return any(at in places for _, places in denials(case.claim))


def _denied_there(case: Case, place: int) -> bool:
    return any(place in places for _, places in denials(case.sentence))


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
    return frozenset(one for one in part if one not in ORDINARY and one not in TURNING)


def _span(stems: Sequence[str], at: int) -> tuple[frozenset[str], frozenset[str]]:
    """Words behind `from`, and behind the `to` that follows it."""
    end = next((p for p in range(at + 1, min(len(stems), at + 7)) if stems[p] == "to"), None)
    if end is None:
        return frozenset(), frozenset()
    first = frozenset(s for s in stems[at + 1 : end] if s not in ORDINARY)
    last = frozenset(s for s in stems[end + 1 : end + end - at] if s not in ORDINARY)
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
        old = [one for one in theirs[start:end] if one not in ORDINARY]
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
