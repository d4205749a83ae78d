"""Names in a panel file that must agree with each other; read off files that are broken elsewhere.

A file with a mistyped key still has its prompt ids, so every problem is told at once.
"""

from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from monitor.config.words import nearest
from monitor.config.yaml import Document, Problem
from monitor.domain.panel import PanelOutline

FamilyOf = Callable[[str], str | None]
"""The source family that a host or family name belongs to; None where it is neither."""

_COUNTED = 10
_JUDGED = 20
"""Prompts below which there are counts only, and below which no change gets a verdict."""


def check_panel(
    document: Document, engines: Collection[str], family_of: FamilyOf | None = None
) -> list[Problem]:
    """Ids used twice, engines that do not exist, plans for what is not there, and doubts."""
    if not isinstance(document.value, dict):
        return []
    return [
        *_duplicates(document),
        *_unknown_engines(document, engines),
        *_plans(document, document.value),
        *_same_questions(document, document.value),
        *_few_prompts(document),
        *(_watched(document, family_of) if family_of else ()),
    ]


def outline_of(document: Document) -> PanelOutline:
    """Name, client and prompt ids of a file, whatever else in it is wrong."""
    value = document.value if isinstance(document.value, dict) else {}
    name = value.get("panel")
    domains = listed(value.get("client"), "domains")
    return PanelOutline(
        name=name if isinstance(name, str) else None,
        client_domains=tuple(d.strip().lower() for d in domains if isinstance(d, str)),
        prompt_ids=tuple(dict.fromkeys(prompt_id for _, prompt_id in prompt_ids(document))),
    )


def prompt_ids(document: Document) -> list[tuple[int, str]]:
    """(index, id) of every prompt that has one."""
    return [
        (index, one["id"])
        for index, one in enumerate(listed(document.value, "prompts"))
        if isinstance(one, dict) and isinstance(one.get("id"), str)
    ]


def listed(value: Any, key: str) -> list[Any]:
    """List under a key; empty where there is none."""
    found = value.get(key) if isinstance(value, dict) else None
    return found if isinstance(found, list) else []


def _duplicates(document: Document) -> Iterator[Problem]:
    """A problem for each prompt id that was used before."""
    first: dict[str, int] = {}
    for index, prompt_id in prompt_ids(document):
        if prompt_id in first:
            line = document.line(("prompts", first[prompt_id], "id"))
            yield document.problem(
                ("prompts", index, "id"),
                f"prompt id {prompt_id!r} is used twice (first on line {line}); "
                "give one of them another id",
            )
        first.setdefault(prompt_id, index)


def _unknown_engines(document: Document, engines: Collection[str]) -> Iterator[Problem]:
    """A problem for each engine that does not exist or is named twice."""
    seen: set[str] = set()
    for index, name in enumerate(listed(document.value, "engines")):
        if not isinstance(name, str):
            continue
        at = ("engines", index)
        if name not in engines:
            yield document.problem(at, f"unknown engine {name!r}{nearest(name, engines)}")
        elif name in seen:
            yield document.problem(at, f"engine {name!r} is listed twice")
        seen.add(name)


def _plans(document: Document, value: Mapping[str, Any]) -> Iterator[Problem]:
    """A problem for each engine plan of an engine, or with a prompt, that the panel lacks."""
    plans = value.get("engine_plan")
    named = [e for e in listed(value, "engines") if isinstance(e, str)]
    known = {prompt_id for _, prompt_id in prompt_ids(document)}
    for name, plan in plans.items() if isinstance(plans, dict) else ():
        if name not in named:
            hint = nearest(name, named)
            message = f"engine_plan names {name!r}, which is not among this panel's engines{hint}"
            yield document.problem(("engine_plan", name), message)
        for index, one in enumerate(listed(plan, "prompts")):
            if isinstance(one, str) and one not in known:
                at = ("engine_plan", name, "prompts", index)
                yield document.problem(at, f"unknown prompt {one!r}{nearest(one, known)}")


def _same_questions(document: Document, value: Mapping[str, Any]) -> Iterator[Problem]:
    """A warning for each prompt that asks what another one asks, in the same place and voice."""
    first: dict[tuple[Any, ...], int] = {}
    for index, one in enumerate(listed(value, "prompts")):
        if not isinstance(one, dict) or not isinstance(one.get("text"), str):
            continue
        asked = (
            one["text"].strip(),
            str(one.get("locale") or value.get("locale")),
            str(one.get("persona")),
        )
        if asked in first:
            line = document.line(("prompts", first[asked]))
            message = f"asks word for word what the prompt on line {line} asks; it counts double"
            yield document.problem(("prompts", index), message, warning=True)
        first.setdefault(asked, index)


def _few_prompts(document: Document) -> Iterator[Problem]:
    """A warning for a panel too small for intervals, or for verdicts of change."""
    count = len(listed(document.value, "prompts"))
    if 0 < count < _JUDGED:
        message = (
            f"{count} prompts give counts only: intervals take at least {_COUNTED}, "
            f"verdicts of change {_JUDGED}"
            if count < _COUNTED
            else f"{count} prompts give no verdicts of change: those take at least {_JUDGED}"
        )
        yield document.problem(("prompts",), message, warning=True)


def _watched(document: Document, family_of: FamilyOf) -> Iterator[Problem]:
    """A warning for each watched name that no citation can ever be counted under."""
    for index, name in enumerate(listed(document.value, "watch")):
        if not isinstance(name, str) or not name.strip():
            continue
        family = family_of(name)
        if family != name:
            hint = f"; its family is {family!r}" if family else "; expected a host: example.org"
            message = f"watch: {name!r} is no source family{hint}"
            yield document.problem(("watch", index), message, warning=True)
