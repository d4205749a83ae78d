"""Rows that people labelled, and the verdicts laid beside them: given now, or read from a file."""

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from monitor.domain.claim import Judge, Question, Support
from monitor.errors import JudgeError
from monitor.judge.rows import Row, id_of, read_object, row_of

_LABELS = ("full", "partial", "unsupported", "contradicted", "not_full")
_SUPPORTS = tuple(one.value for one in Support)


@dataclass(frozen=True, slots=True)
class LabelledRow:
    """A row with the label that people gave it."""

    row: Row
    label: str
    """A support class, or `not_full` where people only said whether support is full."""
    source: str
    """Which set, or part of one, it comes from."""


@dataclass(frozen=True, slots=True)
class Judged:
    """What people and a judge say of one row; its texts are let go."""

    label: str
    source: str
    question: str
    """The question where there is one, else the claim: rows of one are drawn together."""
    support: Support
    score: float | None


@dataclass(frozen=True, slots=True)
class TakenVerdict:
    """A verdict that somebody gave before."""

    support: Support
    score: float | None
    judge: str


def read_labelled(lines: Iterable[str], where: str) -> Iterator[LabelledRow]:
    """Rows of a labelled file; JudgeError names the line that is wrong."""
    for number, line in enumerate(lines, 1):
        if line.strip():
            place = f"{where} line {number}"
            read = read_object(line, place, "id, claim, passages, label")
            yield LabelledRow(row_of(read, place), _label(read, place), _source(read, place, where))


def _label(read: Mapping[str, Any], where: str) -> str:
    found = read.get("label")
    if found not in _LABELS:
        raise JudgeError(f"{where}: label is {found!r:.80}; expected one of: {', '.join(_LABELS)}")
    return str(found)


def _source(read: Mapping[str, Any], where: str, file: str) -> str:
    found = read.get("source", file)
    if not isinstance(found, str):
        raise JudgeError(f"{where}: source is {type(found).__name__}; expected text, or none")
    return found


def judged_now(rows: Iterable[LabelledRow], judge: Judge) -> Iterator[Judged]:
    """Every row with the judge's verdict, read as the judge wants them."""
    waiting: deque[LabelledRow] = deque()

    def asked() -> Iterator[Question]:
        for one in rows:
            waiting.append(one)
            yield Question(one.row.claim, one.row.passages)

    for verdict in judge.verdicts(asked()):
        yield _judged(waiting.popleft(), verdict.support, verdict.score)


def read_verdicts(lines: Iterable[str], where: str) -> dict[str | int, TakenVerdict]:
    """Verdicts as `monitor judge` prints them, by id; JudgeError names the line that is wrong."""
    found: dict[str | int, TakenVerdict] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{where} line {number}"
        read = read_object(line, place, "id, label, score")
        name = id_of(read, place)
        if name in found:
            raise JudgeError(f"{place}: a second verdict on {name!r:.80}; expected one for each id")
        found[name] = _taken(read, place)
    if len(judges := sorted({one.judge for one in found.values()})) > 1:
        raise JudgeError(
            f"{where}: verdicts of {', '.join(judges[:5])}; expected those of one judge"
        )
    return found


def _taken(read: Mapping[str, Any], where: str) -> TakenVerdict:
    label, score = read.get("label"), read.get("score")
    if label not in _SUPPORTS:
        raise JudgeError(
            f"{where}: label is {label!r:.80}; expected one of: {', '.join(_SUPPORTS)}"
        )
    number = isinstance(score, int | float) and not isinstance(score, bool)
    if score is not None and not (number and 0 <= score <= 1):
        raise JudgeError(f"{where}: score is {score!r:.80}; expected a number in [0, 1], or null")
    judge = read.get("judge", "")
    return TakenVerdict(
        Support(label), score, judge if isinstance(judge, str) and judge else "unnamed"
    )


def judged_before(
    rows: Iterable[LabelledRow], verdicts: Mapping[str | int, TakenVerdict], where: str
) -> Iterator[Judged]:
    """Every row with its verdict of before; JudgeError names a row that has none."""
    seen: set[str | int] = set()
    for one in rows:
        name = one.row.id
        if name in seen:
            raise JudgeError(f"two labelled rows have the id {name!r:.80}; give each its own")
        seen.add(name)
        if (found := verdicts.get(name)) is None:
            raise JudgeError(f"{where}: no verdict on {name!r:.80}; judge all labelled rows first")
        yield _judged(one, found.support, found.score)


def _judged(one: LabelledRow, support: Support, score: float | None) -> Judged:
    return Judged(one.label, one.source, one.row.question or one.row.claim, support, score)
