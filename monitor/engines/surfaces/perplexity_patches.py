"""Changes of a stream put into what is known so far: JSON Patch (RFC 6902) with its pointers.

A stream that is read from its middle changes blocks whose beginning is missing, so containers on
the way are made. What fits nowhere is left out and counted: a stream can then be read, and who
reads it is told.
"""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

_DEEPEST = 64
"""Steps of a pointer; those of real streams have eight."""
_LONGEST = 20_000
"""Entries of a list into whose middle something may be put; each costs a move of all behind it."""


def patched(root: Any, patch: Any) -> tuple[Any, bool]:
    """The value with one change in it, changed in place, and whether the change fitted."""
    if not isinstance(patch, Mapping) or not isinstance(patch.get("path"), str):
        return root, False
    steps = _steps(patch["path"])
    operation = patch.get("op")
    if steps is None or operation not in ("add", "replace", "remove"):
        return root, False
    if not steps:
        return (None if operation == "remove" else patch.get("value")), True
    whole = root if isinstance(root, dict | list) else _container(steps[0])
    place = _reach(whole, steps, makes=operation != "remove")
    if place is None:
        return root, False
    return whole, _change(place, steps[-1], operation, patch.get("value"))


def _steps(pointer: str) -> list[str] | None:
    """Steps of a JSON Pointer (RFC 6901); None where it is none, or deeper than any real one."""
    if not pointer:
        return []
    if not pointer.startswith("/") or pointer.count("/") > _DEEPEST:
        return None
    return [one.replace("~1", "/").replace("~0", "~") for one in pointer[1:].split("/")]


def _container(step: str) -> dict[str, Any] | list[Any]:
    """An empty place that a step can be taken into."""
    return [] if step == "-" or _is_index(step) else {}


def _is_index(step: str) -> bool:
    return step.isascii() and step.isdecimal() and len(step) <= 9


def _reach(root: Any, steps: list[str], *, makes: bool) -> Any:
    """What the last step is taken in; None where the way leads nowhere."""
    here = root
    for step, following in pairwise(steps):
        if isinstance(here, dict):
            if here.get(step) is None:
                if not makes:
                    return None
                here[step] = _container(following)
            here = here[step]
        elif isinstance(here, list) and _is_index(step) and int(step) <= len(here):
            if int(step) == len(here):
                if not makes:
                    return None
                here.append(_container(following))
            here = here[int(step)]
        else:
            return None
    return here


def _change(place: Any, step: str, operation: str, value: Any) -> bool:
    """Change one entry of an object or a list; False where there is no such place."""
    if isinstance(place, dict):
        if operation == "remove":
            return place.pop(step, place) is not place
        place[step] = value
        return True
    if not isinstance(place, list):
        return False
    at = len(place) if step == "-" else int(step) if _is_index(step) else -1
    if operation == "add":
        return _insert(place, at, value)
    if not 0 <= at < len(place):
        return False
    if operation == "replace":
        place[at] = value
        return True
    if at < len(place) - 1 and len(place) > _LONGEST:
        return False
    del place[at]
    return True


def _insert(place: list[Any], at: int, value: Any) -> bool:
    if at == len(place):
        place.append(value)
        return True
    if not 0 <= at < len(place) <= _LONGEST:
        return False
    place.insert(at, value)
    return True
