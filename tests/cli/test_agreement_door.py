"""`monitor agreement`: what it prints, its exit codes, and that it repeats itself."""

import io
import json
import sys

import jsonschema
import pytest

from tests.house import ROOT

SCHEMA = json.loads((ROOT / "docs/schemas/agreement.schema.json").read_text("utf-8"))
HEADER = "subject,annotator,label,answer\n"


@pytest.fixture(autouse=True)
def _bare_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def labelled(rows):
    return HEADER + "".join(",".join(map(str, row)) + "\n" for row in rows)


@pytest.fixture
def labels(tmp_path):
    """118 subjects that both call 1, 5 and 2 that they part over: synthetic, after Gwet 2008."""
    pairs = [(1, 1)] * 118 + [(1, 0)] * 5 + [(0, 1)] * 2
    rows = [
        (f"s{n}", f"r{r}", pair[r], f"a{n // 2}") for n, pair in enumerate(pairs) for r in (0, 1)
    ]
    path = tmp_path / "labels.csv"
    path.write_text(labelled(rows))
    return path


def told(call, *arguments):
    code, out, err = call("agreement", *arguments, "--json")
    assert (code, err, out.count("\n")) == (0, "", 1)
    read = json.loads(out)
    jsonschema.Draft202012Validator(SCHEMA).validate(read)
    assert set(read) == set(SCHEMA["properties"])
    return read


def test_agreement_is_one_json_object(call, labels):
    read = told(call, labels)
    measures = read["measures"]
    assert (read["subjects"], read["answers"], read["annotators"]) == (125, 63, 2)
    assert (read["given"], read["missing"], read["labels"]) == (250, 0, ["0", "1"])
    # published: raw agreement 94.4 %, AC1 0.941, alpha and kappa below zero
    assert measures["raw_agreement"]["value"] == pytest.approx(0.944)
    assert measures["gwet_ac1"]["value"] == pytest.approx(0.941, abs=5e-4)
    assert measures["krippendorff_alpha"]["value"] == pytest.approx(-0.025, abs=5e-4)
    assert read["cohen_kappa"]["value"] == pytest.approx(-0.023, abs=5e-4)
    for measure in measures.values():
        assert measure["interval"]["low"] <= measure["value"] <= measure["interval"]["high"]
        assert (measure["subjects"], measure["pairs"]) == (125, 125)


def test_the_same_file_gives_the_same_bytes(call, labels):
    first, second = (call("agreement", labels, "--json")[1] for _ in range(2))
    assert first == second


def test_other_content_has_another_seed(call, labels):
    before = told(call, labels)["seed"]
    labels.write_text(labels.read_text() + "s125,r0,1,a62\n")
    assert told(call, labels)["seed"] != before


def test_graded_words_are_read_in_their_order(call, tmp_path):
    words = ("none", "partial", "full")
    rows = [
        (f"s{n}", f"r{r}", words[(n + (n % 4 == r)) % 3], f"a{n}")
        for n in range(24)
        for r in (0, 1)
    ]
    path = tmp_path / "graded.csv"
    path.write_text(labelled(rows))
    read = told(call, path, "--level", "ordinal", "--order", "none, partial, full")
    assert read["labels"] == list(words)
    assert list(read["measures"]) == ["raw_agreement", "krippendorff_alpha", "gwet_ac2"]
    assert (
        told(call, path)["measures"]["krippendorff_alpha"] != read["measures"]["krippendorff_alpha"]
    )


def test_what_has_no_value_is_null_with_its_reason(call, tmp_path):
    path = tmp_path / "same.csv"
    path.write_text(labelled([("s1", "r1", "yes", "a1"), ("s1", "r2", "yes", "a1")]))
    read = told(call, path)
    assert read["measures"]["raw_agreement"]["value"] == 1
    for name in ("krippendorff_alpha", "gwet_ac1"):
        assert read["measures"][name]["value"] is None
        assert read["measures"][name]["reason"] == "one_label_only"
    assert read["measures"]["raw_agreement"]["interval_reason"] == "few_answers"
    assert read["cohen_kappa"]["reason"] == "one_label_only"


def test_labels_come_from_standard_input(call, monkeypatch, labels):
    expected = told(call, labels)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(labels.read_bytes())))
    assert told(call, "-") == expected


def test_people_read_one_line_a_coefficient(call, labels):
    code, out, err = call("agreement", labels)
    lines = out.splitlines()
    assert (code, err) == (0, "")
    assert lines[0] == "125 subjects in 63 answers, 2 annotators, 0 of 250 labels missing"
    assert lines[1].startswith("raw agreement          0.944 [0.")
    assert lines[1].endswith("], 125 pairs in 125 subjects")
    assert lines[4] == "Cohen's kappa          -0.023"


def test_people_read_why_there_is_no_value(call, tmp_path):
    path = tmp_path / "apart.csv"
    path.write_text(labelled([("s1", "r1", "yes", "a1"), ("s2", "r2", "no", "a1")]))
    assert (
        "Krippendorff's alpha   not measured: no subject has two labels\n"
        in call("agreement", path)[1]
    )


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        (HEADER + "s1,,x,a1\n", [], "line 2: annotator is empty; expected a name"),
        (HEADER + "s1,r1,fair,a1\n", ["--level", "ordinal"], "words need --order, least to most"),
        (HEADER, ["--level", "rank"], "rank"),
        (HEADER, ["--order", "a,b"], "--order is for ordinal labels"),
    ],
)
def test_what_cannot_be_used_ends_with_two_and_a_message(call, tmp_path, content, options, said):
    path = tmp_path / "labels.csv"
    path.write_text(content)
    code, out, err = call("agreement", path, *options)
    assert (code, out) == (2, "")
    assert err.startswith("error: ")
    assert said in err


def test_a_file_that_is_not_there_is_named(call):
    code, _, err = call("agreement", "none.csv")
    assert (code, err) == (2, "error: none.csv: cannot be read (No such file or directory)\n")


@pytest.mark.parametrize("value", [0, "none"])
def test_an_undefined_agreement_with_a_number_is_refused(call, tmp_path, value):
    path = tmp_path / "same.csv"
    path.write_text(labelled([("s1", "r1", "yes", "a1"), ("s1", "r2", "yes", "a1")]))
    read = told(call, path)
    read["measures"]["gwet_ac1"]["value"] = value
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.Draft202012Validator(SCHEMA).validate(read)


def test_the_sample_of_the_page_on_measures_gives_the_kappa_that_is_counted_there(call, tmp_path):
    page = (ROOT / "docs" / "measures.md").read_text("utf-8")
    sample = page.split("```text\nsubject,annotator,label,answer\n")[1].split("```")[0]
    path = tmp_path / "labels.csv"
    path.write_text(HEADER + sample)
    read = told(call, path)
    # 3 of 4 pairs agree; by chance 2/4 x 2/4 + 1/4 x 0/4 + 1/4 x 2/4 = 0.375.
    assert read["measures"]["raw_agreement"]["value"] == pytest.approx(0.75)
    assert read["cohen_kappa"]["value"] == pytest.approx((0.75 - 0.375) / (1 - 0.375))
