"""Tables for exports and their CSV: counts first, undefined said, no cell is a formula."""

import csv
import io

import pytest

from monitor.domain.score import UndefinedReason
from monitor.report.csv import to_csv
from monitor.report.tables import change_rows, family_rows, scorecard_rows
from tests.unit.report.synthetic_report import report


@pytest.fixture(scope="module")
def view():
    return report(prompt_count=10, engines=("openai", "perplexity"), repeats=2)


@pytest.mark.parametrize(
    "cell",
    [
        '=HYPERLINK("http://evil")',
        "+1+1",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "＝1",
        " =1",
        "\n=1",
        "\ufeff@A1",
    ],
)
def test_a_cell_that_looks_like_a_formula_is_quoted_text(cell):
    written = to_csv(["a"], [[cell]])
    assert written.splitlines()[0] == "a"
    assert written.split("\r\n", 1)[1].startswith("\"'")
    (_, (read,)) = csv.reader(io.StringIO(written, newline=""))
    assert read == f"'{cell}"


def test_negative_numbers_stay_numbers():
    assert to_csv(["a", "b", "c"], [[-2, -0.5, None]]) == "a,b,c\r\n-2,-0.5,\r\n"


def test_commas_quotes_and_line_breaks_survive_the_round_trip():
    row = ['a "b", c', "two\r\nlines", "plain"]
    read = list(csv.reader(io.StringIO(to_csv(["x", "y", "z"], [row]), newline="")))
    assert read[1] == row


def test_characters_that_no_file_can_hold_are_replaced():
    assert to_csv(["a"], [["x\x00y\ud800"]]).encode("utf-8").endswith("x�y�\r\n".encode())


@pytest.mark.parametrize("number", [float("nan"), float("inf")])
def test_a_number_that_is_none_is_refused(number):
    with pytest.raises(ValueError, match="finite"):
        to_csv(["a"], [[number]])


def test_a_row_of_another_width_is_refused():
    with pytest.raises(ValueError, match="2 cells, the header 1"):
        to_csv(["a"], [["b", "c"]])


def test_every_export_row_is_as_wide_as_its_header(view):
    cards = [c for e in view.engines for c in (e.card, *e.segments)]
    tables = (
        scorecard_rows(cards),
        family_rows(cards),
        change_rows([e.comparison for e in view.engines]),
    )
    for header, rows in tables:
        assert rows
        assert {len(row) for row in rows} == {len(header)}


def test_a_measure_row_carries_counts_and_an_undefined_one_its_reason(view):
    header, rows = scorecard_rows([view.engines[0].card])
    by_name = {row[header.index("measure")]: dict(zip(header, row, strict=True)) for row in rows}
    assert by_name["source_precision"]["value"] == (
        by_name["source_precision"]["hits"] / by_name["source_precision"]["total"]
    )
    absent = by_name["retrieved_source_recall"]
    assert absent["undefined"] == UndefinedReason.NOT_EXPOSED.value
    assert absent["hits"] is absent["value"] is absent["low"] is None


def test_concentration_stands_beside_the_measures(view):
    card = view.engines[0].card
    header, rows = scorecard_rows([card])
    values = {row[header.index("measure")]: row[header.index("value")] for row in rows}
    assert values["hhi"] == card.concentration.hhi
    assert values["effective_sources"] == pytest.approx(1 / values["hhi"])
    assert values["hhi_cross_prompt"] == card.concentration.cross_prompt


def test_change_rows_name_both_runs_and_the_verdict(view):
    comparison = view.engines[1].comparison
    header, rows = change_rows([comparison])
    row = dict(zip(header, rows[0], strict=True))
    change = comparison.families[0]
    assert (row["engine"], row["name"]) == ("perplexity", change.name)
    assert (row["verdict"], row["p"]) == (change.verdict.value, change.test.p_value)
    assert row["difference"] == change.difference
