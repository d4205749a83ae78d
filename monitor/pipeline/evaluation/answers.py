"""One answer of an outcome file: its citations in either profile, and what it says."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from monitor.claims import alce_text, statements
from monitor.domain.assessment import Profile
from monitor.domain.claim import Question, Support, Verdict
from monitor.domain.engine import Outcome, Reading
from monitor.domain.score import Rate, summed
from monitor.judge.fluency import fluency_text
from monitor.pipeline.evaluation.as_alce import (
    PRECISION,
    RECALL,
    Counted,
    alce_rates,
    counted_json,
    counted_statements,
    total_of,
)
from monitor.pipeline.evaluation.as_monitor import (
    assessed,
    assessed_json,
    judged,
    monitor_rates,
    statements_of,
)
from monitor.pipeline.evaluation.asking import Asking, ask
from monitor.pipeline.evaluation.book import failure_of
from monitor.pipeline.evaluation.evaluated import Evaluated, empty_cell, rate_json, why_empty
from monitor.pipeline.evaluation.records import Broken, Record
from monitor.pipeline.evaluation.verdict_json import verdict_json
from monitor.report.csv import Cell
from monitor.scoring import AlceAnswer
from monitor.scoring.credit import not_assessable, strict
from monitor.scoring.short_answers import list_answer, short_answers

CITATIONS, SHORT, LISTED, CLAIMS, FLUENCY = (
    "citations", "short_answers", "qampari", "claims", "fluency",
)  # fmt: skip
GROUPS = (CITATIONS, SHORT, LISTED, CLAIMS, FLUENCY)
"""Groups of measures that may be chosen."""
INPUTS = ("row", "id", "question", "output")
"""Columns that say which answer a row of the table is about."""
ANSWER_BEHIND = ("empty_reason",)
"""Column behind all others: why measures of a row have no value."""
COLUMNS: Mapping[str, tuple[str, ...]] = {
    CITATIONS: (RECALL, PRECISION),
    SHORT: ("str_em", "str_hit"),
    LISTED: (
        "qampari_prec", "qampari_rec", "qampari_rec_top5", "qampari_f1", "qampari_f1_top5",
    ),
    CLAIMS: ("claims_nli",),
}  # fmt: skip
"""Group -> names of its measures, as ALCE has them."""
MONITOR_COLUMNS = (
    "citation_recall", "citation_precision", "claim_citation_precision", "contradiction_rate",
    "uncited_claims", "uncited_needing",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Choice:
    """How answers are evaluated."""

    profile: Profile = Profile.MONITOR
    qampari: bool = False
    """Whether answers are comma-separated lists."""
    at_most: int | None = 3
    """References of a statement that profile `alce` reads; None reads all."""
    groups: frozenset[str] = frozenset(GROUPS)

    @property
    def columns(self) -> tuple[str, ...]:
        """Measures of a row, in order."""
        alce = self.profile is Profile.ALCE
        found = dict(COLUMNS) | ({} if alce else {CITATIONS: MONITOR_COLUMNS})
        left_out = SHORT if self.qampari else LISTED
        return tuple(
            name
            for group, names in found.items()
            if group in self.groups and group != left_out
            for name in names
        )


def evaluate_record(record: Record | Broken, choice: Choice) -> Asking[Evaluated]:
    """Measures of one answer; a broken one says why it has none."""
    if isinstance(record, Broken):
        return _broken(record, choice)
    told: dict[str, Any] = {"row": record.number, "id": record.name, "question": record.question}
    rates: dict[str, Rate] = {}
    verdicts: list[Verdict] = []
    counts: AlceAnswer | None = None
    if CITATIONS in choice.groups:
        if choice.profile is Profile.ALCE:
            counted = yield from counted_statements(
                record, qampari=choice.qampari, at_most=choice.at_most
            )
            counts = total_of(counted)
            told["statements"] = counted_json(counted)
            rates |= _unless_temporary(counted)
            verdicts += [v for one in counted for v in one.verdicts.values()]
        else:
            capture = yield from assessed(record, statements_of(record))
            told["statements"] = assessed_json(capture)
            rates |= monitor_rates(capture)
            verdicts += judged(capture)
    text = said(record, choice.profile)
    rates |= _spelt(record, text, choice)
    if CLAIMS in choice.groups and record.claims:
        found = yield from _claims(record.claims, text)
        told["claims"] = [{"claim": c, **verdict_json(v)} for c, v in found]
        verdicts += [v for _, v in found]
        rates["claims_nli"] = _claim_recall([v for _, v in found], choice.profile)
    failure = failure_of(verdicts)
    told["measures"] = {name: rate_json(rate) for name, rate in rates.items()}
    empty = why_empty(rates, _absent(choice, rates))
    told["empty_reasons"] = empty
    told["failure"] = failure
    cells: dict[str, Cell] = {
        name: rates[name].value if name in rates else None for name in choice.columns
    }
    return Evaluated(
        question=record.question,
        told=told,
        measures=cells | {"failure": failure, "empty_reason": empty_cell(empty)},
        rates=rates,
        failure=failure,
        inputs=_inputs(record),
        counts=counts,
        fluency=_pair(record, text) if FLUENCY in choice.groups else None,
    )


_LACKS: Mapping[str, str] = {
    CITATIONS: "skipped by the benchmark",
    SHORT: "no qa_pairs",
    LISTED: "no answers",
    CLAIMS: "no claims",
}
"""Group -> why none of its measures has a rate."""


def _absent(choice: Choice, rates: Mapping[str, Rate]) -> dict[str, str]:
    """Measures that have no rate, and what the answer lacks for them."""
    group_of = {name: group for group, names in COLUMNS.items() for name in names}
    return {
        name: _LACKS[group_of.get(name, CITATIONS)] for name in choice.columns if name not in rates
    }


def _inputs(record: Record) -> tuple[str, ...]:
    name = "" if record.name is None else str(record.name)
    return (str(record.number), name, record.question, record.answer)


def _pair(record: Record, text: str) -> tuple[str, str] | None:
    """What a person wrote and what the model did, cut alike."""
    if record.human is None:
        return None
    return fluency_text(record.question, record.human), fluency_text(record.question, text)


def said(record: Record, profile: Profile) -> str:
    """The answer without its markers: its first line in profile `alce`, else all of it."""
    if profile is Profile.ALCE:
        return alce_text(record.answer)
    if not record.answer.strip():
        return ""
    return " ".join(one.text for one in statements(Reading(Outcome.ANSWERED, text=record.answer)))


def _unless_temporary(counted: Iterable[Counted]) -> dict[str, Rate]:
    """ALCE's values; not assessable where the judge gave no verdict on some statement.

    Where it was merely unsure, its verdict is not `full`, and the benchmark knows no third.
    """
    known = tuple(counted)
    rates = alce_rates(total_of(known))
    temporary = _temporary(v for one in known for v in one.verdicts.values())
    return rates if temporary is None else dict.fromkeys(rates, not_assessable(temporary))


def _temporary(verdicts: Iterable[Verdict]) -> str | None:
    return next((v.reason for v in verdicts if failure_of((v,)) is not None), None)


def _spelt(record: Record, text: str, choice: Choice) -> dict[str, Rate]:
    """Measures by spelling alone, where the file has what they need."""
    if choice.qampari:
        if LISTED not in choice.groups or not record.listed:
            return {}
        found = list_answer(record.listed, text)
        values = (found.precision, found.recall, found.recall_top, found.f1, found.f1_top)
        return _values(COLUMNS[LISTED], values)
    if SHORT not in choice.groups or not record.short:
        return {}
    match = short_answers(record.short, text)
    return _values(COLUMNS[SHORT], (match.exact_match, match.hit))


def _values(names: Iterable[str], values: Iterable[float | None]) -> dict[str, Rate]:
    pairs = zip(names, values, strict=True)
    return {name: Rate(value, 1) for name, value in pairs if value is not None}


def _claims(claims: tuple[str, ...], text: str) -> Asking[list[tuple[str, Verdict]]]:
    """Does the answer's text entail each claim? An empty answer entails none."""
    if not text.strip():
        return [(claim, Verdict(Support.UNSUPPORTED, ("empty answer",))) for claim in claims]
    verdicts = yield from ask(Question(claim, (text,)) for claim in claims)
    return [(claim, verdicts[Question(claim, (text,))]) for claim in claims]


def _claim_recall(verdicts: list[Verdict], profile: Profile) -> Rate:
    """Claims entailed / claims, as the value of one answer."""
    if profile is Profile.ALCE:
        temporary = _temporary(verdicts)
        full = sum(one.support is Support.FULL for one in verdicts)
        return Rate(full / len(verdicts), 1) if temporary is None else not_assessable(temporary)
    rate = summed([strict(one) for one in verdicts])
    if rate.value is None:
        reasons = rate.not_assessable
        return not_assessable(max(reasons, key=lambda one: (reasons[one], one)))
    return Rate(rate.value, 1)


def _broken(record: Broken, choice: Choice) -> Evaluated:
    absent = dict.fromkeys(choice.columns)
    return Evaluated(
        question="",
        told={"row": record.number, "id": None, "question": None, "failure": record.fault},
        measures=absent | {"failure": record.fault, "empty_reason": None},
        rates={},
        failure=record.fault,
        inputs=(str(record.number), "", "", ""),
        unread=True,
    )
