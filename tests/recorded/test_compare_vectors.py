"""The whole comparison on recorded panels: matching, eligibility, p values, words."""

import json
from collections import defaultdict

import numpy as np
import pytest

from monitor.changes import compare
from monitor.domain.change import ChangeRules, ChangeVerdict
from monitor.domain.score import Undefined, UndefinedReason
from tests.assessed import tally
from tests.corpora import corpora

pytestmark = pytest.mark.corpora


def vectors(name):
    return json.loads(corpora(f"stats/{name}.json").read_text("utf-8"))


def sides(answers):
    months = defaultdict(list)
    for a in answers:
        months[a["month"]].append(tally(a["prompt"], a["citations"], a["repeat"]))
    return months["A"], months["B"]


def run(before, after, **rules):
    return compare(
        before, after, engine="e", panel_version="p@1", before_id="A", after_id="B",
        rules=ChangeRules(**rules),
    )  # fmt: skip


def test_panel_has_the_recorded_eligible_families_and_p_values():
    payload = vectors("change_panel")
    got = run(*sides(payload["answers"]))
    eligible = {c.name for c in got.families if c.test.adjusted is not None}
    assert eligible == set(payload["eligible"])
    for change in got.families:
        expected = payload["expected"][change.name]
        assert change.difference == pytest.approx(expected["change"], abs=1e-12)
        assert change.prompts == expected["prompts_cited"]
        assert change.test.p_value == pytest.approx(expected["p_permutation"], abs=0.02)


def test_panel_calls_what_really_changed_and_nothing_else():
    payload = vectors("change_panel")
    got = run(*sides(payload["answers"]))
    for change in got.families:
        p_bh = payload["expected"][change.name].get("p_bh")
        called = change.verdict in {ChangeVerdict.CHANGED, ChangeVerdict.WATCH}
        assert called is (p_bh is not None and p_bh <= 0.1), change.name
    assert {c.name for c in got.changed} <= set(payload["truth"])
    assert "fam11" in {c.name for c in got.changed}


def test_twelve_prompts_have_exact_p_values_and_no_verdict():
    payload = vectors("change_exact")
    got = run(*sides(payload["answers"]), min_prompts=1)  # recorded over all five families
    assert len(got.families) == 5
    for change in got.families:
        expected = payload["expected"][change.name]
        assert change.test.p_value == pytest.approx(expected["p_permutation_exact"], abs=1e-12)
        assert change.test.adjusted == pytest.approx(expected["p_bh"], abs=1e-12)
        assert change.verdict is ChangeVerdict.NOT_ENOUGH_DATA


def test_lost_answers_are_matched_and_dropped_as_recorded():
    payload = vectors("change_missing")
    x, n, valid = (np.array(payload[k]) for k in ("family_citations", "total_citations", "valid"))
    lost = {"citation_recall": Undefined(UndefinedReason.NO_ANSWERED)}
    before, after = (
        [
            tally(f"p{p}", {"f": int(x[m, p, r]), "rest": int(n[m, p, r] - x[m, p, r])}, r)
            if valid[m, p, r]
            else tally(f"p{p}", {}, r, lost)
            for p in range(x.shape[1])
            for r in range(x.shape[2])
        ]
        for m in (0, 1)
    )
    got = run(before, after, counts_below=2)
    change = next(c for c in got.families if c.name == "f")
    expected = payload["expected"]
    assert (got.gates.matched, got.gates.panel) == (9, 10)
    assert change.before.share == pytest.approx(expected["share_A"], abs=1e-12)
    assert change.after.share == pytest.approx(expected["share_B"], abs=1e-12)
    assert change.test.p_value == pytest.approx(expected["p_permutation_exact"], abs=1e-12)
    pooled = (change.before.pooled.value, change.after.pooled.value)
    raw = payload["wrong_answers"]["pooled_raw_shares"]
    assert pooled[1] == pytest.approx(raw[1], abs=1e-12)
