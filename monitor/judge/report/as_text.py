"""A judge's agreement with people as lines of text."""

from collections.abc import Iterator, Sequence

from monitor.domain.claim import Support
from monitor.domain.measured import FlaggedFigures
from monitor.judge.report.values import Agreed, Estimate, Figures, JudgeReport

_WIDEST = 60
"""Characters of a source's name that are shown."""
_FEW = 30
"""Rows below which counts stand in the place of shares."""
_F1_SAID = (
    "F1 is the mean of the F1 of `full` and of `not full`.",
    "By score: all rows with a score, told apart at 0.5. By label: decided rows, by the verdict.",
)
_TOLD = tuple(one.value for one in Support)


def report_lines(report: JudgeReport) -> Iterator[str]:
    """The report, widest figures first, each with its number of rows."""
    overall = report.overall
    few = overall.rows < _FEW
    share = "" if few else f" ({_share(overall.decided, overall.rows)})"
    yield (
        f"{report.judge}: {overall.rows} rows, {overall.questions} questions, "
        f"{overall.decided} decided{share}"
    )
    if few:
        yield (
            f"fewer than {_FEW} rows say little of a judge: intervals are wide, and tables of "
            "coverage and calibration are left out"
        )
    yield ""
    yield from _by_source(report)
    yield from _F1_SAID
    yield ""
    yield from _agreement("full or not, decided rows", overall.binary, "F1 by label")
    if overall.four_way is not None:
        yield from _agreement(
            "four labels, decided rows", overall.four_way, "mean F1 of the four labels"
        )
    for one in overall.ranked:
        yield (
            f"AUROC full over {one.other:<13} {_estimate(one.probability)}, "
            f"{one.full} against {one.others}"
        )
    yield ""
    yield from _confusion(overall)
    if not few:
        yield ""
        yield from _coverage(overall)
        yield ""
        yield from _calibration(overall)


def _by_source(report: JudgeReport) -> Iterator[str]:
    """F1 by score, and what the judge decided, one line for each source."""
    width = max(len(name[:_WIDEST]) for name in (*report.sources, "all, mean F1"))
    yield f"{'source':<{width}}  {'rows':>6}  {'F1 by score':<24} {'decided':>8}  right"
    for name, one in report.sources.items():
        yield _source_line(name, width, one)
    if len(report.sources) > 1:
        yield _source_line("all, mean F1", width, report.overall)


def _source_line(name: str, width: int, one: Figures) -> str:
    return (
        f"{name[:_WIDEST]:<{width}}  {one.rows:>6}  {_estimate(one.macro_f1):<24} "
        f"{_share(one.decided, one.rows):>8}  {_share(one.binary.right, one.decided)}"
    )


def _agreement(title: str, one: Agreed, f1: str) -> Iterator[str]:
    rows = one.share.rows
    yield f"{title}: {one.right} of {rows} right, accuracy {_estimate(one.share)}"
    yield (
        f"  {f1} {_estimate(one.macro_f1)}, kappa {_estimate(one.kappa)}, "
        f"alpha {_estimate(one.alpha)}, AC1 {_estimate(one.ac1)}"
    )


def _confusion(overall: Figures) -> Iterator[str]:
    yield f"{'people / judge':<15}" + "".join(f"{told:>16}" for told in _TOLD)
    for label, told in overall.confusion.items():
        yield f"{label:<15}" + "".join(f"{told[one]:>16}" for one in _TOLD)


def _coverage(overall: Figures) -> Iterator[str]:
    yield "full or not by the score, on the rows it is surest of"
    for one in overall.coverage:
        yield f"  {one.coverage:>4.0%}  {one.rows:>6} rows  accuracy {one.right / one.rows:.3f}"


def _calibration(overall: Figures) -> Iterator[str]:
    error = overall.calibration_error
    said = "not measured: no scores" if error is None else f"{error:.3f}"
    yield f"calibration error {said} over {overall.scored} rows"
    for one in overall.bins:
        if one.mean_score is not None:
            yield (
                f"  {one.low:.1f}-{one.high:.1f}  {one.rows:>6} rows  "
                f"mean score {one.mean_score:.2f}  full {_share(one.hits, one.rows)}"
            )


def _estimate(one: Estimate) -> str:
    if one.value is None:
        return "not measured"
    if one.interval is None:
        return f"{one.value:.3f}"
    return f"{one.value:.3f} [{one.interval.low:.3f}, {one.interval.high:.3f}]"


def _share(part: int, whole: int) -> str:
    """A share in percent; of few rows their counts, which promise no more than they are."""
    if 0 < whole < _FEW:
        return f"{part} of {whole}"
    return f"{part / whole:.0%}" if whole else "none"


def suite_lines(judge: str, figures: Sequence[FlaggedFigures]) -> Iterator[str]:
    """The suite: each half by kind, then its sums."""
    yield f"{judge} on the perturbation suite"
    for half in dict.fromkeys(one.half for one in figures):
        yield ""
        yield f"{half:<12} {'pairs':>6} {'called full':>18} {'left open':>10} {'accused':>8}"
        own = [one for one in figures if one.half == half]
        for changed, title in ((True, "all changed"), (False, "unchanged")):
            kept = [one for one in own if one.changed is changed]
            for one in kept:
                yield _suite_line(one.kind, (one.pairs, one.flagged, one.accused))
            sums = [sum(getattr(one, name) for one in kept) for name in _COUNTED]
            yield _suite_line(f"= {title}", (sums[0], sums[1], sums[2]))


_COUNTED = ("pairs", "flagged", "accused")


def _suite_line(name: str, counts: tuple[int, int, int]) -> str:
    pairs, flagged, accused = counts
    full = pairs - flagged
    share = f"({full / pairs:.0%})" if pairs else "(none)"
    return f"  {name:<12} {pairs:>4} {full:>11} {share:>6} {flagged - accused:>10} {accused:>8}"
