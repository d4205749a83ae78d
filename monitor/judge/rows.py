"""The door of `monitor judge`: a JSON line in, a verdict as a JSON line out, order kept."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from monitor.domain.claim import Judge, Verdict
from monitor.errors import JudgeError


@dataclass(frozen=True, slots=True)
class Row:
    """One line to judge; the question is kept by callers that show it, never judged."""

    id: str | int
    claim: str
    passages: tuple[str, ...]


def judge_rows(lines: Iterable[str], judge: Judge, *, source: str = "input") -> Iterator[str]:
    """ASCII JSON lines {id, label, score, quote, quote_span, reasons, judge, cost, evidence}.

    Blank lines are passed over; a line that cannot be read raises JudgeError with its number.
    """
    for number, line in enumerate(lines, 1):
        if line.strip():
            row = read_row(line, f"{source} line {number}")
            yield verdict_line(row, judge.verdict(row.claim, row.passages))


def read_row(line: str, where: str) -> Row:
    """One line as a row; JudgeError says where and what was expected."""
    try:
        read = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise JudgeError(f"{where}: not JSON ({error}); expected an object a line") from error
    if not isinstance(read, dict):
        raise JudgeError(f"{where}: got {type(read).__name__}; expected an object with id, claim")
    return Row(_id(read, where), _claim(read, where), _passages(read, where))


def _id(read: dict[str, Any], where: str) -> str | int:
    found = read.get("id")
    if isinstance(found, bool) or not isinstance(found, str | int):
        raise JudgeError(f"{where}: id is {found!r}; expected text or a whole number")
    return found


def _claim(read: dict[str, Any], where: str) -> str:
    found = read.get("claim")
    if not isinstance(found, str):
        raise JudgeError(f"{where}: claim is {type(found).__name__}; expected text")
    return found


def _passages(read: dict[str, Any], where: str) -> tuple[str, ...]:
    found = read.get("passages")
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise JudgeError(f"{where}: passages is {type(found).__name__}; expected a list of texts")
    return tuple(found)


def verdict_line(row: Row, verdict: Verdict) -> str:
    """The verdict on one row as an ASCII JSON line without line feed."""
    told = {
        "id": row.id,
        "label": verdict.support.value,
        "score": verdict.score,
        "quote": verdict.quote,
        "quote_span": verdict.quote_span,
        "reasons": verdict.reasons,
        "judge": verdict.judge,
        "cost": verdict.cost_micros / 1_000_000,
        "evidence": verdict.evidence,
    }
    return json.dumps(told, ensure_ascii=True)
