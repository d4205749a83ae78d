"""The embedded judge against people's labels, with floors that it must not fall below.

Weights were fitted on attributionbench_dev, factcheckgpt_open and wice_dev. Figures of the first are
out of fold: each row is scored by weights that trained without its question. No weight saw
fever_symmetric_dev or healthver_dev, but rules and thresholds were chosen with errors of all sets in
view: read the figures as slightly optimistic. Floors stand a little below what was measured.
"""

import json
import re
from functools import cache

import pytest

from benchmarks import judge_fit, train_judge
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


def auroc(high, low):
    wins = sum((a > b) + 0.5 * (a == b) for a in high for b in low)
    return wins / (len(high) * len(low))


def scores(name, label):
    return [verdict.score for row, verdict in judged(name) if row["label"] == label]


@cache
def unseen():
    """The bench and the scores of its rows by judges that did not train on their question."""
    for name in (judge_fit.BENCH, *judge_fit.OTHERS):
        corpora(f"judge/{name}.jsonl")
    made = [judge_fit.out_of_fold(seed) for seed in judge_fit.SEEDS]
    return judge_fit.seen(judge_fit.BENCH), made


def test_macro_f1_out_of_fold_is_seventy():
    """Mean over four sources and five fold seeds (measured 71.3)."""
    bench, made = unseen()
    assert judge_fit.mean(judge_fit.mean_f1(one, bench) for one in made) >= 0.70


def test_the_surest_answers_out_of_fold_are_right():
    """Accuracy at 40 % coverage (measured 81)."""
    bench, made = unseen()
    assert judge_fit.mean(judge_fit.sure_right(one, bench, 0.4) for one in made) >= 0.78


def test_the_judge_beats_plain_unigram_recall():
    """Paired bootstrap over questions, one-sided (measured 0.006 with 2,000 draws)."""
    bench, made = unseen()
    plain = [judge_fit.recall_out_of_fold(seed) for seed in judge_fit.SEEDS]
    assert judge_fit.bootstrap(made, plain, bench, times=200) <= 0.1


def test_scores_out_of_fold_are_calibrated():
    """Mean gap between score and share supported over five bins (expected calibration error)."""
    bench, made = unseen()
    truth = bench.truth("full")
    gaps = []
    for one in made:
        bins = (one * 5).clip(0, 4.999).astype(int)
        inside = [bins == at for at in range(5)]
        gaps.append(sum(abs(one[i].sum() - truth[i].sum()) for i in inside if i.any()) / len(one))
    assert judge_fit.mean(gaps) <= 0.06


def test_the_weights_that_ship_are_those_the_training_script_writes():
    unseen()
    made, kept = json.loads(train_judge.weights_text()), train_judge.WEIGHTS.read_text("utf-8")
    told = json.loads(kept)
    assert made.keys() == told.keys()
    assert (made["rarity"], made["unseen"]) == (told["rarity"], told["unseen"])
    for name in ("full", "some"):
        assert made[name]["weights"] == pytest.approx(told[name]["weights"], abs=2e-4)
        assert made[name]["constant"] == pytest.approx(told[name]["constant"], abs=2e-4)


def test_answered_rows_of_attributionbench_are_mostly_right():
    """In-sample; three rows of four are answered, and seven labels of ten are right."""
    answered = [
        (r, v) for r, v in judged("attributionbench_dev") if v.support is not Support.NOT_ASSESSABLE
    ]
    right = sum((r["label"] == "full") == (v.support is Support.FULL) for r, v in answered)
    assert right / len(answered) >= 0.70
    assert len(answered) / len(judged("attributionbench_dev")) >= 0.76


@pytest.mark.parametrize(
    ("name", "other", "floor"),
    [
        ("fever_symmetric_dev", "contradicted", 0.70),  # measured 0.725, not fitted
        ("healthver_dev", "unsupported", 0.58),  # measured 0.608, not fitted
        ("healthver_dev", "contradicted", 0.48),  # measured 0.52, not fitted: chance, a limit
        ("wice_dev", "unsupported", 0.89),  # fitted on these rows
        ("factcheckgpt_open", "unsupported", 0.75),  # fitted on these rows
    ],
)
def test_supported_rows_are_ranked_above_the_others(name, other, floor):
    assert auroc(scores(name, "full"), scores(name, other)) >= floor


@pytest.mark.parametrize("name", ["attributionbench_dev", "wice_dev", "fever_symmetric_dev"])
def test_gaps_are_verbatim_on_both_sides(name):
    gaps = [(r, v, gap) for r, v in judged(name) for gap in v.gaps]
    assert len(gaps) >= 100
    assert all(r["claim"][gap.start : gap.end] == gap.claimed for r, _, gap in gaps)
    assert all(
        gap.source is None or any(gap.source in text for text in r["passages"])
        for r, _, gap in gaps
    )


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
