"""Faults by which a claim says more than its evidence: hedges lost, scopes widened, parts added."""

from collections.abc import Iterator

from monitor.domain.claim import GapKind
from monitor.judge.embedded.faults import RELATED, Case, Fault, Side
from monitor.judge.embedded.word_lists import (
    ALLOWING,
    CONDITIONS,
    HEDGES,
    KEEPING_CONDITIONS,
    SWEEPING,
    SWEEPING_ALIKE,
)
from monitor.judge.embedded.words import is_number, stem

_COVERED = 0.6
_LOST = 0.15
"""Cover of a clause below which it is not borne out."""
_UPPER = frozenset(stem(one) for one in ["under", "below", "most", "maximum", "within"])
_FEWER = frozenset({"less", "few", "fewer"})
_LOWER = frozenset(stem(one) for one in ["over", "above", "least", "minimum", "exceed"])
_RISING = frozenset(stem(one) for one in ["go", "rise", "raise", "grow", "climb", "increase"])
_ALIKE = 0.6
"""Cover of the passage below which a limit before the same number may be one of something else."""
_SHORTEST = 3
"""Content words of a clause that stands on its own."""
_JOINS = frozenset({"and", "which", "but", "whil", "becaus", "wher", "who"})
_NOT_ALL = frozenset({"of", "after", "abov", "at", "not", "first"})
"""Words before `all` that make it an idiom: `most of all`, `after all`, `at all`."""


def hedge_faults(case: Case) -> Iterator[Fault]:
    """The first hedge of the sentence just before shared words, when the claim has none."""
    if case.cover < RELATED or any(one in ALLOWING for one in case.claim.words.stems):
        return
    stems = case.sentence.words.stems
    for place, one in enumerate(stems):
        if one not in HEDGES or _is_month(case.sentence, place):
            continue
        shared = next((s for s in stems[place + 1 : place + 5] if s in case.weights), None)
        if shared is not None:
            at = case.claim.words.stems.index(shared)
            written = case.sentence.written(place)
            yield Fault(GapKind.HEDGE_LOST, at, at - 1, f"qualifier lost: {written}", written)
            return


def _is_month(side: Side, place: int) -> bool:
    return side.words.stems[place] == "may" and side.written(place)[0].isupper() and place > 0


def sweeping_faults(case: Case) -> Iterator[Fault]:
    """Sweeping words of the claim that the passage has nothing like."""
    stems = case.claim.words.stems
    there = frozenset(case.passage.words.stems)
    for at, one in enumerate(stems):
        if one not in SWEEPING or there & SWEEPING_ALIKE[one]:
            continue
        if one == "all" and at and stems[at - 1] in _NOT_ALL:
            continue
        written = case.claim.written(at)
        yield Fault(GapKind.SCOPE_WIDENED, at, at, f"qualifier added: {written}")


def condition_faults(case: Case) -> Iterator[Fault]:
    """A condition or an exception of the sentence that the claim leaves out."""
    if any(one in KEEPING_CONDITIONS for one in case.claim.words.stems):
        return
    stems = case.sentence.words.stems
    for place, one in enumerate(stems):
        if one not in CONDITIONS:
            continue
        end = next(
            (p for p in range(place + 1, len(stems)) if p in case.sentence.breaks), len(stems)
        )
        inside = [s for s in stems[place + 1 : end] if s in case.weights]
        outside = {s for s in (*stems[:place], *stems[end:]) if s in case.weights}
        held = sum(case.weights[s] for s in outside) / sum(case.weights.values())
        if not inside and held >= _COVERED and end - place > 1:
            written = case.sentence.written(place, end - 1)
            last = len(case.claim.words.stems)
            yield Fault(
                GapKind.SCOPE_WIDENED, last, last - 1, f"condition lost: {written}", written
            )
            return


def bound_faults(case: Case) -> Iterator[Fault]:
    """`At least` for `at most` before the same number."""
    theirs = case.passage.words.stems
    if case.nearby < _ALIKE:
        return
    for at, one in enumerate(case.claim.words.stems):
        mine = _bound(case.claim, at) if is_number(one) else 0
        if not mine or one not in theirs:
            continue
        others = {_bound(case.passage, place) for place, two in enumerate(theirs) if two == one}
        if others == {-mine}:
            place = theirs.index(one)
            first = max(0, place - 3)
            reason = f"limit turned round before {case.claim.written(at)}"
            yield Fault(
                GapKind.DIRECTION,
                at,
                at,
                reason,
                case.passage.written(first, place),
                turned=True,
                firm=True,
            )


def _bound(side: Side, at: int) -> int:
    """1 for a lower limit before a number, -1 for an upper one, 0 for none."""
    stems = side.words.stems
    found = 0
    for place in range(max(0, at - 3), at):
        one = stems[place]
        if one in _LOWER or (one == "more" and stems[place + 1] == "than"):
            found = 1
        elif (
            one in _UPPER
            or (one in _FEWER and stems[place + 1] == "than")
            or ((one, stems[place + 1]) == ("up", "to") and _RISING.isdisjoint(stems[:place]))
        ):
            found = -1
        else:
            continue
        if {"no", "not"}.intersection(stems[max(0, place - 1) : place]):
            found = -found
    return found


def clause_faults(case: Case) -> Iterator[Fault]:
    """Clauses of the claim that the passage does not bear out while it does the rest."""
    clauses = list(_clauses(case.claim))
    if len(clauses) < 2:
        return
    near = frozenset(case.passage.words.stems)
    covers = [_cover(case, clause, near) for clause in clauses]
    best = max((cover for cover in covers if cover is not None), default=0.0)
    for (first, last), cover in zip(clauses, covers, strict=True):
        if cover is not None and cover <= _LOST and best >= _COVERED:
            written = case.claim.written(first, last)
            yield Fault(GapKind.MISSING, first, last, f"not in evidence: {written}")


def _clauses(side: Side) -> Iterator[tuple[int, int]]:
    """First and last word of each clause: parts between stops, and behind joining words."""
    first = 0
    count = len(side.words.stems)
    for at in range(1, count):
        joined = side.words.stems[at] in _JOINS and (at in side.breaks or count - at >= 4)
        if at in side.breaks or joined:
            yield first, at - 1
            first = at
    yield first, count - 1


def _cover(case: Case, clause: tuple[int, int], near: frozenset[str]) -> float | None:
    """Cover of a clause by the passage; None where it has fewer than three content words."""
    stems = case.claim.words.stems[clause[0] : clause[1] + 1]
    content = {one for one in stems if one in case.weights}
    if len(content) < _SHORTEST:
        return None
    total = sum(case.weights[one] for one in content)
    return sum(case.weights[one] for one in content if one in near) / total
