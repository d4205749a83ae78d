"""`monitor judge` and `monitor judge-report`: what they read, print and refuse."""

import io
import json
import subprocess
import sys

import jsonschema
import pytest

from tests import misbehaving
from tests.corpora import ROOT, corpora
from tests.unit.judge.tiny_nli import write_model

CLAIM = "The ferry takes forty minutes."


@pytest.fixture(autouse=True)
def _bare_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def line(number, claim=CLAIM, **extra):
    return json.dumps({"id": number, "claim": claim, "passages": [CLAIM], **extra}) + "\n"


def schema(name):
    return json.loads((ROOT / "docs" / "schemas" / f"{name}.schema.json").read_text("utf-8"))


@pytest.fixture
def labelled(tmp_path):
    path = tmp_path / "labelled.jsonl"
    rows = [
        line(1, label="full", question="a", source="ferries"),
        line(2, "Bread needs salt.", label="unsupported", question="b", source="ferries"),
        line(3, "The ferry takes fifty minutes.", label="contradicted", source="ferries"),
        line(4, label="not_full", source="other"),
    ]
    path.write_text("".join(rows))
    return path


# --- judge ---


def test_a_verdict_comes_before_the_next_row_is_sent():
    started = subprocess.Popen(
        [sys.executable, "-m", "monitor", "judge", "-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=ROOT,
    )  # fmt: skip
    with started as process:
        for number in (1, 2):
            process.stdin.write(line(number).encode())
            process.stdin.flush()
            told = json.loads(process.stdout.readline())
            assert (told["id"], told["label"]) == (number, "full")
        process.stdin.close()
        assert (process.stdout.read(), process.wait()) == (b"", 0)


def test_nobody_reads_the_verdicts_any_more():
    started = subprocess.Popen(
        [sys.executable, "-m", "monitor", "judge", "-"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=ROOT,
    )  # fmt: skip
    with started as process:
        process.stdout.close()
        process.stdin.write(line(1).encode() * 3)
        process.stdin.close()
        assert (process.stderr.read(), process.wait()) == (b"", 0)


def test_rows_after_a_wrong_one_are_not_judged_and_those_before_are(call, tmp_path):
    (tmp_path / "rows.jsonl").write_text(line(1) + "{\n" + line(3))
    code, out, said = call("judge", "rows.jsonl")
    assert (code, json.loads(out)["id"]) == (2, 1)
    assert said.startswith("error: rows.jsonl line 2: not JSON")


def test_an_endless_line_is_refused(call, tmp_path, monkeypatch):
    monkeypatch.setattr("monitor.cli.judging.MAX_LINE", 2**20)
    (tmp_path / "rows.jsonl").write_text(line(1) + line(2, passages=["x" * 2**20]))
    code, out, said = call("judge", "rows.jsonl")
    assert (code, out.count("\n")) == (2, 1)
    assert "rows.jsonl line 2: longer than 1 MiB" in said


def test_an_inference_model_of_the_settings_judges(call, tmp_path):
    model = write_model(tmp_path / "tiny")
    (tmp_path / "config.yaml").write_text(f"judge: {{nli: {{model: {model}, batch: 2}}}}\n")
    (tmp_path / "rows.jsonl").write_text("".join(line(n, question="q") for n in range(5)))
    code, out, _ = call("judge", "rows.jsonl", "--judge", "nli")
    told = [json.loads(one) for one in out.splitlines()]
    assert (code, [one["id"] for one in told]) == (0, [0, 1, 2, 3, 4])
    assert {(one["label"], one["judge"].split("@")[0]) for one in told} == {("full", "nli-tiny")}
    for one in told:
        jsonschema.Draft202012Validator(schema("judge")).validate(one)


def test_an_inference_model_that_nobody_named_is_told(call, tmp_path):
    (tmp_path / "rows.jsonl").write_text(line(1))
    code, _, said = call("judge", "rows.jsonl", "--judge", "nli")
    assert (code, "judge.nli.model names no model" in said) == (2, True)


def test_a_judge_that_is_paid_keeps_to_its_caps_and_pays_nothing_twice(call, tmp_path):
    rows = [
        json.dumps({"id": n, "claim": f"{misbehaving.CLAIM} {n}", "passages": [misbehaving.PAGE]})
        for n in range(3)
    ]
    (tmp_path / "rows.jsonl").write_text("\n".join(rows))
    with misbehaving.Server(misbehaving.judges()).running() as server:
        (tmp_path / "config.yaml").write_text(
            f"judge: {{calls: 2, llm: {{model: m-1, base_url: '{server.url}', concurrency: 1, "
            "input_micros: 1000000, output_micros: 2000000}}\n"
        )
        code, out, said = call("judge", "rows.jsonl", "--judge", "llm")
        told = [json.loads(one) for one in out.splitlines()]
        again, out, _ = call("judge", "rows.jsonl", "--judge", "llm")
        calls = len(server.calls)
    assert [one["label"] for one in told] == ["full", "full", "not_assessable"]
    assert told[0]["usage"]["input_tokens"] == 100
    assert told[0]["cost"] == misbehaving.PAID / 1e6
    assert (code, told[2]["reasons"]) == (3, ["pending"])
    assert said.startswith("verdicts are pending: ")
    assert (again, calls) == (0, 3)
    assert [json.loads(one)["label"] for one in out.splitlines()] == ["full"] * 3


# --- judge-report ---


def test_a_judge_is_measured_on_labelled_rows(call, labelled):
    code, out, said = call("judge-report", labelled, "--json")
    told = json.loads(out)
    assert (code, said, told["overall"]["rows"]) == (0, "", 4)
    assert told["judge"].startswith("embedded@")
    assert set(told["sources"]) == {"ferries", "other"}
    jsonschema.Draft202012Validator(schema("judge-report")).validate(told)
    assert call("judge-report", labelled, "--json")[1] == out


def test_a_report_for_people_is_a_table(call, labelled):
    code, out, _ = call("judge-report", labelled)
    assert code == 0
    assert "source" in out
    assert "people / judge" in out
    assert "say little of a judge" in out


def test_names_of_strangers_cannot_steer_the_terminal(call, tmp_path):
    path = tmp_path / "hostile.jsonl"
    path.write_text(line(1, label="full", source="\x1b[2J\u202e\ud800" + "x" * 500))
    code, out, _ = call("judge-report", path)
    assert code == 0
    assert not set("\x1b\u202e") & set(out)
    assert max(map(len, out.splitlines())) < 200


def test_verdicts_given_elsewhere_are_measured_alike(call, labelled, tmp_path):
    judged = call("judge", labelled)[1]
    (tmp_path / "verdicts.jsonl").write_text(judged)
    own = json.loads(call("judge-report", labelled, "--json")[1])
    code, out, _ = call("judge-report", labelled, "--verdicts", "verdicts.jsonl", "--json")
    assert (code, json.loads(out)) == (0, own)


def test_labelled_rows_may_come_from_standard_input(call, labelled, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(labelled.read_bytes())))
    code, out, _ = call("judge-report", "-", "--json")
    assert (code, json.loads(out)["overall"]["rows"]) == (0, 4)


def test_the_suite_that_ships_is_run(call):
    code, out, _ = call("judge-report", "--bundled", "--json")
    told = json.loads(out)
    jsonschema.Draft202012Validator(schema("judge-report")).validate(told)
    assert (code, {one["half"] for one in told["suite"]}) == (0, {"open", "blind"})
    assert "= all changed" in call("judge-report", "--bundled")[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "expected either files of labelled rows"),
        (("--bundled", "labelled.jsonl"), "expected either files of labelled rows"),
        (("--bundled", "--verdicts", "v.jsonl"), "expected either files of labelled rows"),
        (("nowhere.jsonl",), "nowhere.jsonl: cannot be read"),
        (("labelled.jsonl", "--verdicts", "v.jsonl"), "v.jsonl: cannot be read"),
        (("labelled.jsonl", "--judge", "oracle"), "no judge is called 'oracle'"),
        (("empty.jsonl",), "no labelled rows"),
        (("labelled.jsonl", "bad.jsonl"), "bad.jsonl line 1: label is None"),
    ],
)
def test_what_cannot_be_measured_is_told(call, labelled, tmp_path, arguments, words):
    (tmp_path / "empty.jsonl").write_text("\n")
    (tmp_path / "bad.jsonl").write_text(line(1))
    code, out, said = call("judge-report", *arguments)
    assert (code, out) == (2, "")
    assert words in said


