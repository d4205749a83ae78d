"""The embedded judge against people's labels, with floors that it must not fall below.

Weights were fitted on factcheckgpt_open and wice_dev only. No weight saw the other sets, but rules,
caps and thresholds were chosen with their errors in view: read those figures as slightly optimistic.
Floors stand a little below what was measured and are no claim of quality.
"""

import json
import re
from collections import defaultdict
from functools import cache

import pytest

from monitor.domain.claim import Support
from monitor.judge import make_judge
from tests.corpora import corpora

pytestmark = pytest.mark.corpora
JUDGE = make_judge("embedded")


@cache
def judged(name):
    lines = corpora(f"judge/{name}.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    return [(row, JUDGE.verdict(row["claim"], tuple(row["passages"]))) for row in rows]


def class_f1(pairs, wanted):
    hit = sum(truth == wanted and told == wanted for truth, told in pairs)
    wrong = sum((truth == wanted) != (told == wanted) for truth, told in pairs)
    return 2 * hit / (2 * hit + wrong)


def auroc(high, low):
    wins = sum((a > b) + 0.5 * (a == b) for a in high for b in low)
    return wins / (len(high) * len(low))


def scores(name, label):
    return [verdict.score for row, verdict in judged(name) if row["label"] == label]


def test_macro_f1_on_attributionbench_is_above_its_floor():
    """Mean over the four sources of the two-class F1 at score 0.5 (measured 68.9, not fitted)."""
    by_source = defaultdict(list)
    for row, verdict in judged("attributionbench_dev"):
        by_source[row["source"]].append((row["label"] == "full", verdict.score >= 0.5))
    means = [(class_f1(p, True) + class_f1(p, False)) / 2 for p in by_source.values()]
    assert sum(means) / len(means) >= 0.68


def test_answered_rows_of_attributionbench_are_mostly_right():
    answered = [
        (r, v) for r, v in judged("attributionbench_dev") if v.support is not Support.NOT_ASSESSABLE
    ]
    right = sum((r["label"] == "full") == (v.support is Support.FULL) for r, v in answered)
    assert right / len(answered) >= 0.71
    assert len(answered) / len(judged("attributionbench_dev")) >= 0.65


@pytest.mark.parametrize(
    ("name", "other", "floor"),
    [
        ("fever_symmetric_dev", "contradicted", 0.71),  # measured 0.719, not fitted
        ("attributionbench_dev", "not_full", 0.74),  # measured 0.749, not fitted
        (
            "healthver_dev",
            "unsupported",
            0.53,
        ),  # measured 0.549, not fitted: other words, same meaning
        (
            "healthver_dev",
            "contradicted",
            0.48,
        ),  # measured 0.509, not fitted: chance, stated as a limit
        ("wice_dev", "unsupported", 0.90),  # fitted on these rows
        ("factcheckgpt_open", "unsupported", 0.78),  # fitted on these rows
    ],
)
def test_supported_rows_are_ranked_above_the_others(name, other, floor):
    assert auroc(scores(name, "full"), scores(name, other)) >= floor


@pytest.mark.parametrize("name", ["attributionbench_dev", "wice_dev"])
def test_quotes_are_verbatim(name):
    for row, verdict in judged(name):
        quoted = verdict.support in {Support.FULL, Support.PARTIAL, Support.CONTRADICTED}
        start, end = verdict.quote_span or (0, 0)
        text = row["passages"][verdict.evidence or 0][start:end] or None
        assert (verdict.quote is not None, verdict.quote) == (quoted, text if quoted else None)


def supported():
    """Claims that people and the judge both call full, with their passages."""
    for row, verdict in judged("attributionbench_dev"):
        if row["label"] == "full" and verdict.support is Support.FULL:
            yield row["claim"], tuple(row["passages"])


def number_changed(claim):
    """Claim with its first number of two or more digits made seven larger; None without one."""
    bare = re.sub(r"\[\d+\]", "", claim)
    changed = re.sub(r"(?<![\d.,])\d{2,9}(?![\d.,]\d)", lambda m: str(int(m[0]) + 7), bare, count=1)
    return changed if changed != bare else None


def denied(claim):
    """Claim with `not` behind its first form of `be` or auxiliary; None without one."""
    if re.search(r"\b(?:not|no|never|n't)\b", claim):
        return None
    verb = r"\b(is|are|was|were|can|will|has|have)\b"
    return re.sub(verb, r"\1 not", claim, count=1) if re.search(verb, claim) else None


def name_swapped(claim):
    """Claim with its last capitalised inner word replaced by an invented name; None without one."""
    names = list(re.finditer(r"(?<=[a-z,] )[A-Z][a-z]{3,}\b", claim))
    return f"{claim[: names[-1].start()]}Zorvandia{claim[names[-1].end() :]}" if names else None


@pytest.mark.parametrize(
    ("change", "most"),
    [(number_changed, 0.0), (denied, 0.15), (name_swapped, 0.0)],
)
def test_changed_claims_are_seldom_called_full(change, most):
    """Share of changed claims still called full; simple edits of our own, so upper bounds of skill."""
    changed = [(change(claim), passages) for claim, passages in supported()]
    tried = [JUDGE.verdict(claim, passages) for claim, passages in changed if claim]
    assert len(tried) >= 20
    assert sum(v.support is Support.FULL for v in tried) / len(tried) <= most
