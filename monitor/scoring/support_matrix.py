"""Statements by sources: which page supports which statement, and which is cited for it.

The measures follow DeepTRACE (Venkit et al., 2025, arXiv 2509.04499): a matrix of citations and
one of support over all statements that count and all visible pages, from which all five are read.
Support is yes or no there, so full support counts and partial support does not. What nobody could
judge is no "no" here: it stands apart and opens the bounds.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from monitor.domain.assessment import AssessedCapture
from monitor.domain.claim import NotAssessable, Support, Verdict
from monitor.domain.score import Measured, Rate, Undefined, UndefinedReason
from monitor.scoring.citations import UNMAPPED, is_unmapped
from monitor.scoring.covers import smallest_cover
from monitor.scoring.credit import PENDING, not_assessable
from monitor.scoring.sources import NO_VISIBLE, NOT_EXPOSED

NOT_JUDGED = Undefined(UndefinedReason.NOT_JUDGED)


class Cell(StrEnum):
    """Whether one page alone supports one statement."""

    SUPPORTS = "supports"
    NOT = "not"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class SupportMatrix:
    """Statements that count (rows) by visible pages (columns) of one answer."""

    support: tuple[tuple[Cell, ...], ...]
    cited: tuple[tuple[bool, ...], ...]
    """Whether the statement cites the page."""
    reasons: tuple[tuple[str, ...], ...]
    """Why a cell is unknown; empty for the others."""
    in_text: tuple[bool, ...]
    """Whether a page is cited anywhere in the text."""
    tied: bool = True
    """False where sources are visible and none is tied to a span: nobody knows what cites what."""
    lists_sources: bool = True
    """Whether the surface lists sources beside those it cites in its text."""


def support_matrix(capture: AssessedCapture) -> SupportMatrix | Undefined:
    """The matrix of an answered capture; Undefined(not_judged) where it was not asked for."""
    if capture.matrix is None:
        return NOT_JUDGED
    rows = [place for place, one in enumerate(capture.statements) if one.statement.counted]
    columns = range(len(capture.pages))
    verdicts = [[_verdict(capture, row, column) for column in columns] for row in rows]
    cited = [set(capture.statements[row].pages) for row in rows]
    anywhere = {page for one in capture.statements for page in one.pages}
    return SupportMatrix(
        tuple(tuple(_cell(verdict) for verdict in row) for row in verdicts),
        tuple(tuple(column in pages for column in columns) for pages in cited),
        tuple(tuple(verdict.reason or "" for verdict in row) for row in verdicts),
        tuple(page.has_span or place in anywhere for place, page in enumerate(capture.pages)),
        not is_unmapped(capture),
        capture.lists_sources,
    )


def _verdict(capture: AssessedCapture, statement: int, page: int) -> Verdict:
    """Verdict of a page alone; why it cannot be read where it cannot."""
    verdict = (capture.matrix or {}).get((statement, page))
    if verdict is None and not capture.pages[page].readable:
        return Verdict(Support.NOT_ASSESSABLE, (capture.pages[page].unreadable_reason,))
    return verdict or PENDING


def _cell(verdict: Verdict) -> Cell:
    """Full support or not; unknown where the verdict is not assessable."""
    if verdict.reason is not None:
        return Cell.UNKNOWN
    return Cell.SUPPORTS if verdict.support is Support.FULL else Cell.NOT


def cited_support(matrix: SupportMatrix) -> Measured:
    """Cited cells whose page supports the statement / cited cells.

    DeepTRACE's accuracy of citations, sum(C x S) / sum(C). An unknown cell is not assessable.
    """
    if not matrix.in_text:
        return NO_VISIBLE
    if not matrix.tied:
        return not_assessable(UNMAPPED, len(matrix.in_text))
    cells = [one for one in _cells(matrix) if one.cited]
    assessed = [one for one in cells if one.support is not Cell.UNKNOWN]
    hits = sum(one.support is Cell.SUPPORTS for one in assessed)
    return Rate(hits, len(assessed), _unknown(cells))


def thoroughness(matrix: SupportMatrix) -> Measured:
    """Supporting cells whose page is cited for the statement / supporting cells.

    sum(C x S) / sum(S). An unknown cell may be a supporting one, cited or not, or none at all:
    its bounds are never too narrow and, where it would be none, wider than need be.
    """
    if not matrix.in_text:
        return NO_VISIBLE
    cells = list(_cells(matrix))
    supporting = [one for one in cells if one.support is Cell.SUPPORTS]
    if not matrix.tied:
        return not_assessable(UNMAPPED, len(supporting)) + Rate(0, 0, _unknown(cells))
    return Rate(sum(one.cited for one in supporting), len(supporting), _unknown(cells))


def unsupported_statements(matrix: SupportMatrix) -> Rate:
    """Statements that no visible page supports / statements.

    A statement without a supporting page and with an unknown one is not assessable, for its
    commonest reason. Where no page is visible none supports: every statement is a hit.
    """
    return sum((_unsupported(row, why) for row, why in _rows(matrix)), Rate(0, 0))


def _unsupported(row: tuple[Cell, ...], reasons: tuple[str, ...]) -> Rate:
    """One statement."""
    if Cell.SUPPORTS in row:
        return Rate(0, 1)
    return not_assessable(_commonest(reasons)) if Cell.UNKNOWN in row else Rate(1, 1)


def uncited_sources(matrix: SupportMatrix) -> Measured:
    """Visible pages that the text cites nowhere / visible pages.

    Undefined(not_exposed) where the surface lists no sources beside those that its text cites.
    """
    if not matrix.in_text:
        return NO_VISIBLE
    if not matrix.lists_sources:
        return NOT_EXPOSED
    if not matrix.tied:
        return not_assessable(UNMAPPED, len(matrix.in_text))
    return Rate(sum(not cited for cited in matrix.in_text), len(matrix.in_text))


def source_necessity(matrix: SupportMatrix) -> Measured:
    """Pages in the smallest set that supports every supported statement / visible pages.

    Unknown cells move it both ways. It is least where each of them supports what is supported
    anyway, and then so many pages are hits. It is most where none does and each statement that
    only they could support needs a page of its own; what lies between is not assessable.
    """
    if not matrix.in_text:
        return NO_VISIBLE
    supported = [row for row in matrix.support if Cell.SUPPORTS in row]
    least = smallest_cover(_bits(row, Cell.SUPPORTS, Cell.UNKNOWN) for row in supported)
    most = smallest_cover(_bits(row, Cell.SUPPORTS) for row in supported)
    possible = sum(
        any(row[column] is not Cell.NOT for row in matrix.support)
        for column in range(len(matrix.in_text))
    )
    open_rows = sum(Cell.UNKNOWN in row and Cell.SUPPORTS not in row for row in matrix.support)
    between = min(most.high + open_rows, possible) - least.low
    reason = _commonest(why for row in matrix.reasons for why in row)
    return Rate(least.low, len(matrix.in_text) - between) + not_assessable(reason, between)


def _bits(row: tuple[Cell, ...], *counted: Cell) -> int:
    """Columns of a row that are of these kinds, as bits."""
    return sum(1 << column for column, cell in enumerate(row) if cell in counted)


@dataclass(frozen=True, slots=True)
class _Pair:
    """One statement and one page."""

    support: Cell
    cited: bool
    reason: str


def _cells(matrix: SupportMatrix) -> Iterable[_Pair]:
    """Every cell, row by row."""
    for row, cited, reasons in zip(matrix.support, matrix.cited, matrix.reasons, strict=True):
        yield from map(_Pair, row, cited, reasons)


def _rows(matrix: SupportMatrix) -> Iterable[tuple[tuple[Cell, ...], tuple[str, ...]]]:
    """Every row with its reasons."""
    return zip(matrix.support, matrix.reasons, strict=True)


def _unknown(cells: Iterable[_Pair]) -> dict[str, float]:
    """Unknown cells by reason, reasons in alphabetical order."""
    found = Counter(one.reason for one in cells if one.support is Cell.UNKNOWN)
    return {reason: float(count) for reason, count in sorted(found.items())}


def _commonest(reasons: Iterable[str]) -> str:
    """The commonest reason, the first by name of several; `not_exact` where there is none."""
    found = Counter(filter(None, reasons))
    if not found:
        return NotAssessable.NOT_EXACT.value
    return min(found, key=lambda reason: (-found[reason], reason))
