"""Required sources that an engine stopped citing, prompt by prompt.

Most required sources belong to one prompt, where three answers without one after three with it are
no news. So only what looked certain is told: every answer of the runs before cited it, none of the
last two runs does, and chance would not do that to any of the sources so watched.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import comb

from monitor.domain.sample import Sample

_Key = tuple[str, str, str]
"""Prompt version, prompt id, source."""


@dataclass(frozen=True, slots=True)
class Lost:
    """One required source that is cited no more for one prompt."""

    prompt_id: str
    source: str
    cited: int
    """Answers of the runs before, all of which cited it."""
    missing: int
    """Answers of the last two runs, none of which does."""
    captures: tuple[int, ...]
    """Those of them that the last run gave."""
    p_value: float
    """After Bonferroni over all sources that every answer before cited."""


def lost_sources(earlier: Sequence[Sample], after: Sample, *, level: float) -> tuple[Lost, ...]:
    """Sources that all answers before cited, and none of the last two runs; p at most `level`.

    `earlier` is oldest first; the last of it is the run before. Were nothing changed, every order
    of the answers would be as likely: b with it and then n without are one in C(b + n, n) (Fisher
    1935). An answer that leaves it open, for example by a citation nobody could resolve, forbids
    the finding.
    """
    if len(earlier) < 2:
        return ()
    before = _gathered(earlier[:-1])
    recent, now = _gathered((earlier[-1], after)), _cited(after)
    watched = [
        key
        for key in sorted(before.keys() & recent.keys() & now.keys())
        if all(cited == 1 for cited in before[key])
    ]
    found = []
    for key in watched:
        b, n = len(before[key]), len(recent[key])
        p = min(1.0, len(watched) / comb(b + n, n))
        if p <= level and all(cited == 0 for cited in recent[key]):
            found.append(Lost(key[1], key[2], b, n, tuple(now[key]), p))
    return tuple(found)


def is_lost(sample: Sample, prompt_id: str, source: str) -> bool | None:
    """Whether no answer of a sample cites a source; None where its answers do not tell."""
    told = [
        cited
        for key, answers in _cited(sample).items()
        if key[1:] == (prompt_id, source)
        for cited in answers.values()
        if cited is not None
    ]
    return None if not told else not any(told)


def _gathered(samples: Iterable[Sample]) -> Mapping[_Key, list[float | None]]:
    """Source -> what every answer of several runs says of it."""
    found: dict[_Key, list[float | None]] = {}
    for sample in samples:
        for key, answers in _cited(sample).items():
            found.setdefault(key, []).extend(answers.values())
    return found


def _cited(sample: Sample) -> Mapping[_Key, dict[int, float | None]]:
    """Source -> answer -> 1 where it is cited, 0 where not, None where that is open."""
    found: dict[_Key, dict[int, float | None]] = {}
    for capture_id, tally in sample.tallies.items():
        if not tally.answered:
            continue
        version = sample.versions[capture_id]
        for source, rate in tally.required.items():
            found.setdefault((version, tally.prompt_id, source), {})[capture_id] = rate.value
    return found
