"""Matched panel of two samples: which prompts are compared, and which are left out and why."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from monitor.domain.change import LeftOut, LeftOutReason
from monitor.domain.score import Tally

PromptKey = Callable[[Tally], str]
RunKey = Callable[[Tally], str]
Grouped = Mapping[str, tuple[Tally, ...]]


def prompt_id(tally: Tally) -> str:
    """Prompt id of a tally: the key of callers that already dropped edited prompts."""
    return tally.prompt_id


def one_run(_tally: Tally) -> str:
    """The key of callers whose samples are of one run each."""
    return ""


@dataclass(frozen=True, slots=True)
class Matched:
    """Answered captures of both samples for the prompts that can be compared, prompts sorted."""

    prompts: tuple[str, ...]
    before: tuple[tuple[Tally, ...], ...]
    after: tuple[tuple[Tally, ...], ...]


def grouped(tallies: Iterable[Tally], key: PromptKey) -> Grouped:
    """Tallies per prompt key, answered or not."""
    groups: dict[str, list[Tally]] = {}
    for tally in tallies:
        groups.setdefault(key(tally), []).append(tally)
    return {name: tuple(parts) for name, parts in groups.items()}


def match(before: Grouped, after: Grouped) -> Matched:
    """Prompts with at least one answered capture in both samples."""
    shared = sorted(before.keys() & after.keys())
    pairs = ((p, _answered(before[p]), _answered(after[p])) for p in shared)
    kept = [pair for pair in pairs if pair[1] and pair[2]]
    return Matched(
        tuple(p for p, _, _ in kept), tuple(a for _, a, _ in kept), tuple(b for _, _, b in kept)
    )


def _answered(tallies: tuple[Tally, ...]) -> tuple[Tally, ...]:
    """Captures that were answered."""
    return tuple(tally for tally in tallies if tally.answered)


def left_out(
    before: Mapping[str, str], after: Mapping[str, str], matched: Collection[str]
) -> tuple[LeftOut, ...]:
    """Prompts of either sample that were not matched and why; both map prompt ids to versions."""
    names = _first_new(before, after), _first_new(after, before)
    found = []
    for prompt in (before.keys() | after.keys()) - set(matched):
        if prompt in before and prompt in after:
            edited = before[prompt] != after[prompt]
            reason = LeftOutReason.EDITED if edited else LeftOutReason.UNANSWERED
            found.append(LeftOut(prompt, reason))
        elif prompt in before and before[prompt] in names[0]:
            found.append(LeftOut(prompt, LeftOutReason.RENAMED, names[0][before[prompt]]))
        elif prompt in before:
            found.append(LeftOut(prompt, LeftOutReason.ONLY_BEFORE))
        elif after[prompt] not in names[1]:
            found.append(LeftOut(prompt, LeftOutReason.ONLY_AFTER))
    order = {reason: place for place, reason in enumerate(LeftOutReason)}
    return tuple(sorted(found, key=lambda one: (order[one.reason], one.prompt_id)))


def _first_new(here: Mapping[str, str], there: Mapping[str, str]) -> dict[str, str]:
    """Version -> first prompt id in order that only the other side gives it."""
    new = sorted(there.keys() - here.keys(), reverse=True)
    return {there[name]: name for name in new}
