"""Exported labels: nothing is lost, and they import again as they were."""

import csv
import io
import json

import pytest

from monitor.domain.claim import Support
from monitor.errors import MonitorError
from monitor.pipeline.adjudicating import disagreements
from monitor.pipeline.label_desk import give, own_work
from monitor.pipeline.label_export import COLUMNS, label_book, labels_csv, labels_json, labels_jsonl
from monitor.pipeline.label_files import read_filled
from monitor.store import support_labels
from tests.edges.test_label_plans import (
    decide,
    doubles,
    label_all,
    made,
    said,
    store,
    without_labels,
)

__all__ = ["store", "without_labels"]

PARTIAL, UNCLEAR = Support.PARTIAL, Support.NOT_ASSESSABLE


def test_exported_labels_import_again_with_their_rules_time_and_seconds(store):
    bench, run = store
    plan = made(store)
    label_all(bench, plan, other=doubles(plan)[:1])
    own = own_work(bench, plan, "ana")
    given = give(
        bench, plan, 1, said("ana", UNCLEAR, '=1+1 "so", they\nsay', own.newest[1], seconds=12.5)
    )
    (one,) = [x for x in disagreements(bench, run.panel) if x.pair != plan.pair(1).pair]
    decide(bench, run, one, PARTIAL)
    book = label_book(bench, run.panel)
    before = bench.read(lambda c: support_labels.load_labels(c, run.panel))
    rows = list(csv.DictReader(io.StringIO(labels_csv(book), newline="")))
    assert (tuple(rows[0]), len(rows)) == (COLUMNS, 24)
    decided = [row for row in rows if row["adjudicated"]]
    assert [row["adjudicated"] for row in decided] == ["partial", "partial"]
    assert decided[0]["adjudication_reason"] == "the page says so"
    draws = bench.read(lambda c: support_labels.load_draws(c, run.panel))
    for written in (labels_csv(book), labels_jsonl(book)):
        bench.write(lambda c: c.execute(support_labels.label.delete()))
        read = read_filled(written.encode(), draws, source="f", guideline=None, annotator=None)
        at = bench.clock.now()
        assert (
            bench.write(
                lambda c, read=read, at=at: support_labels.save_labels(
                    c, run.panel, read.labels, at=at
                )
            )
            == 24
        )
        # Time, seconds, guideline and note compare as well.
        assert bench.read(lambda c: support_labels.load_labels(c, run.panel)) == before
    told = labels_json(book)
    json.dumps(told, allow_nan=False)
    assert len(told["labels"]) == 25
    assert next(x["counts"] for x in told["labels"] if x["pair"] == plan.pair(1).name) is False
    assert next(x for x in told["labels"] if x["id"] == given.id)["seconds"] == 12.5
    assert told["plans"][0]["double_share"] == 0.2
    assert len(told["adjudications"][0]["originals"]) == 2


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ({"labelled_at": "yesterday"}, "labelled_at 'yesterday'; expected such as"),
        ({"labelled_at": "2026-12-01T09:30:00"}, "labelled_at '2026-12-01T09:30:00'"),
        ({"seconds": "-1"}, "seconds '-1'; expected a number"),
        ({"seconds": "nan"}, "seconds 'nan'"),
        ({"seconds": "soon"}, "seconds 'soon'"),
        ({"guideline": ""}, "no guideline; fill the column or name its version"),
        ({"guideline": "g" * 65}, "guideline has 65 characters"),
    ],
)
def test_columns_of_an_export_are_checked_row_by_row(store, cells, told):
    plan = made(store)
    row = {"pair": plan.pair(1).name, "support": "full", "annotator": "ana", "guideline": "g1"}
    content = json.dumps(row | cells).encode()
    with pytest.raises(MonitorError, match="row 1, pair D") as caught:
        read_filled(content, [plan.draw], source="f", guideline=None, annotator=None)
    assert told in str(caught.value)
