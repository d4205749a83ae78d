"""The door of `monitor judge`: a JSON line in, a verdict as a JSON line out, order kept."""

import json
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from monitor.domain.claim import Judge, Question, Verdict, Votes, gap_json
from monitor.domain.engine import Usage
from monitor.errors import JudgeError, MonitorError


@dataclass(frozen=True, slots=True)
class Row:
    """One line to judge; the question is kept for callers that show it, never judged."""

    id: str | int
    claim: str
    passages: tuple[str, ...]
    question: str | None = None


def judge_rows(lines: Iterable[str], judge: Judge, *, source: str = "input") -> Iterator[str]:
    """ASCII JSON lines with a verdict on each row, in order.

    Lines are read as the judge wants them: a free judge gives a row's verdict before the next line
    is read, one that works ahead reads as many as it judges at once. Blank lines are passed over;
    a line that cannot be read raises MonitorError with its number, after the verdicts before it.
    """
    waiting: deque[Row] = deque()
    wrong: list[MonitorError] = []

    def asked() -> Iterator[Question]:
        try:
            for row in read_rows(lines, source):
                waiting.append(row)
                yield Question(row.claim, row.passages)
        except MonitorError as error:
            wrong.append(error)

    for verdict in judge.verdicts(asked()):
        yield verdict_line(waiting.popleft(), verdict)
    if wrong:
        raise wrong[0]


def read_rows(lines: Iterable[str], source: str) -> Iterator[Row]:
    """Rows of JSON lines, blank ones passed over; JudgeError names the line that is wrong."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            yield read_row(line, f"{source} line {number}")


def read_row(line: str, where: str) -> Row:
    """One line as a row; JudgeError says where and what was expected."""
    return row_of(read_object(line, where, "id, claim"), where)


def read_object(line: str, where: str, fields: str) -> dict[str, Any]:
    """One line as a JSON object; JudgeError says which fields were expected."""
    try:
        read = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise JudgeError(f"{where}: not JSON ({error}); expected an object a line") from error
    if not isinstance(read, dict):
        raise JudgeError(f"{where}: got {type(read).__name__}; expected an object with {fields}")
    return read


def row_of(read: dict[str, Any], where: str) -> Row:
    """A row from a JSON object; JudgeError says which field is wrong."""
    return Row(
        id_of(read, where), _claim(read, where), _passages(read, where), _question(read, where)
    )


def id_of(read: dict[str, Any], where: str) -> str | int:
    """What a row is called; JudgeError where it is neither text nor a whole number."""
    found = read.get("id")
    if isinstance(found, bool) or not isinstance(found, str | int):
        raise JudgeError(f"{where}: id is {found!r:.80}; expected text or a whole number")
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


def _question(read: dict[str, Any], where: str) -> str | None:
    found = read.get("question")
    if found is not None and not isinstance(found, str):
        raise JudgeError(f"{where}: question is {type(found).__name__}; expected text, or none")
    return found


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
        "gaps": [gap_json(one) for one in verdict.gaps],
        "votes": _votes(verdict.votes),
        "usage": _usage(verdict.usage),
    }
    return json.dumps(told, ensure_ascii=True)


def _votes(votes: Votes | None) -> dict[str, int] | None:
    return None if votes is None else {"agreeing": votes.agreeing, "total": votes.total}


def _usage(usage: Usage | None) -> dict[str, int | None] | None:
    """Tokens as `parse` tells them, searches left out: a judge searches nothing."""
    if usage is None:
        return None
    return {
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
    }
