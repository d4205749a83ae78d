"""Claim texts and references of the executed ALCE cases."""

import json

import pytest

from monitor.claims import alce_statements
from tests.corpora import corpora

pytestmark = pytest.mark.corpora


def test_every_executed_alce_case_is_cut_as_the_benchmark_cuts_it():
    """Our joint calls are recorded in their order, and no other claim was ever asked about."""
    for case in json.loads(corpora("alce/cases.json").read_text()):
        made = [call for entry in case["items"] for call in joint_calls(entry, case)]
        recorded = [(tuple(docs), claim) for docs, claim, _ in case["nli_calls"]]
        assert is_subsequence(made, recorded), case["name"]
        assert {claim for _, claim in made} == {claim for _, claim in recorded}, case["name"]


def joint_calls(entry, case):
    docs, most = entry["docs"], case["at_most_citations"]
    cut = alce_statements(entry["output"], entry["question"], qampari=case["qampari"])
    valid = [one for one in cut if one.refs and max(one.refs) < len(docs)]
    return [(tuple(docs[ref] for ref in one.refs[:most]), one.claim) for one in valid]


def is_subsequence(wanted, recorded):
    rest = iter(recorded)
    return all(call in rest for call in wanted)
