"""Labels of a panel as files: those that count as rows that import again, all of them as JSON."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from monitor.domain.moments import utc_second
from monitor.pipeline.adjudicating import Decisions, support_decisions, support_of
from monitor.pipeline.bench import Bench
from monitor.report.csv import to_csv
from monitor.store import label_plans, support_labels
from monitor.store.adjudications import Adjudication
from monitor.store.label_plans import LabelPlan
from monitor.store.support_labels import PairKey, SupportLabel

COLUMNS = (
    "pair", "prompt", "claim", "support", "annotator", "note", "guideline", "labelled_at",
    "seconds", "adjudicated", "adjudicator", "adjudication_reason",
)  # fmt: skip

_MOST_PLANS = 10_000


@dataclass(frozen=True, slots=True)
class LabelBook:
    """Everything that people said of a panel's pairs."""

    panel: str
    history: tuple[SupportLabel, ...]
    """Every label that was given, and what was taken back, oldest first."""
    decisions: Decisions
    plans: tuple[LabelPlan, ...]
    """Newest first."""
    names: Mapping[PairKey, tuple[str, str]]
    """Pair -> (its name in the newest draw that has it, its prompt)."""


def label_book(bench: Bench, panel: str) -> LabelBook:
    """The labels of a panel with what stands around them."""
    draws = bench.read(lambda c: support_labels.load_draws(c, panel))
    return LabelBook(
        panel,
        bench.read(lambda c: support_labels.load_label_history(c, panel)),
        support_decisions(bench, panel),
        bench.read(lambda c: label_plans.load_plans(c, panel, limit=_MOST_PLANS)),
        {one.pair: (one.name, one.prompt) for draw in draws for one in draw.pairs},
    )


def labels_csv(book: LabelBook) -> str:
    """The labels that count, a row each, as `monitor labels add` reads them."""
    return to_csv(COLUMNS, (tuple(one[name] for name in COLUMNS) for one in label_rows(book)))


def labels_jsonl(book: LabelBook) -> str:
    """The same as one JSON object a line."""
    return "".join(f"{json.dumps(one, ensure_ascii=True)}\n" for one in label_rows(book))


def label_rows(book: LabelBook) -> Iterator[dict[str, Any]]:
    """The labels that count, oldest first, with what was decided of their pairs."""
    for one in support_labels.counting(book.history):
        decision = book.decisions.get(one.pair.identity)
        yield {**_label(book, one), **_decided(decision)}


def labels_json(book: LabelBook) -> dict[str, Any]:
    """All that was ever labelled, planned and decided of a panel."""
    counts = {one.id for one in support_labels.counting(book.history)}
    return {
        "panel": book.panel,
        "plans": [_plan(one) for one in reversed(book.plans)],
        "labels": [
            {
                "id": one.id,
                **_label(book, one),
                "saved_at": _moment(one.saved_at),
                "withdraws": one.withdrawn,
                "counts": one.id in counts,
            }
            for one in book.history
        ],
        "adjudications": [
            {
                "id": one.id,
                "pair": _name(book, identity),
                "identity": identity,
                "support": support_of(one).value,
                "reason": one.reason,
                "adjudicator": one.adjudicator,
                "saved_at": utc_second(one.saved_at),
                "originals": [dict(label) for label in one.originals],
            }
            for identity, one in book.decisions.items()
        ],
    }


def _label(book: LabelBook, one: SupportLabel) -> dict[str, Any]:
    name, prompt = book.names.get(one.pair, ("", ""))
    return {
        "pair": name,
        "prompt": prompt,
        "claim": one.claim,
        "support": one.support.value,
        "annotator": one.annotator,
        "note": one.note,
        "guideline": one.guideline,
        "labelled_at": _moment(one.labelled_at),
        "seconds": one.seconds,
    }


def _name(book: LabelBook, identity: str) -> str:
    return next((n for pair, (n, _) in book.names.items() if pair.identity == identity), "")


def _decided(one: Adjudication | None) -> dict[str, Any]:
    return {
        "adjudicated": support_of(one).value if one else None,
        "adjudicator": one.adjudicator if one else None,
        "adjudication_reason": one.reason if one else None,
    }


def _plan(one: LabelPlan) -> dict[str, Any]:
    return {
        "plan": one.id,
        "draw": one.draw,
        "annotators": list(one.annotators),
        "double_share": one.double_share,
        "guideline": one.guideline,
        "made_by": one.made_by,
        "made_at": utc_second(one.made_at),
        "assignments": [
            {"position": each.position, "annotators": list(each.annotators)}
            for each in one.assignments
        ],
    }


def _moment(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
