"""A judge's agreement with people as JSON values; undefined is null."""

from typing import Any

from monitor.domain.measured import FlaggedFigures
from monitor.domain.score import interval_json
from monitor.judge.report.values import Agreed, Estimate, Figures, JudgeReport


def report_json(report: JudgeReport) -> dict[str, Any]:
    """The report with all its counts."""
    return {
        "schema": 1,
        "judge": report.judge,
        "seed": report.seed,
        "overall": _figures(report.overall),
        "sources": {name: _figures(one) for name, one in report.sources.items()},
    }


def suite_json(judge: str, figures: tuple[FlaggedFigures, ...]) -> dict[str, Any]:
    """The suite by half and kind."""
    return {"schema": 1, "judge": judge, "suite": [flagged_json(one) for one in figures]}


def flagged_json(one: FlaggedFigures) -> dict[str, Any]:
    """One kind in one half."""
    return {
        "half": one.half,
        "kind": one.kind,
        "changed": one.changed,
        "pairs": one.pairs,
        "flagged": one.flagged,
        "accused": one.accused,
    }


def _figures(one: Figures) -> dict[str, Any]:
    return {
        "rows": one.rows,
        "questions": one.questions,
        "scored": one.scored,
        "decided": one.decided,
        "macro_f1": _estimate(one.macro_f1),
        "binary": _agreed(one.binary),
        "four_way": None if one.four_way is None else _agreed(one.four_way),
        "auroc": {
            ranked.other: {**_estimate(ranked.probability), "full": ranked.full,
                           "others": ranked.others}
            for ranked in one.ranked
        },
        "confusion": {label: dict(told) for label, told in one.confusion.items()},
        "coverage": [
            {
                "coverage": round(covered.coverage, 4),
                "rows": covered.rows,
                "right": round(covered.right, 4),
                "accuracy": covered.right / covered.rows,
            }
            for covered in one.coverage
        ],
        "calibration": {
            "error": one.calibration_error,
            "bins": [
                {
                    "low": bin_.low,
                    "high": bin_.high,
                    "rows": bin_.rows,
                    "mean_score": bin_.mean_score,
                    "full": bin_.hits,
                }
                for bin_ in one.bins
            ],
        },
    }  # fmt: skip


def _agreed(one: Agreed) -> dict[str, Any]:
    return {
        "right": one.right,
        "accuracy": _estimate(one.share),
        "macro_f1": _estimate(one.macro_f1),
        "kappa": _estimate(one.kappa),
        "alpha": _estimate(one.alpha),
        "ac1": _estimate(one.ac1),
    }


def _estimate(one: Estimate) -> dict[str, Any]:
    return {"value": one.value, "rows": one.rows, "interval": interval_json(one.interval)}
