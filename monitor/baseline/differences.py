"""What two versions of a baseline say differently, in words, prompt by prompt."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from typing import Any

from monitor.domain.baseline import Baseline, BaselineClaim, BaselineSource, PromptBaseline


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that a later version says otherwise."""

    prompt: str
    """Empty for the head of the file."""
    says: str


def baseline_differences(before: Baseline, after: Baseline) -> tuple[Difference, ...]:
    """Every difference between two versions, the head first, then by prompt."""
    found = [Difference("", one) for one in _head(before, after)]
    for prompt_id in dict.fromkeys((*before.prompts, *after.prompts)):
        was, now = before.prompts.get(prompt_id), after.prompts.get(prompt_id)
        if was is None and now is not None:
            counts = f"{len(now.sources)} sources and {len(now.claims)} claims"
            found.append(Difference(prompt_id, f"is new, with {counts}"))
        elif now is None:
            found.append(Difference(prompt_id, "is gone"))
        elif was is not None:
            found += [Difference(prompt_id, one) for one in _prompt(was, now)]
    return tuple(found)


def _head(before: Baseline, after: Baseline) -> Iterator[str]:
    for name, word in (
        ("annotators", "annotators"),
        ("drawn_blind", "drawn blind"),
        ("guideline", "guideline"),
    ):
        was, now = getattr(before, name), getattr(after, name)
        if was != now:
            yield f"{word}: {_shown(was)} before, {_shown(now)} now"
    if (before.frozen_at is None) != (after.frozen_at is None):
        yield "is frozen now" if after.frozen_at else "is a draft now"


def _prompt(was: PromptBaseline, now: PromptBaseline) -> Iterator[str]:
    yield from _sources(was, now)
    yield from _claims(was, now)


def _sources(was: PromptBaseline, now: PromptBaseline) -> Iterator[str]:
    before = {(one.match, one.key): one for one in was.sources}
    after = {(one.match, one.key): one for one in now.sources}
    for key, one in after.items():
        if key not in before:
            yield f"{_named(one)} is new: {one.grade.value.replace('_', ' ')}"
        elif changes := list(_changes(before[key], one, {"key", "match", "url"})):
            yield f"{_named(one)}: {'; '.join(changes)}"
    for key, one in before.items():
        if key not in after:
            yield f"{_named(one)} is gone; it was {one.grade.value.replace('_', ' ')}"


def _claims(was: PromptBaseline, now: PromptBaseline) -> Iterator[str]:
    before = {one.id: one for one in was.claims}
    after = {one.id: one for one in now.claims}
    for claim, one in after.items():
        if claim not in before:
            yield f"claim {claim} is new: {one.text}"
        elif changes := list(_changes(before[claim], one, {"id"})):
            yield f"claim {claim}: {'; '.join(changes)}"
    for claim, one in before.items():
        if claim not in after:
            yield f"claim {claim} is gone; it was: {one.text}"


def _changes(
    was: BaselineSource | BaselineClaim, now: BaselineSource | BaselineClaim, apart: set[str]
) -> Iterator[str]:
    """Fields that read otherwise, but those that name it."""
    for field in fields(was):
        old, new = getattr(was, field.name), getattr(now, field.name)
        if field.name not in apart and old != new:
            yield f"{field.name.replace('_', ' ')} {_shown(old)} before, {_shown(new)} now"


def _named(one: BaselineSource) -> str:
    return f"{one.match.value} {one.url or one.key}"


def _shown(value: Any) -> str:
    """A value as a reader takes it."""
    if value is None or value in ("", ()):
        return "nothing"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if hasattr(value, "__dataclass_fields__"):
        parts = ((field.name, getattr(value, field.name)) for field in fields(value))
        said = [f"{name.replace('_', ' ')} {one}" for name, one in parts if one is not None]
        return ", ".join(said) or "nothing"
    return str(value)
