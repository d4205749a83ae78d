"""What stands in the folder of an evaluation already: nothing of somebody else's is lost."""

import json
import os

import pytest

from monitor.domain.claim import Gap, GapKind, Question, Support, Verdict, Votes
from monitor.domain.engine import Usage
from monitor.errors import MonitorError
from monitor.pipeline.evaluation.checkpoint import Checkpoint, key_of
from monitor.pipeline.evaluation.verdict_json import read_verdict, verdict_json
from monitor.pipeline.evaluation.writing import CSV_NAME, JSON_NAME, Outputs
from tests.evaluated import TagJudge, run, table

WHOLE = Verdict(
    Support.PARTIAL, ("a",), 0.25, "quote", (1, 6), 2, "llm@1", 1234,
    (Gap(GapKind.NUMBER, 1, 3, "5", "6"),), Votes(2, 3), Usage(10, None),
)  # fmt: skip
KEY = key_of(Question("c", ("e",)), "llm@1")


@pytest.mark.parametrize("kept", [b"my notes", b"my notes\nof a year\n", b'{"weights": [1, 2]}'])
def test_a_file_of_another_kind_is_no_checkpoint_and_stays_as_it_is(tmp_path, kept):
    path = tmp_path / "checkpoint"
    path.write_bytes(kept)
    with pytest.raises(MonitorError, match="not a checkpoint"):
        Checkpoint(path)
    assert path.read_bytes() == kept


def test_what_is_no_file_is_no_checkpoint(tmp_path):
    os.mkfifo(tmp_path / "checkpoint")
    with pytest.raises(MonitorError, match="not a checkpoint"):
        Checkpoint(tmp_path / "checkpoint")


@pytest.mark.parametrize("kept", [b"", b'{"k', b'{"key":"00'])
def test_a_first_line_that_was_cut_is_taken_off(tmp_path, kept):
    path = tmp_path / "checkpoint"
    path.write_bytes(kept)
    checkpoint = Checkpoint(path)
    checkpoint.add(KEY, WHOLE)
    assert (checkpoint.get(KEY), len(checkpoint)) == (WHOLE, 1)
    checkpoint.close()


@pytest.mark.parametrize("name", [JSON_NAME, CSV_NAME])
def test_a_link_under_the_name_of_an_output_is_not_written_through(tmp_path, name):
    other = tmp_path / "other"
    other.write_text("mine", "ascii")
    (tmp_path / f"{name}.part").symlink_to(other)
    with Outputs(tmp_path, ("a",), ()) as outputs:
        outputs.begin({"schema": 1})
        outputs.end({})
    assert other.read_text("ascii") == "mine"
    assert not (tmp_path / name).is_symlink()


def test_a_table_is_not_replaced_by_its_own_evaluation(tmp_path):
    (tmp_path / "out").mkdir()
    content = table(("It is so.", ["[full]"])).encode()
    with pytest.raises(MonitorError, match="would be replaced"):
        run(tmp_path, f"out/{CSV_NAME}", content, TagJudge())
    assert (tmp_path / "out" / CSV_NAME).read_bytes() == content


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("score", float("nan")), ("score", "x"), ("score", True), ("score", 1.5),
        ("reasons", "ab"), ("reasons", [5]), ("reasons", [None]), ("quote", 5),
        ("quote_span", "xy"), ("quote_span", [1, 2, 3]), ("quote_span", [-1, 2]),
        ("evidence", "a"), ("evidence", True), ("cost_micros", float("inf")),
        ("cost_micros", -1), ("cost_micros", 10**300), ("cost_micros", "5"), ("judge", None),
        ("gaps", [5]), ("gaps", [{"kind": ["x"], "start": 0, "end": 1, "claimed": "", "source": None}]),
        ("gaps", [{"kind": "number", "start": "x", "end": 1, "claimed": "", "source": None}]),
        ("gaps", [{"kind": "number", "start": 0, "end": 1, "claimed": 5, "source": None}]),
        ("votes", [1]), ("votes", ["a", "b"]), ("support", "maybe"), ("support", []),
        ("usage", {"input_tokens": "a", "output_tokens": None}), ("usage", 5),
    ],
)  # fmt: skip
def test_an_edited_line_of_another_shape_is_asked_again(tmp_path, field, value):
    told = verdict_json(WHOLE)
    assert read_verdict(json.loads(json.dumps(told))) == WHOLE
    path = tmp_path / "checkpoint"
    edited = {"key": KEY.hex(), "verdict": told | {field: value}}
    path.write_text(json.dumps(edited, separators=(",", ":")) + "\n", "ascii")
    checkpoint = Checkpoint(path)
    assert KEY not in checkpoint
    checkpoint.add(KEY, WHOLE)
    checkpoint.close()
    again = Checkpoint(path)
    assert again.get(KEY) == WHOLE
    again.close()
