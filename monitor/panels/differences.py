"""What two states of a panel differ in, in words a person can act on."""

from collections.abc import Iterator, Sequence
from dataclasses import fields

from monitor.domain.panel import Panel, Prompt

_SHORT = 60


def panel_changes(old: Panel, new: Panel) -> tuple[str, ...]:
    """Every difference in content; an order of prompts, engines or names is none."""
    return (*prompt_changes(old, new), *frame_changes(old, new))


def prompt_changes(old: Panel, new: Panel) -> tuple[str, ...]:
    """Prompts that were edited, renamed, removed or added."""
    before, after = ({p.id: p for p in panel.prompts} for panel in (old, new))
    gone = [p for p in old.prompts if p.id not in after]
    come = [p for p in new.prompts if p.id not in before]
    renamed = {p.id: next((q.id for q in come if _same_words(p, q)), None) for p in gone}
    named = set(renamed.values())
    return (
        *(said for p in old.prompts if p.id in after for said in _edits(p, after[p.id])),
        *(
            f"prompt {p.id!r} renamed to {renamed[p.id]!r}"
            if renamed[p.id]
            else f"prompt {p.id!r} removed"
            for p in gone
        ),
        *(f"prompt {p.id!r} added" for p in come if p.id not in named),
    )


def _same_words(one: Prompt, other: Prompt) -> bool:
    """Whether two prompts ask the same, whatever they are called."""
    return one.version_key == other.version_key


def _edits(old: Prompt, new: Prompt) -> Iterator[str]:
    """Fields of one prompt that changed."""
    for field in fields(Prompt):
        was, now = getattr(old, field.name), getattr(new, field.name)
        if was != now:
            yield f"prompt {old.id!r}: {field.name} {_short(was)} -> {_short(now)}"


def frame_changes(old: Panel, new: Panel) -> tuple[str, ...]:
    """What changed around the prompts: locale, repeats, engines, plans, client and watch list."""
    plans = [{e.engine: _plan(panel, e.engine) for e in panel.engine_plans} for panel in (old, new)]
    return (
        *(
            f"{name} {_short(was)} -> {_short(now)}"
            for name in ("locale", "repeats")
            if (was := getattr(old, name)) != (now := getattr(new, name))
        ),
        *_moved("engine", old.engines, new.engines),
        *(
            f"engine_plan of {engine}: {plans[0].get(engine, 'none')} -> "
            f"{plans[1].get(engine, 'none')}"
            for engine in sorted(plans[0].keys() | plans[1].keys())
            if plans[0].get(engine) != plans[1].get(engine)
        ),
        *_moved("client domain", old.client_domains, new.client_domains),
        *_moved("watched family", old.watch, new.watch),
    )


def _plan(panel: Panel, engine: str) -> str:
    """An engine's narrower plan in words."""
    own = next(e for e in panel.engine_plans if e.engine == engine)
    prompts = "all prompts" if own.prompts is None else f"prompts {', '.join(sorted(own.prompts))}"
    return f"{prompts}, {'the usual' if own.repeats is None else own.repeats} repeats"


def _moved(what: str, old: Sequence[str], new: Sequence[str]) -> Iterator[str]:
    """Names that went and names that came."""
    yield from (f"{what} {name!r} removed" for name in old if name not in new)
    yield from (f"{what} {name!r} added" for name in new if name not in old)


def _short(value: object) -> str:
    """A value as a message shows it, cut where it is long."""
    text = "none" if value is None else str(value)
    return repr(text if len(text) <= _SHORT else f"{text[: _SHORT - 1]}…")
