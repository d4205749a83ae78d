"""A judge on the perturbation suite that ships: how many changed claims it notices."""

from monitor.domain.claim import Judge, Question, Support
from monitor.domain.measured import FlaggedFigures
from monitor.judge.suite import CHANGED, KEPT, Half, SuiteRow, suite_rows

HALVES: tuple[Half, ...] = ("open", "blind")


def suite_figures(judge: Judge) -> tuple[FlaggedFigures, ...]:
    """Pairs, flagged and accused ones by half and kind; the halves are never mixed."""
    rows = [row for half in HALVES for row in suite_rows(half)]
    told = judge.verdicts(Question(row.claim, row.passages) for row in rows)
    judged = [(row, verdict.support) for row, verdict in zip(rows, told, strict=True)]
    return tuple(
        _counted(half, kind, judged)
        for half in HALVES
        for kind in (*CHANGED, *KEPT)
        if any((row.half, row.kind) == (half, kind) for row in rows)
    )


def _counted(half: Half, kind: str, judged: list[tuple[SuiteRow, Support]]) -> FlaggedFigures:
    told = [support for row, support in judged if (row.half, row.kind) == (half, kind)]
    return FlaggedFigures(
        half,
        kind,
        changed=kind in CHANGED,
        pairs=len(told),
        flagged=sum(one is not Support.FULL for one in told),
        accused=sum(one not in {Support.FULL, Support.NOT_ASSESSABLE} for one in told),
    )