@pytest.mark.corpora
def test_macro_f1_is_that_of_plain_counting(call, tmp_path):
    """Mean over sources of the F1 of both classes at score 0.5, counted row by row."""
    lines = corpora("judge/attributionbench_dev.jsonl").read_text("utf-8").splitlines(keepends=True)
    path = tmp_path / "part.jsonl"
    path.write_text("".join(lines[::5]), "utf-8")
    report = json.loads(call("judge-report", path, "--json")[1])
    told = {}
    for one in map(json.loads, call("judge", path)[1].splitlines()):
        told[one["id"]] = one["score"] >= 0.5
    f1s = {}
    rows = [json.loads(one) for one in path.read_text("utf-8").splitlines()]
    for source in {row["source"] for row in rows}:
        pairs = [(r["label"] == "full", told[r["id"]]) for r in rows if r["source"] == source]
        of = [
            2 * sum(a == b == wanted for a, b in pairs)
            / sum((a == wanted) + (b == wanted) for a, b in pairs)
            for wanted in (True, False)
        ]  # fmt: skip
        f1s[source] = sum(of) / 2
        assert report["sources"][source]["macro_f1"]["value"] == pytest.approx(f1s[source])
    mean = sum(f1s.values()) / len(f1s)
    assert report["overall"]["macro_f1"]["value"] == pytest.approx(mean)
