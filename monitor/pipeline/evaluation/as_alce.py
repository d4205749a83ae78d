"""One answer in profile `alce`: what the benchmark's script would ask, count and print."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from monitor.claims import AlceStatement, alce_statements
from monitor.domain.claim import Question, Support, Verdict
from monitor.domain.score import Rate
from monitor.pipeline.evaluation.asking import Asking, together
from monitor.pipeline.evaluation.records import Record, Source
from monitor.pipeline.evaluation.verdict_json import verdict_json
from monitor.scoring import AlceAnswer, alce_answer

RECALL, PRECISION = "citation_rec", "citation_prec"


@dataclass(frozen=True, slots=True)
class Counted:
    """One statement with its counts and the verdicts they rest on."""

    statement: AlceStatement
    counts: AlceAnswer
    verdicts: Mapping[tuple[int, ...], Verdict]
    """Documents read together, from 0 -> verdict; in the order asked."""


class _UnaskedError(Exception):
    """The counting needs a verdict that nobody has asked for yet."""

    def __init__(self, refs: tuple[int, ...]) -> None:
        super().__init__()
        self.refs = refs


def premise(sources: Sequence[Source], refs: tuple[int, ...]) -> str:
    """Documents as the benchmark's model reads them: one text, titles first."""
    return "\n".join(f"Title: {sources[i].title or ''}\n{sources[i].text}" for i in refs)


def counted_statements(
    record: Record, *, qampari: bool, at_most: int | None
) -> Asking[tuple[Counted, ...]]:
    """All statements of an answer, asked side by side."""
    made = alce_statements(record.answer, record.question, qampari=qampari)
    counted = yield from together([_counted(one, record.sources, at_most) for one in made])
    return tuple(counted)


def _counted(
    statement: AlceStatement, sources: tuple[Source, ...], at_most: int | None
) -> Asking[Counted]:
    """Count again with each verdict that comes, until the counting wants no other."""
    known: dict[tuple[int, ...], Verdict] = {}

    def entails(refs: tuple[int, ...], _: str) -> bool:
        if refs not in known:
            raise _UnaskedError(refs)
        return known[refs].support is Support.FULL

    while True:
        try:
            one = [(statement.claim, statement.refs)]
            return Counted(statement, alce_answer(one, len(sources), entails, at_most), known)
        except _UnaskedError as wanted:
            question = Question(statement.claim, (premise(sources, wanted.refs),))
            known[wanted.refs] = (yield (question,))[0]


def total_of(counted: Sequence[Counted]) -> AlceAnswer:
    """Counts of the answer; none where the script skips it."""
    return sum((one.counts for one in counted), AlceAnswer())


def alce_rates(counts: AlceAnswer) -> dict[str, Rate]:
    """Recall and precision as the values of one answer; empty where the script skips it."""
    if counts.recall is None or counts.precision is None:
        return {}
    return {RECALL: Rate(counts.recall, 1), PRECISION: Rate(counts.precision, 1)}


def counted_json(counted: Sequence[Counted]) -> list[dict[str, Any]]:
    """Statements with their counts and verdicts; documents are numbered from 1."""
    return [
        {
            "claim": one.statement.claim,
            "citations": [ref + 1 for ref in one.statement.refs],
            "supported": bool(one.counts.supported),
            "precise": one.counts.precise,
            "counted_citations": one.counts.citations,
            "verdicts": [
                {"documents": [ref + 1 for ref in refs], **verdict_json(verdict)}
                for refs, verdict in one.verdicts.items()
            ],
        }
        for one in counted
    ]
