"""Faults of fact: numbers, dates, units and names that the evidence does not have there."""

from collections.abc import Iterator, Sequence

from monitor.domain.claim import GapKind
from monitor.judge.embedded.compare import Comparison
from monitor.judge.embedded.faults import Case, Fault, Side, runs
from monitor.judge.embedded.numbers import WrongNumber, is_year
from monitor.judge.embedded.units import other_amounts, wrong_units
from monitor.judge.embedded.words import is_number, is_wide, stem

_MATCHED = 0.75
_ALIKE = 0.5
"""Cover of the best sentence above which a name from elsewhere in the evidence is out of place."""
_MONTHS = tuple(
    map(
        stem,
        ("january", "february", "march", "april", "may", "june",
         "july", "august", "september", "october", "november", "december"),
    )
)  # fmt: skip
_DAYS = tuple(
    map(
        stem,
        ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"),
    )
)
_BEFORE_MONTHS = frozenset(
    {"in", "on", "of", "since", "until", "till", "by", "from", "to", "between", "mid", "and",
     "early", "late", "through", "before", "after", "last", "next", "end", "begin", "for", "or"}
)  # fmt: skip
_CARRYING = frozenset(
    {"it", "its", "they", "their", "he", "she", "his", "her", "this", "thes", "both"}
)
"""Words by which a sentence goes on about the subject of the one before."""
_SHOWN = 4


def number_faults(case: Case, found: Comparison) -> Iterator[Fault]:
    """Numbers that are absent, far from the rest, or in the place of another one."""
    only_numbers = all(is_number(one) for one in found.missing)
    matched = only_numbers and found.worded_cover >= _MATCHED
    for wrong in found.numbers.wrong:
        yield _wrong_number(case, wrong, matched=matched)


def _wrong_number(case: Case, wrong: WrongNumber, *, matched: bool) -> Fault:
    written = case.claim.words.stems[wrong.at][1:]
    rival = None if wrong.rival is None else case.sentence.written(wrong.rival)
    said = {
        "absent": f"number {written} not in evidence",
        "far": f"number {written} not beside the rest",
        "displaced": f"number {written} stands elsewhere",
    }[wrong.how]
    turned = matched and rival is not None
    if turned:
        said = f"number {written} against {case.sentence.words.stems[wrong.rival or 0][1:]}"
    kind = GapKind.DATE if _dated(case.claim, wrong.at) else GapKind.NUMBER
    return Fault(kind, wrong.at, wrong.at, said, rival, turned=turned, firm=turned)


def _dated(side: Side, at: int) -> bool:
    """Whether a number is a year or stands beside a month."""
    stems = side.words.stems
    beside = stems[max(0, at - 1) : at] + stems[at + 1 : at + 2]
    behind = stems[at + 1 : at + 3]
    if any(one in _MONTHS for one in beside) or (behind[:1] == ("of",) and behind[-1] in _MONTHS):
        return True
    digits = side.text[side.words.starts[at] : side.words.ends[at]]
    return is_year(stems[at]) and digits.isdigit()


def date_faults(case: Case) -> Iterator[Fault]:
    """Months and weekdays of the claim where the passage has only others."""
    for names in (_MONTHS, _DAYS):
        there = {case.passage.words.stems[at]: at for at in _named(case.passage, names)}
        for at in _named(case.claim, names):
            own = case.claim.words.stems[at]
            if there and own not in there:
                other = case.passage.written(min(there.values()))
                reason = f"date differs: {case.claim.written(at)} against {other}"
                turned = case.cover >= _ALIKE
                yield Fault(GapKind.DATE, at, at, reason, other, turned=turned, firm=True)


def _named(side: Side, names: Sequence[str]) -> Iterator[int]:
    """Places of capitalised months or days; `May` and `March` need a date word before them."""
    stems = side.words.stems
    for at, one in enumerate(stems):
        if one not in names or not side.text[side.words.starts[at]].isupper():
            continue
        near = stems[max(0, at - 1) : at] + stems[at + 1 : at + 2]
        dated = any(is_number(other) for other in near) or bool(
            _BEFORE_MONTHS.intersection(near[:1])
        )
        if dated or (one not in {stem("may"), stem("march")} and at > 0):
            yield at


def unit_faults(case: Case, found: Comparison) -> Iterator[Fault]:
    """Units that the passage has in another kind only, for the same number."""
    for wrong in wrong_units(case.claim.words, found.best.passage):
        other = found.best.passage[wrong.sentence].words
        start, end = other.starts[wrong.place], other.ends[wrong.place]
        source = case.passage.text[start:end]
        reason = f"unit differs: {wrong.number} {wrong.unit} / {source}"
        yield Fault(GapKind.UNIT, wrong.at, wrong.at, reason, source, firm=True)


def amount_faults(case: Case, found: Comparison) -> Iterator[Fault]:
    """Amounts whose number the passage has, but for something else."""
    for wrong in other_amounts(case.claim.words, found.best.passage):
        other = found.best.passage[wrong.sentence].words
        source = case.passage.text[other.starts[wrong.place] : other.ends[wrong.place]]
        reason = f"number {wrong.number} is not that of {wrong.unit}: {source}"
        yield Fault(GapKind.NUMBER, wrong.at, wrong.at, reason, source, firm=True)


def name_faults(case: Case, found: Comparison) -> Iterator[Fault]:
    """Names that no evidence has, and names taken from another sentence."""
    stems = case.claim.words.stems
    absent = [at for at, one in enumerate(stems) if one in found.missing_names]
    if 1 in absent and _capital(case.claim, 0) and stems[0] in found.missing:
        absent.insert(0, 0)
    rivals = _rival_names(case)
    for first, last in runs(absent):
        reason = f"name not in evidence: {case.claim.written(first, last)}"
        yield Fault(GapKind.NAME, first, last, reason, _only(rivals, case.sentence))
    if case.cover < _ALIKE or not (rivals or case.cover >= _MATCHED):
        return
    if case.sentence.words.stems[0] in _CARRYING:
        return
    for at, one in enumerate(stems):
        if one in found.far_names:
            reason = f"name not beside the rest: {case.claim.written(at)}"
            yield Fault(GapKind.NAME, at, at, reason, _only(rivals, case.sentence))


def _capital(side: Side, at: int) -> bool:
    return side.text[side.words.starts[at]].isupper()


def _rival_names(case: Case) -> list[int]:
    """Places of names of the best sentence that the claim does not have."""
    words = case.sentence.words
    mine = frozenset(case.claim.words.stems)
    return [
        at
        for at, one in enumerate(words.stems)
        if one in words.names and one not in mine and not is_number(one) and one not in _MONTHS
    ]


def _only(rivals: Sequence[int], sentence: Side) -> str | None:
    """The sentence's own name where there is just one run of them."""
    found = list(runs(rivals))
    return sentence.written(*found[0]) if len(found) == 1 else None


def wide_faults(case: Case, found: Comparison) -> Iterator[Fault]:
    """Character pairs of a script without spaces that the passage lacks."""
    stems = case.claim.words.stems
    places = [at for at, one in enumerate(stems) if is_wide(one) and one in found.missing]
    for first, last in list(runs(places))[:_SHOWN]:
        reason = f"not in evidence: {case.claim.written(first, last)}"
        yield Fault(GapKind.MISSING, first, last, reason, firm=True)
