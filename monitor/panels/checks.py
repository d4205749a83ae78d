"""Names in a panel file that must agree with each other; read off files that are broken elsewhere.

A file with a mistyped key still has its prompt ids, so every problem is told at once.
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from monitor.config.words import nearest
from monitor.config.yaml import Document, Problem


def check_panel(document: Document, engines: Collection[str]) -> list[Problem]:
    """Ids used twice, engines that do not exist, and plans for what the panel does not have."""
    if not isinstance(document.value, dict):
        return []
    return [
        *_duplicates(document),
        *_unknown_engines(document, engines),
        *_plans(document, document.value),
    ]


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
