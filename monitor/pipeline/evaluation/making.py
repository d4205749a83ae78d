"""An evaluation from a file to its two outputs; what was judged before is not judged again."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from monitor.claims import CLAIMS_VERSION
from monitor.domain.assessment import Profile
from monitor.domain.claim import Judge
from monitor.errors import JudgeError, MonitorError
from monitor.judge.erring import Errors
from monitor.judge.fluency import fluency
from monitor.pipeline.evaluation.asking import Asking, together, tracked
from monitor.pipeline.evaluation.book import Book, Used
from monitor.pipeline.evaluation.checkpoint import Checkpoint
from monitor.pipeline.evaluation.evaluated import Evaluated
from monitor.pipeline.evaluation.inputs import Format, Source
from monitor.pipeline.evaluation.totals import Totals
from monitor.pipeline.evaluation.writing import CSV_NAME, JSON_NAME, Outputs
from monitor.pipeline.run_judge import RunJudge

CHECKPOINT = "checkpoint"
_WINDOW = 64
"""Rows that are worked on at once."""
_MOST_SHOWN = 10
Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, slots=True)
class Finished:
    """How an evaluation ended."""

    told: dict[str, Any]
    """Everything of the JSON output but the rows."""
    files: tuple[Path, Path]
    failures: tuple[tuple[int, str], ...]
    """The first rows that failed and why."""
    asked: int
    """Verdicts given now; the others were kept from before, or read from stored replies."""
    replays: int
    """Verdicts read from stored replies, which cost nothing now."""
    micros: int
    """What was paid now, in millionths of a USD."""
    errors: Errors
    """Verdicts that are errors of the judge."""
    held: str | None
    """Which cap ended the judge's calls."""


def make_folder(folder: Path) -> Path:
    """The folder of an evaluation, made if absent."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise MonitorError(f"{folder}: is no folder; name one with --out") from error
    return folder


def evaluate(
    source: Source, folder: Path, judge: Judge, *, progress: Progress, model: Path | None = None
) -> Finished:
    """Judge every row of a file and write both outputs; `model` is the one that reads fluency."""
    _require_apart(source.path, make_folder(folder))
    checkpoint = Checkpoint(folder / CHECKPOINT)
    try:
        asked = judge if isinstance(judge, RunJudge) else RunJudge(judge.version, judge)
        book = Book(asked, checkpoint)
        with Outputs(folder, source.inputs, source.columns, source.behind) as outputs:
            return _evaluated(source, book, outputs, (progress, model))
    finally:
        checkpoint.close()


def _require_apart(file: Path, folder: Path) -> None:
    """MonitorError where an output would take the place of the file that is evaluated."""
    for path in (folder / name for name in (JSON_NAME, CSV_NAME, CHECKPOINT)):
        if path.exists() and path.samefile(file):
            raise MonitorError(
                f"{file}: would be replaced by an output of this evaluation; name another folder "
                "with --out"
            )


def _evaluated(
    source: Source, book: Book, outputs: Outputs, settings: tuple[Progress, Path | None]
) -> Finished:
    progress, model = settings
    judge = book.judge
    head = _head(source, judge)
    outputs.begin(head)
    sums, failures = _Sums(), list[tuple[int, str]]()
    total = source.count()
    for window in _windows(source.works()):
        done: list[tuple[Evaluated, Used]] = []
        for one, asked in book.run(together([tracked(work) for work in window])):
            used = book.charge(asked)
            sums.add(one, used)
            done.append((one, used))
            if one.failure is not None and len(failures) < _MOST_SHOWN:
                failures.append((sums.whole.rows, one.failure))
        book.forget()
        outputs.add(done)
        progress("rows", sums.whole.rows, total)
    told = _told(source, sums, model)
    files = outputs.end(told)
    replays = judge.replays()
    return Finished(
        told=head | told,
        files=files,
        failures=tuple(failures),
        asked=book.asked - replays,
        replays=replays,
        micros=book.micros if judge.spent is None else judge.spent(),
        errors=judge.errors,
        held=judge.held,
    )


class _Sums:
    """Totals of the file and of each question, and texts whose fluency is compared."""

    def __init__(self) -> None:
        self.whole = Totals()
        self.by_question: dict[str, Totals] = {}
        self.texts: list[tuple[str, str]] = []

    def add(self, one: Evaluated, used: Used) -> None:
        self.whole.add(one, used)
        if one.question or not one.unread:
            self.by_question.setdefault(one.question, Totals()).add(one, used)
        if one.fluency is not None:
            self.texts.append(one.fluency)


def _head(source: Source, judge: Judge) -> dict[str, Any]:
    """What the figures rest on."""
    return {
        "schema": 1,
        "format": source.format.value,
        "sha256": source.sha256(),
        "judge": judge.version,
        "profile": source.choice.profile.value,
        "claims": CLAIMS_VERSION,
        "qampari": source.choice.qampari,
        "at_most_citations": source.choice.at_most,
    }


def _told(source: Source, sums: _Sums, model: Path | None) -> dict[str, Any]:
    """Totals as JSON, for the whole file and for each question."""
    whole = sums.whole
    totals: dict[str, Any] = {**whole.rows_json(), "measures": whole.measures()}
    if source.format is Format.CSV:
        totals["citation_needed"] = {"true": whole.needing[True], "false": whole.needing[False]}
        totals |= whole.bare_json()
    else:
        totals["answer_means"] = whole.means()
        if source.choice.profile is Profile.ALCE:
            totals["counts"] = whole.alce_json()
        totals["fluency"] = _fluency(sums.texts, model)
    return {
        "totals": totals | whole.usage_json(),
        "by_question": [
            {
                "question": question,
                **one.rows_json(),
                **(one.bare_json() if source.format is Format.CSV else {}),
                "measures": one.measures(),
            }
            for question, one in sums.by_question.items()
        ],
    }


def _fluency(texts: list[tuple[str, str]], model: Path | None) -> dict[str, Any]:
    """MAUVE times 100, as ALCE prints it, or why there is none."""
    if not texts:
        return {"mauve": None, "texts": 0, "reason": "the file has no answers of people"}
    if model is None:
        return {"mauve": None, "texts": len(texts), "reason": "no --mauve-model was given"}
    try:
        value = fluency(model, [one for one, _ in texts], [one for _, one in texts])
    except JudgeError as error:
        return {"mauve": None, "texts": len(texts), "reason": str(error)}
    return {"mauve": 100 * value, "texts": len(texts), "reason": None}


def _windows(works: Iterator[Asking[Evaluated]]) -> Iterator[list[Asking[Evaluated]]]:
    while window := list(islice(works, _WINDOW)):
        yield window
