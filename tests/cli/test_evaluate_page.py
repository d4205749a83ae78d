"""docs/evaluate.md: its examples, evaluated by the command as a reader would."""

import csv
import json
import re
from pathlib import Path

import pytest

from tests.house import ROOT

BLOCKS = re.findall(
    r"```(?:text|json)\n(.*?)```", (ROOT / "docs" / "evaluate.md").read_text("utf-8"), re.DOTALL
)


def block(start):
    """The example on the page that begins so."""
    return next(one for one in BLOCKS if one.startswith(start))


def evaluated(call, name, content):
    """The rows of both outputs."""
    Path(name).write_text(content, "utf-8")
    code, _, err = call("evaluate", name, "--out", "out", "--judge", "embedded")
    assert code == 0, err
    told = json.loads(Path("out/output_data_with_usage.json").read_text("ascii"))
    with Path("out/output_data_with_usage_and_metrics.csv").open(newline="") as file:
        return told, list(csv.reader(file))


def without_what_a_new_version_changes(row):
    """A row whose verdicts have no judge and no score."""
    for one in (row["verdicts"]["together"], *row["verdicts"]["each"]):
        del one["judge"], one["score"]
    return row


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    """An empty folder."""
    monkeypatch.chdir(tmp_path)


def test_the_table_on_the_page_comes_back_as_the_page_shows_it(call):
    content = block("question,statement,snippets\n")
    told, rows = evaluated(call, "answers.csv", content)
    inputs = len(content.partition("\n")[0].split(","))
    shown = list(csv.reader(block("recall,recall_reason").splitlines()))
    assert [row[inputs:] for row in rows] == shown
    one = json.loads(block("{\n"))
    assert without_what_a_new_version_changes(told["rows"][0]) == (
        without_what_a_new_version_changes(one)
    )
    assert told["totals"]["needed_without_snippets"] == 1


def test_the_lines_on_the_page_are_what_a_reader_expects_of_them(call):
    told, _ = evaluated(call, "answers.jsonl", block('{"id": 1, "question"'))
    found = [one["together"]["support"] for row in told["rows"] for one in row["statements"]]
    assert found == ["full", "full"]
