"""The answers behind a change: those of the prompts that moved most, on both sides.

A share that fell shows in the answers that no longer cite a family and in those that did; a list of
answers that still cite it would hide what happened.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import fmean

from monitor.domain.alert import AnswerRef
from monitor.domain.sample import Sample
from monitor.domain.score import Rate, Tally

Value = Callable[[Tally], float | None]
"""An answer's own value of what changed; None where it says nothing of it."""

_Side = Mapping[str, Mapping[int, float]]
"""Prompt version -> capture -> value."""


def share_in(family: str) -> Value:
    """Part of an answer's visible citations that go to a family; 0 where it cites nothing."""

    def value(tally: Tally) -> float:
        total = sum(tally.families.values())
        return tally.families.get(family, 0) / total if total else 0.0

    return value


def rate_of(measure: str) -> Value:
    """An answer's own rate of a measure; None where nothing was assessed."""

    def value(tally: Tally) -> float | None:
        rate = tally.measures.get(measure)
        return rate.value if isinstance(rate, Rate) else None

    return value


def answers_behind(
    after: Sample, before: Sequence[Sample], value: Value, *, rose: bool
) -> tuple[AnswerRef, ...]:
    """Answers that made a change, of the prompts that moved its way, most first.

    Those of the later run come first: they lie beyond what their prompt was before. Where a value
    fell, those of the earlier runs follow that lie beyond what their prompt is now.
    """
    now, then = _values((after,), value), _values(before, value)
    moves = {
        prompt: fmean(now[prompt].values()) - fmean(then[prompt].values())
        for prompt in now.keys() & then.keys()
    }
    way = 1 if rose else -1
    moved = [p for p in moves if way * moves[p] > 0]
    order = sorted(moved, key=lambda prompt: (-abs(moves[prompt]), prompt))
    later = [c for p in order for c in _beyond(now[p], fmean(then[p].values()), way)]
    earlier = (
        [] if rose else [c for p in order for c in _beyond(then[p], fmean(now[p].values()), 1)]
    )
    samples = (after, *before)
    return tuple(_ref(samples, capture) for capture in (*later, *earlier))


def _values(samples: Sequence[Sample], value: Value) -> _Side:
    """Every answer's value, by prompt version."""
    found: dict[str, dict[int, float]] = {}
    for sample in samples:
        for capture, tally in sample.tallies.items():
            if tally.answered and (own := value(tally)) is not None:
                found.setdefault(sample.versions[capture], {})[capture] = own
    return found


def _beyond(values: Mapping[int, float], level: float, way: int) -> Iterator[int]:
    """Captures whose value lies beyond a level, above for 1 and below for -1."""
    return (capture for capture, own in values.items() if way * (own - level) > 0)


def _ref(samples: Sequence[Sample], capture: int) -> AnswerRef:
    """One answer by name."""
    sample = next(one for one in samples if capture in one.tallies)
    tally = sample.tallies[capture]
    return AnswerRef(capture, tally.prompt_id, tally.repeat, sample.run_of[capture])
