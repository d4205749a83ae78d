"""What verdicts and labels count for where pages could not be read, or nobody could tell."""

from math import isnan

import pytest

from monitor.domain.assessment import PartialPolicy
from monitor.domain.claim import Support, Verdict
from monitor.domain.page import FetchStatus
from monitor.pipeline.cited_pairs import CitedPair, Resting
from monitor.pipeline.labelled_counts import JudgedPairs, contradicted, labelled_counts
from monitor.scoring.credit import credited, joint_verdict
from monitor.store.support_labels import PairKey
from tests.assessed import AGAINST, FULL, NO, PARTIAL, page

READ = page("oaks.example/a")
GONE = page("elms.example/b", status=FetchStatus.NOT_FOUND)
UNCLEAR = Verdict(Support.NOT_ASSESSABLE, ("judge_unclear",), 0.4)
FAILED = Verdict(Support.NOT_ASSESSABLE, ("judge_error",), 0.4)
KEY = PairKey("c", "e")


def precision(verdict, one):
    return credited(joint_verdict(verdict, one.pages), PartialPolicy.HALF)


def counted(verdict, support, *pages, credit=precision):
    """(judge's hits, total, people's hits, total) of one pair; None stands for no label."""
    claims = (Resting("openai", "p1", "Oaks?", "Oaks grow.", pages or (READ,)),)
    pairs = JudgedPairs(
        "openai",
        (CitedPair(KEY, "Oaks grow.", ("t",), claims),),
        {KEY: verdict},
        {KEY: support} if support else {},
    )
    found = labelled_counts(pairs, credit, {})
    people = (found.human_hits[0], found.human_total[0])
    return (
        found.judge_hits[0],
        found.judge_total[0],
        *(None if isnan(value) else value for value in people),
    )


@pytest.mark.parametrize(
    ("verdict", "support", "expected"),
    [
        (FULL, Support.FULL, (1, 1, 1, 1)),
        (PARTIAL, Support.UNSUPPORTED, (0.5, 1, 0, 1)),
        (NO, Support.PARTIAL, (0, 1, 0.5, 1)),
        (AGAINST, None, (0, 1, None, None)),
        # People who cannot tell leave the claim out of hits and total.
        (FULL, Support.NOT_ASSESSABLE, (1, 1, 0, 0)),
        # The judge left it open: its score is the guess, and the label counts in full.
        (UNCLEAR, Support.FULL, (0.4, 1, 1, 1)),
        # It failed, or was never asked: there is no guess, and the label counts all the same.
        (FAILED, Support.FULL, (0, 0, 1, 1)),
        (None, Support.UNSUPPORTED, (0, 0, 0, 1)),
    ],
)
def test_a_pair_counts_what_judge_and_people_say(verdict, support, expected):
    assert counted(verdict, support) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("verdict", "support", "expected"),
    [
        (FULL, Support.FULL, (1, 1, 1, 1)),
        (NO, Support.UNSUPPORTED, (0, 0, 0, 0)),
        (UNCLEAR, Support.PARTIAL, (0, 0, 0, 0)),
    ],
)
def test_with_a_page_that_nobody_could_read_only_full_support_counts(verdict, support, expected):
    assert counted(verdict, support, READ, GONE) == expected


@pytest.mark.parametrize(
    ("verdict", "support", "expected"),
    [
        (AGAINST, Support.CONTRADICTED, (1, 1, 1, 1)),
        (FULL, Support.CONTRADICTED, (0, 1, 1, 1)),
        (UNCLEAR, Support.FULL, (0, 1, 0, 1)),
    ],
)
def test_a_contradiction_counts_in_its_own_measure(verdict, support, expected):
    assert counted(verdict, support, credit=contradicted) == expected
