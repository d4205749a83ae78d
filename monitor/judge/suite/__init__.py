"""Claims beside passages, each claim right or wrong in one known way: what a judge must notice.

All texts are fictional and were written by hand for this suite, before its author had read the
rules of any judge of ours. Two files hold every second passage each: rules may be tuned on
`open`; `blind` only measures. Every claim was laid beside its passage and its label checked by
the author; no second person has labelled them.
"""

import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Literal

from monitor.domain.claim import Support

Half = Literal["open", "blind"]

KEPT = ("reworded", "copied", "summary")
"""Kinds of claims that their passage supports in full."""

CHANGED = (
    "number",
    "date",
    "negation",
    "antonym",
    "entity",
    "unit",
    "direction",
    "hedge",
    "scope",
    "subject",
    "added",
)
"""Kinds of claims in which exactly one thing differs from what the passage says."""


@dataclass(frozen=True, slots=True)
class SuiteRow:
    """One claim, what stands on the page, and how far the one supports the other."""

    id: str
    base: str
    """Name of the passages; every claim about them shares it."""
    kind: str
    """One of `KEPT` or `CHANGED`."""
    claim: str
    passages: tuple[str, ...]
    label: Support
    half: Half


@cache
def suite_rows(half: Half) -> tuple[SuiteRow, ...]:
    """Every row of one half, in the order it was written."""
    lines = files(__name__).joinpath(f"{half}.jsonl").read_text("utf-8").splitlines()
    return tuple(_row(line) for line in lines)


def _row(line: str) -> SuiteRow:
    fields = json.loads(line)
    passages, label = tuple(fields.pop("passages")), Support(fields.pop("label"))
    return SuiteRow(**fields, passages=passages, label=label)
