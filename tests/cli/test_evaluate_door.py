"""`monitor evaluate`: what it writes and prints, its exit codes, and what it asks."""

import csv
import json
from pathlib import Path

import jsonschema
import pytest

from monitor.pipeline.judges_at_hand import free_judge
from tests.evaluated import TagJudge, table
from tests.house import ROOT

FERRY = "The ferry takes 45 minutes."
SCHEMAS = ROOT / "docs" / "schemas"


@pytest.fixture(autouse=True)
def judge(tmp_path, monkeypatch):
    """A judge that reads tags, in the place of any free one."""
    monkeypatch.chdir(tmp_path)
    made = TagJudge()
    monkeypatch.setattr("monitor.pipeline.evaluation.judging.free_judge", lambda *_: made)
    return made


def write(name, content):
    Path(name).write_text(content, "utf-8", newline="")
    return name


def alce(*entries):
    return json.dumps({"args": {}, "data": list(entries)})


ENTRY = {"question": "Q?", "output": "Ann is 40 [1].", "docs": [{"title": "A", "text": "[full] a"}]}


def rows():
    path = Path("out/output_data_with_usage_and_metrics.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def output():
    return json.loads(Path("out/output_data_with_usage.json").read_text("ascii"))


def fits(name, told):
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    jsonschema.Draft202012Validator(schema).validate(told)


def test_a_table_becomes_two_files_and_a_summary(call):
    file = write("t.csv", table((FERRY, ["[full] a", "b"])))
    code, out, err = call("evaluate", file, "--out", "out")
    assert code == 0
    assert "judge tag@1, profile monitor, 1 rows" in out
    assert "recall" in out
    assert "100.00" in out
    assert "3 verdicts, 3 of them given now for 0.0000 USD" in out
    assert rows()[0]["precision"] == "0.5"
    assert err.strip().startswith("rows: 1 of 1")
    fits("evaluate", output())


def test_json_for_programs_is_one_object(call):
    file = write("t.csv", table((FERRY, ["[full] a"])))
    code, out, _ = call("evaluate", file, "--out", "out", "--json")
    told = json.loads(out)
    assert (code, out.count("\n"), told["totals"]["rows"]) == (0, 1, 1)
    assert (told["asked_now"], told["cost_now"]) == (1, 7e-6)
    assert told["files"][1].endswith("output_data_with_usage_and_metrics.csv")
    again = json.loads(call("evaluate", file, "--out", "out", "--json")[1])
    assert (again["asked_now"], again["cost_now"], again["totals"]["cost"]) == (0, 0, 7e-6)


def test_rows_that_fail_are_exit_three_and_named(call):
    file = write("t.csv", table((FERRY, ["[full] a"]), (FERRY, "no list"), (FERRY, ["[error] b"])))
    code, _, err = call("evaluate", file, "--out", "out")
    assert code == 3
    assert "row 2: snippets is neither a JSON nor a Python list" in err
    assert "row 3: the judge gave no verdict (judge_error: no answer)" in err
    assert "2 of 3 rows were not evaluated" in err
    fits("evaluate", output())


@pytest.mark.parametrize("content", [table(), table((FERRY, "no"))])
def test_a_file_in_which_nothing_can_be_read_is_exit_two(call, content):
    code, _, err = call("evaluate", write("t.csv", content), "--out", "out")
    assert code == 2
    assert "error: " in err


def test_a_cap_leaves_the_rest_pending_and_the_same_command_goes_on(call, judge):
    file = write("t.csv", table((FERRY, ["[full] a"]), (FERRY, ["[full] b"])))
    judge.most = 1
    code, _, err = call("evaluate", file, "--out", "out")
    assert code == 3
    assert "no further calls: the cap of the test; the same command goes on then" in err
    judge.most = judge.held = None
    code, _, _ = call("evaluate", file, "--out", "out")
    assert (code, len(judge.asked)) == (0, 2)


def test_a_stop_by_hand_keeps_what_was_judged(call, judge, monkeypatch):
    file = write("t.csv", table((FERRY, ["[full] a"]), (FERRY, ["[full] b"])))

    def stopping(claim, evidence):
        if judge.asked:
            raise KeyboardInterrupt
        return TagJudge.verdict(judge, claim, evidence)

    monkeypatch.setattr(judge, "verdict", stopping, raising=False)
    code, _, err = call("evaluate", file, "--out", "out")
    assert code == 130
    assert "the same command goes on" in err


def test_a_dry_run_asks_nothing_and_writes_nothing(call, judge, tmp_path):
    file = write("t.csv", table((FERRY, ["[full] a", "b"])))
    code, out, _ = call("evaluate", file, "--out", "out", "--dry-run")
    assert (code, judge.asked, (tmp_path / "out").exists()) == (0, [], False)
    assert "verdicts to be asked of tag@1: 3" in out
    told = json.loads(call("evaluate", file, "--out", "out", "--dry-run", "--json")[1])
    assert (told["rows"], told["kept"], told["verdicts"], told["micros"]) == (1, 0, [3, 3], [0, 0])


def test_an_alce_file_is_told_by_its_content_and_list_answers_by_its_name(call):
    entry = {**ENTRY, "output": "Ann [1]", "answers": [["Ann"]]}
    file = write("QAMPARI-run.json", alce(entry))
    code, out, _ = call("evaluate", file, "--out", "out", "--profile", "alce")
    told = output()
    assert (code, told["format"], told["qampari"]) == (0, "alce", True)
    assert told["totals"]["answer_means"]["qampari_f1"]["percent"] == 100.0
    assert "mean of answers" in out
    fits("evaluate", told)
    call("evaluate", write("x.json", alce(entry)), "--out", "out", "--qampari", "--profile", "alce")
    assert output()["totals"]["answer_means"]["qampari_f1"]["percent"] == 100.0


def test_the_limit_of_citations_is_three_unless_told(call):
    docs = [{"title": "A", "text": tag} for tag in ("a", "b", "c", "[full] d")]
    file = write("x.json", alce({**ENTRY, "output": "Ann is 40 [1][2][3][4].", "docs": docs}))
    call("evaluate", file, "--out", "out", "--profile", "alce")
    assert output()["totals"]["answer_means"]["citation_rec"]["percent"] == 0.0
    call("evaluate", file, "--out", "out", "--profile", "alce", "--at-most-citations", "none")
    told = output()
    assert told["totals"]["answer_means"]["citation_rec"]["percent"] == 100.0
    assert told["at_most_citations"] is None


def test_json_lines_fit_the_schema(call):
    lines = [
        {"id": 1, "question": "Q?", "answer": "Ann is 40 [1].", "citations": [{"text": "[full]"}]},
        {"claim": "Bob is 50.", "passages": ["[partial] b"]},
    ]
    file = write("x.jsonl", "".join(f"{json.dumps(one)}\n" for one in lines))
    assert call("evaluate", file, "--out", "out")[0] == 0
    told = output()
    assert told["totals"]["measures"]["citation_recall"]["hits"] == 1
    fits("evaluate", told)
    schema = json.loads((SCHEMAS / "evaluate-lines.schema.json").read_text("utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    for one in lines:
        jsonschema.Draft202012Validator(schema).validate(one)


def test_fluency_without_a_model_says_so_and_the_rest_is_measured(call, tmp_path):
    entries = [{**ENTRY, "answer": "Ann is forty."}, {**ENTRY, "answer": "Ann is 40 now."}]
    file = write("x.json", alce(*entries))
    code, out, _ = call("evaluate", file, "--out", "out", "--profile", "alce")
    assert code == 0
    assert "fluency not measured: no --mauve-model was given" in out
    code, out, _ = call("evaluate", file, "--out", "out", "--mauve-model", tmp_path / "none")
    assert code == 3
    assert "fluency not measured: " in out
    assert output()["totals"]["measures"]["citation_recall"]["value"] == 1.0
    assert call("evaluate", file, "--out", "out", "--measures", "fluency")[0] == 3


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("none.csv", "--out", "out"), "none.csv: no such file"),
        ((".", "--out", "out"), "no such file"),
        (("t.csv",), "Missing option"),
        (("t.csv", "--out", "t.csv"), "is no folder"),
        (("t.csv", "--out", "out", "--format", "xml"), "expected one of auto, csv, alce, jsonl"),
        (("t.csv", "--out", "out", "--measures", "speed"), "'speed'; expected some of citations"),
        (
            ("t.csv", "--out", "out", "--at-most-citations", "0"),
            "expected a number from 1, or none",
        ),
        (("t.csv", "--out", "out", "--profile", "x"), "--profile"),
        (("t.csv", "--out", "out", "--format", "alce"), "not JSON"),
        (("bad.csv", "--out", "out"), "column question, statement, snippets is missing"),
        (("t.csv", "--out", "out", "--config", "none.yaml"), "none.yaml: no such file"),
    ],
)
def test_a_mistake_of_the_user_is_exit_two_without_a_traceback(call, words, says):
    write("t.csv", table((FERRY, [])))
    write("bad.csv", "a,b\n1,2\n")
    code, out, err = call("evaluate", *words)
    assert (code, out) == (2, "")
    assert says in err
    assert "Traceback" not in err


def test_an_unknown_judge_is_named(call, monkeypatch):
    monkeypatch.setattr("monitor.pipeline.evaluation.judging.free_judge", free_judge)
    file = write("t.csv", table((FERRY, [])))
    code, _, err = call("evaluate", file, "--out", "out", "--judge", "oracle")
    assert code == 2
    assert "no judge is called 'oracle'" in err


def test_columns_that_lack_and_are_not_needed_are_named(call):
    file = write("t.csv", f"question,statement,snippets\nq,{FERRY},[]\n")
    code, _, err = call("evaluate", file, "--out", "out")
    assert code == 0
    assert "t.csv: no column response, context_id, statement_index, citations, documents" in err


def test_text_of_strangers_cannot_drive_the_terminal(call):
    entry = {"question": "\x1b[2J", "output": 3, "docs": []}
    _, out, err = call("evaluate", write("x.json", alce(entry)), "--out", "out")
    assert not set("\x1b\x07") & set(out + err)
    file = write("t.csv", "\x1b[2Jq,b\n1,2\n")
    assert "\x1b" not in call("evaluate", file, "--out", "out")[2]
