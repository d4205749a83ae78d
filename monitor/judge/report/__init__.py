"""How far a judge agrees with people: labelled rows, figures with intervals, JSON and text."""

from monitor.judge.report.figures import judge_report

__all__ = ["judge_report"]
