"""A judge's reasons as one line that a reader understands."""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from monitor.domain.claim import Gap
from monitor.report.words import reason_words

_WHOLE: Mapping[str, str] = MappingProxyType(
    {
        "copied": "the page says it in these words",
        "covered": "the page covers every part",
        "thinly covered": "the page hardly touches it",
        "negation differs": "one of the two denies it, the other does not",
        "negation not in evidence": "the page does not deny it",
    }
)
"""Reasons that stand alone."""

_LISTED = (
    (re.compile(r"not in evidence: (.+)"), "not on the page: {}"),
    (re.compile(r"number (\S+) not in evidence"), "numbers not on the page: {}"),
    (
        re.compile(r"number (\S+) not beside the rest"),
        "the page has {}, but says it of something else",
    ),
    (
        re.compile(r"number (\S+) stands elsewhere"),
        "the page has {}, but in another part of its sentence",
    ),
    (re.compile(r"name not in evidence: (.+)"), "names not on the page: {}"),
    (re.compile(r"name not beside the rest: (.+)"), "the page names {}, but in another sentence"),
    (re.compile(r"qualifier lost: (.+)"), "the page limits it by: {}"),
    (re.compile(r"qualifier added: (.+)"), "said without the page saying it: {}"),
    (re.compile(r"number (\S+) against (\S+)"), "the answer says {}"),
    (re.compile(r"opposites: (.+)"), "opposites: {}"),
)
"""Reasons that name what is missing; like ones are said once, with all they name."""


def baseline_words(reasons: Sequence[str]) -> str:
    """Reasons of a verdict of the baseline, which a judge reads as it reads a page."""
    said = judged_words(reasons)
    return said.replace("not on the page", "missing there").replace("the page", "the baseline")


def judged_words(reasons: Sequence[str]) -> str:
    """Reasons of a verdict in words, like ones joined, none twice; empty where there are none."""
    named: dict[str, dict[str, None]] = {}
    for reason in reasons:
        form, what = _taken_apart(reason)
        named.setdefault(form, {}).update(dict.fromkeys(what))
    return "; ".join(form.format(", ".join(what)) if what else form for form, what in named.items())


def without_named(reasons: Sequence[str], gaps: Sequence[Gap]) -> Sequence[str]:
    """Reasons less those that name what gaps name; all of them where there are no gaps."""
    return [r for r in reasons if not any(_matches(r))] if gaps else reasons


def _taken_apart(reason: str) -> tuple[str, Sequence[str]]:
    """A reason's form, and what it names; a form without a name stands for itself."""
    for form, match in _matches(reason):
        return form, (", the page says ".join(match.groups()),)
    said = _WHOLE.get(reason) or reason_words(reason)
    return said, ()


def _matches(reason: str) -> Iterator[tuple[str, re.Match[str]]]:
    """Forms that a reason has."""
    for pattern, form in _LISTED:
        match = pattern.fullmatch(reason)
        if match:
            yield form, match
