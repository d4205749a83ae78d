"""A run -> its report on disk, as HTML with every answer and as a PDF to hand on."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from pathlib import Path

from monitor.capture.printing import print_pdf
from monitor.config.logs import log
from monitor.domain.claim import Judge
from monitor.errors import MonitorError
from monitor.pipeline.alerting import EngineFindings
from monitor.pipeline.bench import Bench
from monitor.pipeline.exporting import write_bytes, write_text
from monitor.pipeline.reporting import build_report
from monitor.report.files import report_file
from monitor.report.page import render_report
from monitor.store import runs


class ReportFormat(StrEnum):
    """What a report is written as."""

    HTML = "html"
    PDF = "pdf"
    BOTH = "both"


_ENDINGS = {
    ".html": ReportFormat.HTML,
    ".htm": ReportFormat.HTML,
    ".pdf": ReportFormat.PDF,
}


def publish_report(
    bench: Bench,
    run: runs.Run,
    judge: Judge,
    out: Path | None = None,
    *,
    found: Sequence[EngineFindings] = (),
) -> Path:
    """Write a run's HTML report and return its path; default: the reports folder."""
    (path,) = publish_reports(bench, run, judge, out=out, form=ReportFormat.HTML, found=found)
    return path


def publish_linked(
    bench: Bench, run: runs.Run, judge: Judge, found: Sequence[EngineFindings]
) -> None:
    """Write the report that messages about a run will link to, where reports are served.

    It shows what was found of the run, which the store has only once the run has ended.
    Nothing else waits for it: what goes wrong is logged, and `monitor report` tries it again.
    """
    if bench.settings.alerts.links is None:
        return
    try:
        publish_report(bench, run, judge, found=found)
    except MonitorError as error:
        log("report_failed", level="error", run=run.public_id, error=error)


def publish_reports(
    bench: Bench,
    run: runs.Run,
    judge: Judge,
    *,
    out: Path | None,
    form: ReportFormat,
    found: Sequence[EngineFindings] = (),
) -> Iterator[Path]:
    """Write a run's report and yield each path once it is there, HTML first.

    `out` names the file; for both its ending is replaced. MonitorError where the ending belongs
    to another format; BrowserError where a PDF is wanted and no Chromium prints it.
    """
    page, printed = _paths(bench, run, out, form)
    bench.progress("report", 0, 1)
    view = build_report(bench, run, judge, found)
    if form is not ReportFormat.PDF:
        write_text(page, render_report(view))
        yield page
    if form is not ReportFormat.HTML:
        write_bytes(
            printed,
            print_pdf(
                render_report(view, evidence_in=page.name, is_named=out is not None),
                executable=bench.settings.browser.executable,
                foot=f"Citation report · {view.panel.name} · {view.run}",
            ),
        )
        yield printed
    bench.progress("report", 1, 1)


def _paths(bench: Bench, run: runs.Run, out: Path | None, form: ReportFormat) -> tuple[Path, Path]:
    """Where the HTML and the PDF go."""
    path = out or Path(bench.settings.reports) / report_file(run.panel, run.slot)
    if out is None or form is ReportFormat.BOTH:
        return _ending(path, ".html"), _ending(path, ".pdf")
    named = _ENDINGS.get(out.suffix.lower(), form)
    if named is not form:
        raise MonitorError(
            f"{out}: ends in {out.suffix}, expected a file for {form.value}; nothing was written: "
            f"name another file, or say --format {named.value}"
        )
    return (out, out) if form is ReportFormat.HTML else (_ending(out, ".html"), out)


def _ending(path: Path, ending: str) -> Path:
    """The path with its ending replaced where it is one of a report's, else added."""
    known = path.suffix.lower() in _ENDINGS
    return path.with_suffix(ending) if known else path.with_name(path.name + ending)
