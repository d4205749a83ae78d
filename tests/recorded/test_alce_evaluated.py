"""Every case of the benchmark's own script again, as outcome files through `monitor evaluate`."""

import json

import pytest

from monitor.domain.assessment import Profile
from monitor.domain.claim import Support, Verdict
from monitor.pipeline.evaluation import Choice
from tests.corpora import corpora
from tests.evaluated import run

pytestmark = pytest.mark.corpora


def cases():
    return json.loads(corpora("alce/cases.json").read_text("utf-8"))


class CaseJudge:
    """Answers by a case's table; a document's title is its name."""

    version = "case@1"
    held = None

    def __init__(self, case):
        self.table = {e["claim"]: e["supported_by_any_of"] for e in case["entails"]}
        self.calls = []

    def verdict(self, claim, evidence):
        (premise,) = evidence
        named = [line[7:] for line in premise.split("\n") if line.startswith("Title: ")]
        found = any(set(need) <= set(named) for need in self.table.get(claim, []))
        self.calls.append([named, claim, int(found)])
        return Verdict(Support.FULL if found else Support.UNSUPPORTED, judge=self.version)

    def verdicts(self, asked):
        return (self.verdict(one.claim, one.evidence) for one in asked)


def outcome_file(case):
    entries = [
        {
            "question": entry["question"],
            "output": entry["output"],
            "docs": [{"title": doc, "text": f"Text of {doc}."} for doc in entry["docs"]],
        }
        for entry in case["items"]
    ]
    return json.dumps({"args": {"shot": 2}, "data": entries})


def evaluated(folder, case, *, by_name):
    name = "qampari-run.json" if case["qampari"] and by_name else "run.json"
    choice = Choice(
        profile=Profile.ALCE, qampari=case["qampari"], at_most=case["at_most_citations"]
    )
    judge = CaseJudge(case)
    _, told, rows = run(folder, name, outcome_file(case), judge, choice)
    return judge, told, rows


def shown(told, name):
    return told["totals"]["answer_means"].get(name, {"percent": None})["percent"]


@pytest.mark.parametrize("by_name", [True, False])
def test_all_cases_have_the_script_s_scores_to_the_bit(tmp_path, by_name):
    found, expected = {}, {}
    for case in cases():
        _, told, _ = evaluated(tmp_path / case["name"], case, by_name=by_name)
        found[case["name"]] = {n: shown(told, n) for n in ("citation_rec", "citation_prec")}
        expected[case["name"]] = case["expected"]
    assert found == expected
    assert len(found) == 20


def test_each_answer_of_all_cases_has_the_script_s_scores(tmp_path):
    for case in cases():
        _, told, rows = evaluated(tmp_path / case["name"], case, by_name=True)
        for row, cells, wanted in zip(told["rows"], rows, case["expected_per_answer"], strict=True):
            for name in ("citation_rec", "citation_prec"):
                value = row["measures"].get(name, {"value": None})["value"]
                assert wanted[name] == (None if value is None else 100 * value), case["name"]
                assert cells[name] == ("" if value is None else str(value))


def test_what_is_asked_is_what_the_script_asks_each_once(tmp_path):
    for case in cases():
        judge, _, _ = evaluated(tmp_path / case["name"], case, by_name=True)
        calls = [json.dumps(one) for one in judge.calls]
        assert sorted(calls) == sorted({json.dumps(one) for one in case["nli_calls"]}), case["name"]


def test_pooled_counts_give_the_script_s_line(tmp_path):
    for case in cases():
        _, told, _ = evaluated(tmp_path / case["name"], case, by_name=True)
        assert line_of(told["totals"]["counts"]) == case["overcite_line"], case["name"]


def line_of(counts):
    if not counts["multiple_supported"]:
        return ""
    return (
        f"Among all sentences, {100 * counts['multiple'] / counts['statements']:.2f}% have multiple citations, "
        f"among which {100 * counts['multiple_supported'] / counts['multiple']:.2f}% are supported by the joint set, "
        f"among which {100 * counts['overcited'] / counts['multiple_supported']:.2f}% overcite."
    )
