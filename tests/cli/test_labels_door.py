"""`monitor labels`: drawn, filled, stored and told by the commands that its page shows."""

import csv
import io
import json
import re
import shlex
import shutil

import jsonschema
import pytest

from monitor.cli.labels_shown import show_labels
from monitor.domain.score import Rate
from monitor.domain.trust import CorrectedMeasure, JudgeTrust, PanelLabels
from monitor.pipeline.label_files import SUPPORTS
from monitor.pipeline.label_list import LabelList
from monitor.pipeline.label_sheets import COLUMNS
from monitor.pipeline.tallying import score_run
from monitor.store import support_labels
from tests.house import ROOT
from tests.labelled import JUDGE, TREES, keep_oaks, truth
from tests.stored import bench_in, planned

PAGE = ROOT / "docs" / "labels.md"
SCHEMA = json.loads((ROOT / "docs/schemas/labels.schema.json").read_text("utf-8"))


@pytest.fixture(scope="module")
def scored(tmp_path_factory):
    """A folder with a scored run, made once."""
    made = tmp_path_factory.mktemp("scored")
    with pytest.MonkeyPatch.context() as patch, bench_in(made, patch) as bench:
        run = planned(bench, panel=TREES)
        keep_oaks(bench, run)
        score_run(bench, run, JUDGE)
    return made


@pytest.fixture
def folder(scored, tmp_path, monkeypatch):
    """The place where a person types: settings and a copy of the store, as the page supposes."""
    copy = shutil.copytree(scored, tmp_path / "own")
    (copy / "config.yaml").write_text(
        f"store: {{database: 'sqlite:///{copy}/monitor.db', artifacts: '{copy}/artifacts'}}\n"
    )
    monkeypatch.chdir(copy)
    return copy


def shown(names="draw|add|list"):
    """Commands of the page that work on labels, in order."""
    found = re.findall(rf"^monitor (labels (?:{names}) .*)$", PAGE.read_text("utf-8"), re.MULTILINE)
    return [shlex.split(one) for one in found]


def fill(path, supports):
    """Write supports into a drawn file, from the top."""
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8"), newline="")))
    for row, support in zip(rows, supports(rows), strict=False):
        row["support"] = support
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)


def test_the_page_walks_from_draw_to_list(folder, call):
    draw, add, show, as_json = shown()
    code, out, err = call(*draw)
    assert (code, err) == (0, "")
    assert "60 of 110 pairs of run:trees:2026-01, all engines" in " ".join(out.split())
    assert len(list((folder / "pages").iterdir())) == 60
    fill(folder / "pairs.csv", lambda rows: [truth(row["claim"]).value for row in rows[:45]])
    code, out, _ = call(*add)
    assert (code, out) == (0, "45 labels stored, 0 known already, 15 rows not labelled\n")
    code, out, _ = call(*add)
    assert (code, out) == (0, "0 labels stored, 45 known already, 15 rows not labelled\n")
    code, out, _ = call(*show)
    assert code == 0
    assert "45 of 60 drawn pairs labelled, 0 disputed" in out
    assert re.search(r"judge oak@1: agrees on \d+ of \d+ pairs", out)
    assert re.search(r"claim citation precision: judge [\d.]+ of \d+", " ".join(out.split()))
    code, out, _ = call(*as_json)
    told = json.loads(out)
    jsonschema.validate(told, SCHEMA)
    assert set(told) == set(SCHEMA["properties"])
    assert sum(told["annotators"]["ana"].values()) == 45


def test_a_wrong_file_stores_nothing_and_names_its_rows(folder, call):
    draw, add, *_ = shown()
    call(*draw)
    fill(folder / "pairs.csv", lambda rows: ["full"] * 10 + ["perhaps"])
    code, out, err = call(*add)
    assert (code, out) == (2, "")
    assert re.search(r"pairs\.csv: row 11, pair D\w+-0011-\w+: support", " ".join(err.split()))
    assert "support 'perhaps'; expected one of full" in " ".join(err.split())
    code, out, _ = call("labels", "list", "trees")
    assert "0 of 60 drawn pairs labelled" in out


def test_mistakes_of_the_command_line_are_told(folder, call):
    wrong = {
        ("draw", "elms", "--out", "a.csv"): "no panel 'elms' in the store; panels: trees",
        ("draw", "trees", "--out", "a.xlsx"): "expected a name ending in .csv or .jsonl",
        ("draw", "trees", "--out", "a.csv", "--run", "2020-01"): "no run '2020-01'",
        ("add", "trees", "none.csv", "--guideline", "1"): "nothing was drawn",
        ("add", "trees", "config.yaml", "--guideline", " "): "expected the version of the rules",
    }
    for words, said in wrong.items():
        if words[1:3] == ("trees", "none.csv"):
            (folder / "none.csv").write_text("pair,support\n")
        code, out, err = call("labels", *words)
        assert (code, out) == (2, "")
        assert said in " ".join(err.split())
    code, _, err = call("labels", "add", "trees", "absent.csv", "--guideline", "1")
    assert code == 2
    assert "absent.csv: cannot be read" in err


