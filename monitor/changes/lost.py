"""Required sources that an engine stopped citing, prompt by prompt.

Most required sources belong to one prompt, where no test can tell three answers without from three
with. So only what looked certain counts as lost: every earlier answer cited it, and none does now.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from monitor.domain.sample import Sample

LEAST_NOW = 2
"""Answers of the later run that must tell; with one answer anything may be missing."""

_Key = tuple[str, str, str]
"""Prompt version, prompt id, source."""


@dataclass(frozen=True, slots=True)
class Lost:
    """One required source that is cited no more for one prompt."""

    prompt_id: str
    source: str
    cited: int
    """Earlier answers, all of which cited it."""
    captures: tuple[int, ...]
    """Answers of the later run, none of which does."""


def lost_sources(earlier: Iterable[Sample], after: Sample, *, least: int) -> Iterator[Lost]:
    """Sources that all of at least `least` earlier answers cited, and no later one.

    An answer that leaves it open, for example by a citation nobody could resolve, forbids both.
    """
    now = _cited(after)
    before: dict[_Key, list[float | None]] = {}
    for sample in earlier:
        for key, answers in _cited(sample).items():
            before.setdefault(key, []).extend(answers.values())
    for key in sorted(now.keys() & before.keys()):
        then, told = before[key], now[key]
        if len(then) < least or any(cited != 1 for cited in then):
            continue
        if len(told) >= LEAST_NOW and all(cited == 0 for cited in told.values()):
            yield Lost(key[1], key[2], len(then), tuple(told))


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
