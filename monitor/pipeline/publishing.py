"""A run -> its HTML report on disk."""

from pathlib import Path

from monitor.domain.claim import Judge
from monitor.pipeline.bench import Bench
from monitor.pipeline.exporting import write_text
from monitor.pipeline.reporting import build_report
from monitor.report.page import render_report
from monitor.store import runs


def publish_report(bench: Bench, run: runs.Run, judge: Judge, out: Path | None = None) -> Path:
    """Write a run's report and return its path; default: the reports folder of the settings."""
    bench.progress("report", 0, 1)
    html = render_report(build_report(bench, run, judge))
    slot = "".join(ch if ch.isalnum() or ch in "-_" else "-" for ch in run.slot)
    path = out or Path(bench.settings.reports) / f"{run.panel}-{slot}.html"
    write_text(path, html)
    bench.progress("report", 1, 1)
    return path