def test_json_lines_carry_the_same_pairs(folder, call):
    assert call("labels", "draw", "trees", "--out", "a.jsonl", "--pairs", "40")[0] == 0
    rows = [json.loads(line) for line in (folder / "a.jsonl").read_text("utf-8").splitlines()]
    for row in rows:
        row["support"] = "full"
    (folder / "a.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    code, out, _ = call("labels", "add", "trees", "a.jsonl", "--guideline", "1", "--annotator", "b")
    assert (code, out) == (0, "40 labels stored, 0 known already, 0 rows not labelled\n")


def test_labels_hold_a_guideline(folder, call, monkeypatch):
    call("labels", "draw", "trees", "--out", "a.csv", "--pairs", "3")
    fill(folder / "a.csv", lambda rows: ["full"] * 3)
    call("labels", "add", "trees", "a.csv", "--guideline", "7b", "--annotator", "b")
    with bench_in(folder, monkeypatch) as bench:
        stored = bench.read(lambda c: support_labels.load_labels(c, "trees"))
    assert {(one.guideline, one.annotator) for one in stored} == {("7b", "b")}


def test_the_example_of_the_correction_is_true():
    page = (ROOT / "docs" / "statistics.md").read_text("utf-8")
    own = page[page.index("## Rates corrected by labels") :]
    (block,) = re.findall(r"^```python\n(.*?)^```", own, re.DOTALL | re.MULTILINE)
    exec(block, {})


def test_the_three_rows_of_the_page_have_words_that_are_read():
    (block,) = re.findall(
        r"^```text\n(pair,.*?)^```", PAGE.read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    rows = list(csv.DictReader(io.StringIO(block, newline="")))
    assert {row["support"] for row in rows} <= set(SUPPORTS)
    assert tuple(rows[0]) == COLUMNS


def test_a_filled_file_is_not_replaced_by_the_same_draw(folder, call):
    draw = ("labels", "draw", "trees", "--out", "pairs.csv", "--pairs", "5")
    assert call(*draw)[0] == 0
    assert call(*draw)[0] == 0
    fill(folder / "pairs.csv", lambda rows: ["full" for _ in rows])
    filled = (folder / "pairs.csv").read_bytes()
    code, _, err = call(*draw)
    assert (code, "is there already and holds something else" in err) == (2, True)
    assert (folder / "pairs.csv").read_bytes() == filled


def test_with_few_labels_the_list_says_how_many_are_needed_and_that_nothing_is_corrected(
    folder, call
):
    draw, add, show, _ = shown()
    call(*draw)
    fill(folder / "pairs.csv", lambda rows: ["full"] * 8)
    call(*add)
    told = " ".join(call(*show)[1].split())
    assert "of 30 labels needed of pairs that it decided" in told
    assert re.search(r"not corrected: \d of 30 labels needed", told)
    assert "; corrected" not in told


def test_a_draw_tells_which_of_its_pairs_have_labels(folder, call):
    first = ("labels", "draw", "trees", "--pairs", "5", "--out", "a.csv")
    assert "have labels already" not in call(*first)[1]
    fill(folder / "a.csv", lambda rows: ["full"] * 4)
    call("labels", "add", "trees", "a.csv", "--guideline", "1", "--annotator", "b")
    # A larger draw begins with the smaller one.
    second = ("labels", "draw", "trees", "--pairs", "9", "--out", "b.csv")
    assert "4 of them have labels already" in " ".join(call(*second)[1].split())


def test_labels_of_a_pair_of_several_engines_are_explained(capsys):
    rate = Rate(5, 10)
    made = [
        CorrectedMeasure(engine, "contradiction_rate", rate, None, n, 50, None, None, None)
        for engine, n in (("openai", 7), ("perplexity", 6))
    ]
    here = PanelLabels(10, 0, 0, 0, 10, None)
    trust = JudgeTrust("oak@1", None, here, tuple(made))
    show_labels(LabelList("trees", 10, 10, 0, {}, {}, None, "run:trees:1", trust))
    told = " ".join(capsys.readouterr().out.split())
    assert "10 labelled pairs are 13 of 2 engines" in told


def test_a_file_without_end_is_too_large(folder, call):
    draw, *_ = shown()
    call(*draw)
    code, _, err = call("labels", "add", "trees", "/dev/zero", "--guideline", "g")
    assert (code, "larger than 64 MB" in err) == (2, True)


def test_a_plan_is_made_and_its_labels_exported(folder, call):
    making, export, export_all = shown("plan|export")
    code, out, err = call(*making)
    told = " ".join(out.split())
    assert (code, err) == (0, "")
    assert re.search(r"plan 1: 60 pairs of draw \w+, 12 of them for two annotators", told)
    assert re.search(r"ana: 3\d pairs ben: 3\d pairs", told)
    code, out, _ = call(*making)
    assert (code, "made before" in " ".join(out.split())) == (0, True)
    code, _, err = call(*making, "--double", "1")
    assert (code, "has plan 1 already" in " ".join(err.split())) == (2, True)
    for command in (export, export_all, [*export, "--out", "labels.jsonl"]):
        code, out, _ = call(*command)
        assert (code, "0 labels that count" in " ".join(out.split())) == (0, True)
    assert len(json.loads((folder / "labels.json").read_text("utf-8"))["plans"]) == 1
    assert (folder / "labels.csv").read_text("utf-8").startswith("pair,prompt,claim,support,")
    code, _, err = call("labels", "export", "trees", "--out", str(folder / "labels.txt"))
    assert (code, "expected a name ending in .csv" in " ".join(err.split())) == (2, True)
