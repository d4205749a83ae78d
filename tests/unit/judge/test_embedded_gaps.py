"""Which part of a claim is not borne out, in the claim's words and in the evidence's own."""

import pytest

from monitor.domain.claim import GapKind, Support
from monitor.judge import make_judge

JUDGE = make_judge("embedded")
HOME = "The Norde ferry leaves at 7 and reaches Vey within 45 minutes. "


def gaps(claim, page):
    return [(gap.kind, gap.claimed, gap.source) for gap in JUDGE.verdict(claim, (page,)).gaps]


@pytest.mark.parametrize(
    ("claim", "page", "gap"),
    [
        ("The fort was built in 1692.", "The fort was built in 1629.",
         (GapKind.DATE, "1692", "1629")),
        ("The fair opens on 3 June.", "The fair opens on 3 July.", (GapKind.DATE, "June", "July")),
        ("The dam is 80 metres high.", "The dam is 60 metres high.", (GapKind.NUMBER, "80", "60")),
        ("The dam is 60 feet high.", "The dam is 60 metres high.",
         (GapKind.UNIT, "feet", "metres")),
        ("Ada Brandt designed the dam.", "Mira Stolz designed the dam.",
         (GapKind.NAME, "Ada Brandt", "Stolz")),
        ("The dam is not open to visitors.", "The dam is open to visitors.",
         (GapKind.NEGATION, "not", None)),
        ("The dam is open to visitors.", "The dam is not open to visitors.",
         (GapKind.NEGATION, "", "not")),
        ("The mill is used in dry summers.", "The mill is used in wet summers.",
         (GapKind.OPPOSITE, "dry", "wet")),
        ("Rents in Norde fell by 4 percent.", "Rents in Norde rose by 4 percent.",
         (GapKind.DIRECTION, "fell", "rose")),
        ("Copper conducts heat better than silver.", "Silver conducts heat better than copper.",
         (GapKind.DIRECTION, "than", "than")),
        ("The lease runs for at least 36 months.", "The lease runs for at most 36 months.",
         (GapKind.DIRECTION, "least", "most")),
        ("Fees rose from 30 to 20 crowns.", "Fees rose from 20 to 30 crowns.",
         (GapKind.DIRECTION, "from", "from")),
        ("Tea lowers blood pressure.", "Tea may lower blood pressure.",
         (GapKind.HEDGE_LOST, "", "may")),
        ("All patients felt better.", "Some patients felt better.",
         (GapKind.SCOPE_WIDENED, "All", None)),
    ],
)  # fmt: skip
def test_a_gap_says_what_is_claimed_and_what_stands_there(claim, page, gap):
    assert gap in gaps(claim, page)
    assert JUDGE.verdict(claim, (page,)).support is not Support.FULL


def test_a_claim_of_which_one_clause_is_missing_is_partial():
    claim = "The Norde ferry reaches Vey within 45 minutes, and her whole crew was dismissed."
    verdict = JUDGE.verdict(claim, (HOME,))
    assert verdict.support is Support.PARTIAL
    assert [gap.claimed for gap in verdict.gaps] == ["and her whole crew was dismissed"]


def test_a_condition_left_out_is_named():
    page = "Guests may use the pool until nine unless a course is held."
    verdict = JUDGE.verdict("Guests use the pool until nine in summer.", (page,))
    assert verdict.support is not Support.FULL


def test_gaps_stand_in_text_order_and_lead_back_to_the_claim():
    claim = "The Norde ferry leaves at 9 and reaches Vey within 45 hours."
    verdict = JUDGE.verdict(claim, (HOME,))
    assert [gap.claimed for gap in verdict.gaps] == ["9", "hours"]
    assert all(claim[gap.start : gap.end] == gap.claimed for gap in verdict.gaps)


def test_the_same_amount_in_another_unit_is_borne_out():
    page = "The ferry takes 120 minutes from Norde to Vey."
    assert gaps("The ferry takes two hours from Norde to Vey.", page) == []


def test_a_supported_claim_has_no_gaps():
    assert JUDGE.verdict("The Norde ferry leaves at 7.", (HOME,)).gaps == ()


@pytest.mark.parametrize(
    "claim",
    [
        "Neither offline maps nor local storage are supported in version 4.",
        "Version 4 is unavailable without an account.",
        "No account is required to sync.",
    ],
)
def test_a_denial_of_its_own_costs_a_claim_its_support(claim):
    page = "Version 4 supports offline maps and stores data locally. It is available to everybody. An account is required to sync."
    assert JUDGE.verdict(claim, (page,)).support is not Support.FULL


def test_a_number_of_something_else_is_no_price():
    """Found by a reader: `crossing number 5` is no fare of 5 euros."""
    page = "Crossing number 5 takes 8 minutes in summer. It costs 6 euros."
    claim = "Crossing number 5 takes 8 minutes and costs 5 euros."
    assert gaps(claim, page) == [(GapKind.NUMBER, "5", "6")]
    assert gaps("It costs between 5 and 6 euros.", "It costs 5 to 6 euros.") == []


def test_a_limit_of_something_else_contradicts_nothing():
    page = "The continuous rated power may not exceed 300 watts."
    claim = "Short peaks above 300 watts are allowed, because only rated power is measured."
    assert JUDGE.verdict(claim, (page,)).support is not Support.CONTRADICTED
    turned = JUDGE.verdict("The continuous rated power may exceed 300 watts.", (page,))
    assert turned.support is Support.CONTRADICTED
