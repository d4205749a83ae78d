"""One row of a table: a statement and the snippets it rests on."""

from collections.abc import Mapping

from monitor.claims import statements
from monitor.claims.kinds import kind_reason
from monitor.domain.claim import Question, StatementKind, Verdict
from monitor.domain.engine import Outcome, Reading
from monitor.pipeline.evaluation.asking import Asking, ask
from monitor.pipeline.evaluation.book import failure_of
from monitor.pipeline.evaluation.cells import RowError, texts_of
from monitor.pipeline.evaluation.evaluated import Evaluated
from monitor.pipeline.evaluation.tables import Sheet, SheetRow
from monitor.pipeline.evaluation.verdict_json import verdict_json
from monitor.pipeline.evaluation.words import precision_words, recall_words
from monitor.report.csv import Cell
from monitor.scoring.evaluated import (
    snippet_f1,
    snippet_precision,
    snippet_recall,
    snippets_about,
)

MEASURES = ("recall", "precision", "f1")
CELLS = (
    "recall", "recall_reason", "precision", "precision_reason", "f1", "citation_needed",
    "citation_needed_reason",
)  # fmt: skip
"""Columns of a row's measures, in the order of the output."""
BEHIND = ("recall_support",)
"""Columns behind all others: the verdict on all snippets together."""


def row_questions(statement: str, snippets: tuple[str, ...]) -> tuple[Question, ...]:
    """All snippets together first, then each alone; one question where there is one snippet."""
    if not snippets:
        return ()
    each = (Question(statement, (one,)) for one in snippets)
    return tuple(dict.fromkeys((Question(statement, snippets), *each)))


def kind_of(statement: str) -> tuple[StatementKind, str]:
    """Kind of a statement that stands alone, and why; a claim where one of its sentences is."""
    split = statements(Reading(Outcome.ANSWERED, text=statement)) if statement.strip() else ()
    if not split:
        return StatementKind.TRANSITION, "has no words"
    telling = next((one for one in split if one.kind is StatementKind.CLAIM), split[0])
    return telling.kind, kind_reason(telling.kind, telling.text)


def evaluate_row(sheet: Sheet, row: SheetRow) -> Asking[Evaluated]:
    """Recall, precision, F1 and need of a citation; a row that cannot be read says why."""
    told = {name.strip(): cell for name, cell in zip(sheet.header, row.cells, strict=True)}
    try:
        statement, snippets = _read(sheet, row)
    except RowError as error:
        return _failed(sheet, row, told, str(error))
    verdicts = yield from ask(row_questions(statement, snippets))
    joint = verdicts[Question(statement, snippets)] if snippets else None
    alone = [verdicts[Question(statement, (one,))] for one in snippets]
    return _evaluated(sheet, row, told, (joint, alone))


def _read(sheet: Sheet, row: SheetRow) -> tuple[str, tuple[str, ...]]:
    if row.fault is not None:
        raise RowError(row.fault)
    statement = row.cells[sheet.places["statement"]].strip()
    if not statement:
        raise RowError("statement is empty")
    return statement, texts_of(row.cells[sheet.places["snippets"]], "snippets")


def _evaluated(
    sheet: Sheet,
    row: SheetRow,
    told: Mapping[str, str],
    verdicts: tuple[Verdict | None, list[Verdict]],
) -> Evaluated:
    joint, alone = verdicts
    recall, about = snippet_recall(joint), snippets_about(alone)
    precision = snippet_precision(about)
    f1 = snippet_f1(recall, precision)
    kind, why = kind_of(row.cells[sheet.places["statement"]])
    cells: dict[str, Cell] = {
        "recall": recall.value,
        "recall_reason": recall_words(joint),
        "precision": precision.value,
        "precision_reason": precision_words(alone),
        "f1": f1.value,
        "citation_needed": _flag(needed=kind is StatementKind.CLAIM),
        "citation_needed_reason": why,
    }
    support = None if joint is None else joint.support.value
    failure = failure_of(one for one in (joint, *alone) if one is not None)
    return Evaluated(
        question=row.cells[sheet.places["question"]],
        told={
            "row": row.number,
            "input": told,
            **cells,
            "citation_needed": kind is StatementKind.CLAIM,
            "recall_support": support,
            "kind": kind.value,
            "verdicts": {
                "together": None if joint is None else verdict_json(joint),
                "each": [verdict_json(one) for one in alone],
            },
            "failure": failure,
        },
        measures={**cells, "recall_support": support},
        rates={"recall": recall, "precision": precision, "f1": f1},
        failure=failure,
        inputs=row.cells,
    )


def _failed(sheet: Sheet, row: SheetRow, told: Mapping[str, str], fault: str) -> Evaluated:
    """A row without measures; why stands where its reasons would."""
    statement = row.cells[sheet.places["statement"]]
    kind, why = None, f"not evaluated: {fault}"
    if row.fault is None and statement.strip():
        kind, why = kind_of(statement)
    cells: dict[str, Cell] = {
        "recall": None,
        "recall_reason": f"not evaluated: {fault}",
        "precision": None,
        "precision_reason": f"not evaluated: {fault}",
        "f1": None,
        "citation_needed": None if kind is None else _flag(needed=kind is StatementKind.CLAIM),
        "citation_needed_reason": why,
    }
    needed = None if kind is None else kind is StatementKind.CLAIM
    shown = {
        **cells,
        "citation_needed": needed,
        "recall_support": None,
        "kind": None if kind is None else kind.value,
    }
    return Evaluated(
        question=row.cells[sheet.places["question"]],
        told={"row": row.number, "input": told, **shown, "verdicts": None, "failure": fault},
        measures={**cells, "recall_support": None},
        rates={},
        failure=fault,
        inputs=row.cells,
        unread=True,
    )


def _flag(*, needed: bool) -> str:
    return "true" if needed else "false"
