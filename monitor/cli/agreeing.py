"""`monitor agreement`: how far annotators agree on the labels of a file."""

import hashlib
import json
import sys
from pathlib import Path
from typing import Annotated

import typer

from monitor.baseline.agreement import Agreement, AgreementReport, agreement, agreement_json
from monitor.baseline.labels import read_labels
from monitor.domain.estimate import NoEstimate
from monitor.errors import MonitorError
from monitor.statistics import Level

_NAMES = {
    "raw_agreement": "raw agreement",
    "krippendorff_alpha": "Krippendorff's alpha",
    "gwet_ac1": "Gwet's AC1",
    "gwet_ac2": "Gwet's AC2, quadratic",
}
_WHY = {
    NoEstimate.NO_PAIRS: "no subject has two labels",
    NoEstimate.ONE_LABEL_ONLY: "one label was used throughout",
    NoEstimate.FEW_ANSWERS: "a single answer",
    NoEstimate.NO_VARIATION: "all resamples agree",
}


def register(app: typer.Typer) -> None:
    """Add the command of this module."""
    app.command("agreement")(measure_agreement)


def measure_agreement(
    file: Annotated[
        str,
        typer.Argument(help="CSV or JSON lines: subject, annotator, label[, answer]; `-`: stdin."),
    ],
    level: Annotated[Level, typer.Option(help="Whether labels are names, ranks or numbers.")] = (
        Level.NOMINAL
    ),
    order: Annotated[
        str, typer.Option(help="Ordinal labels from least to most: none,partial,full.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object.")] = False,
) -> int:
    """Tell how far annotators agree on the labels of a file.

    Intervals are drawn over answers, by a seed made from the file's content. An empty label is a
    missing one.
    """
    content = _content(file)
    scale = tuple(label.strip() for label in order.split(",")) if order else ()
    labels = read_labels(content, source=file[:200], level=level, order=scale)
    seed = int.from_bytes(hashlib.sha256(content).digest()[:8], "big")
    report = agreement(labels, level=level, seed=seed)
    if as_json:
        print(json.dumps(agreement_json(report), ensure_ascii=True))
    else:
        _show(report)
    return 0


def _content(file: str) -> bytes:
    """Bytes of a file or of standard input."""
    try:
        return sys.stdin.buffer.read() if file == "-" else Path(file).read_bytes()
    except OSError as error:
        raise MonitorError(f"{file[:200]}: cannot be read ({error.strerror})") from error


def _show(report: AgreementReport) -> None:
    """The numbers for people."""
    labels = report.labels
    cells = labels.given + labels.missing
    print(
        f"{len(labels.subjects)} subjects in {len(set(labels.answers))} answers, "
        f"{len(labels.annotators)} annotators, {labels.missing} of {cells} labels missing"
    )
    for one in report.measures:
        print(f"{_NAMES[one.name]:<22} {_line(one)}")
    kappa = report.kappa
    if kappa is not None:
        said = f"{kappa.value:.3f}" if kappa.value is not None else _because(kappa.reason)
        print(f"Cohen's kappa          {said}")


def _line(one: Agreement) -> str:
    """Value, interval and what they rest on."""
    found, resampled = one.coefficient, one.resampled
    if found.value is None:
        return _because(found.reason)
    if resampled.interval is None:
        interval = f"no interval: {_WHY[resampled.reason]}" if resampled.reason else "no interval"
    else:
        interval = f"[{resampled.interval.low:.3f}, {resampled.interval.high:.3f}]"
    dropped = f", {resampled.undefined} resamples undefined" if resampled.undefined else ""
    return (
        f"{found.value:.3f} {interval}, {found.pairs} pairs in {found.subjects} subjects{dropped}"
    )


def _because(reason: NoEstimate | None) -> str:
    """Why there is no value."""
    return f"not measured: {_WHY[reason]}" if reason else "not measured"
