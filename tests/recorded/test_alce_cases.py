"""Every case of the benchmark's own script: scores and the exact order of questions asked."""

import json

import pytest

from monitor.claims import alce_statements
from monitor.scoring import alce_answer, alce_corpus
from tests.corpora import corpora

pytestmark = pytest.mark.corpora


def cases():
    return json.loads(corpora("alce/cases.json").read_text("utf-8"))


def run(case):
    """Answers of one case and the calls made, as the script lists them."""
    table = {e["claim"]: e["supported_by_any_of"] for e in case["entails"]}
    calls, answers = [], []
    for entry in case["items"]:
        docs = entry["docs"]

        def entails(indexes, claim, docs=docs):
            named = [docs[i] for i in indexes]
            verdict = any(set(need) <= set(named) for need in table.get(claim, []))
            calls.append([named, claim, int(verdict)])
            return verdict

        made = alce_statements(entry["output"], entry["question"], qampari=case["qampari"])
        pairs = [(s.claim, s.refs) for s in made]
        answers.append(alce_answer(pairs, len(docs), entails, case["at_most_citations"]))
    return answers, calls


def percent(value):
    return None if value is None else pytest.approx(100 * value)


def test_all_cases_have_the_script_s_scores():
    for case in cases():
        answers, _ = run(case)
        corpus = alce_corpus(answers)
        got = {"citation_rec": corpus.recall, "citation_prec": corpus.precision}
        assert got == pytest.approx(case["expected"]), case["name"]
        for answer, expected in zip(answers, case["expected_per_answer"], strict=True):
            assert expected["citation_rec"] == percent(answer.recall), case["name"]
            assert expected["citation_prec"] == percent(answer.precision), case["name"]


def test_all_cases_ask_in_the_script_s_order():
    for case in cases():
        assert run(case)[1] == case["nli_calls"], case["name"]


def overcite_line(total):
    """The script's printed line, from pooled counts."""
    if not total.multiple_supported:
        return ""
    return (
        f"Among all sentences, {100 * total.multiple / total.statements:.2f}% have multiple citations, "
        f"among which {100 * total.multiple_supported / total.multiple:.2f}% are supported by the joint set, "
        f"among which {100 * total.overcited / total.multiple_supported:.2f}% overcite."
    )


def test_all_cases_print_the_script_s_line():
    for case in cases():
        answers, _ = run(case)
        total = sum(answers[1:], answers[0])
        assert overcite_line(total) == case["overcite_line"], case["name"]
