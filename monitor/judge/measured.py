"""Measured figures that ship with the program: how far its own judge agrees with people.

`measured.json` is written by `python -m benchmarks.judge_figures --write`.
"""

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from monitor.domain.measured import Fitted, FlaggedFigures, MeasuredFigures, PeopleFigures


def measured_figures(judge_version: str) -> MeasuredFigures | None:
    """What was measured of this very version of a judge; None where nothing was.

    A judge without figures is no worse for it: `monitor judge-report` measures any of them.
    """
    found = shipped_figures()
    return found if found is not None and found.judge == judge_version else None


@cache
def shipped_figures() -> MeasuredFigures | None:
    """The figures that ship, whichever version they belong to; None where none ship."""
    place = files("monitor.judge").joinpath("measured.json")
    return figures_of(json.loads(place.read_text("utf-8"))) if place.is_file() else None


def figures_of(read: Mapping[str, Any]) -> MeasuredFigures:
    """Figures from their JSON form."""
    people = tuple(_people(one) for one in read["people"])
    return MeasuredFigures(
        judge=read["judge"],
        day=read["day"],
        headline=next(one for one in people if one.corpus == read["headline"]),
        people=people,
        suite=tuple(
            FlaggedFigures(
                one["half"],
                one["kind"],
                changed=one["changed"],
                pairs=one["pairs"],
                flagged=one["flagged"],
                accused=one["accused"],
            )
            for one in read["suite"]
        ),
    )


def _people(one: Mapping[str, Any]) -> PeopleFigures:
    return PeopleFigures(
        corpus=one["corpus"],
        sha256=one["sha256"],
        rows=one["rows"],
        fitted=Fitted(one["fitted_on"]),
        licence=one["licence"],
        macro_f1=one["macro_f1"],
        decided=one["decided"],
        right=one["right"],
        kappa=one["kappa"],
        alpha=one["alpha"],
        ranking=one["ranking"],
    )
