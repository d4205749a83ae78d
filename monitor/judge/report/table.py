"""Labelled rows as columns."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from monitor.domain.claim import Support
from monitor.judge.report.rows import Judged

Floats = NDArray[np.float64]


CUT = 0.5
"""Score from which a row counts as full in the view of scores."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Rows as columns; what the figures are computed from."""

    full: NDArray[np.bool_]
    told_full: NDArray[np.bool_]
    decided: NDArray[np.bool_]
    scored: NDArray[np.bool_]
    score: Floats
    """0 where there is none."""
    label: NDArray[np.str_]
    told: NDArray[np.str_]
    source: NDArray[np.int64]
    question: NDArray[np.int64]


def table_of(judged: Sequence[Judged]) -> Table:
    """The columns of judged rows, in their order."""
    label = np.array([one.label for one in judged], dtype=np.str_)
    told = np.array([one.support.value for one in judged], dtype=np.str_)
    return Table(
        label == "full",
        told == "full",
        told != Support.NOT_ASSESSABLE.value,
        np.array([one.score is not None for one in judged], dtype=np.bool_),
        np.array([one.score or 0.0 for one in judged], dtype=np.float64),
        label,
        told,
        _numbers(one.source for one in judged),
        _numbers(one.question for one in judged),
    )


def _numbers(names: Iterable[str]) -> NDArray[np.int64]:
    """Each name as a number, in the order they first come."""
    known: dict[str, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)
