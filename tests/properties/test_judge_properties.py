"""A verdict always has a score, and a quote wherever its label needs one."""

from hypothesis import given, settings
from hypothesis import strategies as st

from monitor.domain.claim import Support
from monitor.judge import make_judge

JUDGE = make_judge("embedded")
LISTED = "Norde mill 40 1,500 not grows may all sold 12% . , 东京 ruby twenty five million [3] U.S."
WORDS = st.sampled_from(LISTED.split())
TEXTS = st.lists(WORDS | st.text(max_size=3), max_size=25).map(" ".join)
QUOTED = {Support.FULL, Support.PARTIAL, Support.CONTRADICTED}


@settings(max_examples=200, deadline=None)
@given(TEXTS, st.lists(TEXTS, max_size=3).map(tuple))
def test_every_verdict_is_complete(claim, evidence):
    verdict = JUDGE.verdict(claim, evidence)
    assert 0.0 <= verdict.score <= 1.0
    assert verdict.reasons
    assert (verdict.quote is not None) == (verdict.support in QUOTED)
    start, end = verdict.quote_span or (0, 0)
    assert (verdict.quote or "") == (evidence[verdict.evidence][start:end] if end else "")
